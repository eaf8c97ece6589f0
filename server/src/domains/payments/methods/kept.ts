import { hash } from 'node:crypto';
import type { Queryable } from '../../../platform/postgres/database.ts';
import type { BankAccount, KeptMethod, ProviderMethod } from '../providers/kept-method.ts';
import type { MethodRow } from './record.ts';

/** What is sealed of a method: the provider's ids, with which its channel can charge it. */
type KeptReference = Pick<KeptMethod, 'customerReference' | 'reference' | 'networkTransactionId'>;

/** What a setup is made from, sealed until it has ended. */
export interface MethodSource {
  token: string | null;
  bankAccount: BankAccount | null;
  /** The provider's id of the customer for whom the provider keeps the token already. Absent: the token is new. */
  customerReference?: string;
}

export interface Sealer {
  seal: (plain: string, associatedData: string) => Buffer;
}

export interface Opener {
  open: (sealed: Buffer, associatedData: string) => string;
}

type MethodKey = Pick<MethodRow, 'tenant_id' | 'id'>;

export const referenceAssociatedData = ({ tenant_id, id }: MethodKey) => `payment_method/${tenant_id}/${id}/reference`;

/** Where the source of a method is stored, or was: a token of a customer's record opens only as that. */
export function sourceAssociatedData({
  tenant_id,
  id,
  customer_id,
  sealed_for_customer,
}: Pick<MethodRow, 'tenant_id' | 'id' | 'customer_id' | 'sealed_for_customer'>): string {
  return sealed_for_customer
    ? `customer/${tenant_id}/${customer_id}/paymentMethod`
    : `payment_method/${tenant_id}/${id}/source`;
}

export function sealReference(
  { customerReference, reference, networkTransactionId }: KeptReference,
  key: MethodKey,
  { seal }: Sealer,
): Buffer {
  return seal(JSON.stringify({ customerReference, reference, networkTransactionId }), referenceAssociatedData(key));
}

/** The method as its provider knows it. Throws where it was never attached, and where its encryption key is lost. */
export function keptMethodOf(row: MethodRow, { open }: Opener): KeptMethod {
  if (row.reference_sealed === null) throw new Error(`Payment method ${row.id} was never attached.`);
  const reference = JSON.parse(open(row.reference_sealed, referenceAssociatedData(row))) as KeptReference;
  return { ...reference, type: row.type, providerType: row.provider_type ?? '', agreement: row.agreement };
}

export function sealSource(source: MethodSource, row: MethodRow, { seal }: Sealer): Buffer {
  return seal(JSON.stringify(source), sourceAssociatedData(row));
}

export function sourceOf(row: MethodRow, { open }: Opener): MethodSource {
  if (row.source_plain !== null) return { token: row.source_plain, bankAccount: null };
  if (row.source_sealed === null) return { token: null, bankAccount: null };
  const source = open(row.source_sealed, sourceAssociatedData(row));
  return row.sealed_for_customer ? { token: source, bankAccount: null } : (JSON.parse(source) as MethodSource);
}

/** The columns of what the provider tells of a method. */
export function columnsOf(
  kept: ProviderMethod,
  channelId: number,
  key: MethodKey,
  database: Queryable,
  sealer: Sealer,
) {
  const { fingerprint } = kept;
  return {
    type: kept.type,
    provider_type: kept.providerType,
    brand: kept.brand,
    last4: kept.last4,
    expiry_month: kept.expiryMonth,
    expiry_year: kept.expiryYear,
    bank_name: kept.bankName,
    country: kept.country,
    fingerprint: fingerprint === null ? null : shownDigest(database, `fingerprint/${channelId}/${fingerprint}`),
    mandate_reference: kept.mandateReference,
    mandate_url: kept.mandateUrl,
    reference_sealed: sealReference(kept, key, sealer),
    reference_digest: referenceDigest(database, channelId, kept.reference),
  };
}

/** Finds a method by the provider's id, which is sealed. */
export function referenceDigest(database: Queryable, channelId: number, reference: string): Buffer {
  return digestOf(database, `reference/${channelId}/${reference}`);
}

/** Without the id of its key. */
const shownDigest = (database: Queryable, text: string) => digestOf(database, text).subarray(-16).toString('hex');

/** Keyed; outside a node, which alone has the key, without it. */
function digestOf(database: Queryable, text: string): Buffer {
  const digested = `payment_method/${text}`;
  return database.macOf?.(digested) ?? hash('sha256', digested, 'buffer').subarray(0, 16);
}
