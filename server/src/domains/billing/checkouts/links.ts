import { type CheckoutStatus, tokenPlace } from './rules.ts';
import type { CheckoutRow } from './statements.ts';

export interface LinkDeps {
  /** Decrypts a sealed value from its place of storage. */
  open: (sealed: Buffer, place: string) => string;
  /** Whether the key of a sealed value has been declared lost. */
  isLost: (sealed: Buffer) => boolean;
  /** `app.public-url`, without a slash at the end. */
  publicUrl: string;
}

type Sealed = Pick<CheckoutRow, 'tenant_id' | 'id' | 'token_sealed'>;

/** The token of a page; null when the key that sealed it is lost. */
export function tokenOf(row: Sealed, { open, isLost }: Pick<LinkDeps, 'open' | 'isLost'>): string | null {
  return isLost(row.token_sealed) ? null : open(row.token_sealed, tokenPlace(row.tenant_id, row.id));
}

/** The URL of a page; null when the key that sealed its token is lost. */
export function addressOf(row: Sealed, deps: LinkDeps): string | null {
  const token = tokenOf(row, deps);
  return token === null ? null : `${deps.publicUrl}/p/${token}`;
}

/** The URL that the API returns: null once the page has expired, because it is then not found. */
export const shownAddressOf = (row: CheckoutRow, status: CheckoutStatus, deps: LinkDeps) =>
  status === 'EXPIRED' ? null : addressOf(row, deps);
