import type { BillingApp } from '../app.ts';
import { type CheckoutStatus, tokenAssociatedData } from './rules.ts';
import type { CheckoutRow } from './statements.ts';

type Sealed = Pick<CheckoutRow, 'tenant_id' | 'id' | 'token_sealed'>;

/** The token of a page; null when the key that sealed it is lost. */
export function tokenOf(row: Sealed, { open, isLost }: Pick<BillingApp, 'open' | 'isLost'>): string | null {
  return isLost(row.token_sealed) ? null : open(row.token_sealed, tokenAssociatedData(row.tenant_id, row.id));
}

/** The URL of a page; null when the key that sealed its token is lost. */
export function addressOf(row: Sealed, app: BillingApp): string | null {
  const token = tokenOf(row, app);
  return token === null ? null : `${app.publicUrl}/p/${token}`;
}

/** The URL that the API returns: null once the page has expired, because it is then not found. */
export const shownAddressOf = (row: CheckoutRow, status: CheckoutStatus, app: BillingApp) =>
  status === 'EXPIRED' ? null : addressOf(row, app);
