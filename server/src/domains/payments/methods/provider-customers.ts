import type { Clock } from '../../../core/clock.ts';
import { type GenerateUuid, publicId } from '../../../core/id.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import type { CustomerAtProvider } from '../providers/kept-method.ts';
import type { MethodCustomers } from './customers.ts';
import { type Opener, referenceDigest, type Sealer } from './kept.ts';
import { readMethodsOfCustomer } from './reading-statements.ts';
import { ensureProviderCustomer, learnProviderCustomer, type ProviderCustomerRow } from './statements.ts';

/** A customer and the channel that its methods are kept through. */
export interface CustomerOnChannel {
  tenant_id: number;
  customer_id: number;
  channel_id: number;
}

interface ReadDeps {
  methodCustomers: MethodCustomers;
  credentials: { secrets: Opener };
  clock: Clock;
  generateUuid: GenerateUuid;
}

/** The customer as its provider knows it, or will: it is created under `key` while `reference` is null. */
export async function customerAtProvider(
  database: Queryable,
  key: CustomerOnChannel & { livemode: boolean },
  deps: ReadDeps,
): Promise<CustomerAtProvider> {
  const row = await ensure(database, key, deps);
  const customer = await deps.methodCustomers.find(database, [key.tenant_id], key.customer_id);
  const { open } = deps.credentials.secrets;
  return {
    reference: row.reference_sealed === null ? null : open(row.reference_sealed, customerAssociatedData(row)),
    key: publicId('pcu', row.id),
    name: customer?.name ?? '',
    email: customer?.email ?? null,
    livemode: key.livemode,
  };
}

/**
 * Stores the provider's id of a customer, which is used for every later operation. `isCurrent`: the operation was sent
 * for the customer that is stored, so that another one has replaced it, which was deleted at the provider. The methods
 * of that one are then read. Otherwise the id that is known stays, because the operation may be older than it.
 */
export async function learnCustomer(
  database: Queryable,
  key: CustomerOnChannel,
  { reference, isCurrent }: { reference: string; isCurrent: boolean },
  deps: Sealer & Pick<ReadDeps, 'clock' | 'generateUuid'>,
): Promise<void> {
  const row = await ensure(database, key, deps);
  const { tenant_id, customer_id, channel_id, id, reference_digest: known } = row;
  const digest = referenceDigest(database, channel_id, reference);
  if (known !== null && (!isCurrent || known.equals(digest))) return;
  const sealed = deps.seal(reference, customerAssociatedData(row));
  await database.run(learnProviderCustomer, [tenant_id, customer_id, channel_id, id, sealed, digest, known]);
  if (known !== null) await readMethodsOf(database, key, deps);
}

/** Has the methods of a customer read at the provider soon, to find which of them have ended. */
export async function readMethodsOf(
  database: Queryable,
  { tenant_id, customer_id, channel_id }: CustomerOnChannel,
  { clock }: Pick<ReadDeps, 'clock'>,
): Promise<void> {
  await database.run(readMethodsOfCustomer, [tenant_id, customer_id, channel_id, clock()]);
}

type ProviderCustomerKey = Pick<ProviderCustomerRow, 'tenant_id' | 'customer_id' | 'channel_id' | 'id'>;

export const customerAssociatedData = ({ tenant_id, customer_id, channel_id, id }: ProviderCustomerKey) =>
  `provider_customer/${tenant_id}/${customer_id}/${channel_id}/${id}/reference`;

async function ensure(
  database: Queryable,
  { tenant_id, customer_id, channel_id }: CustomerOnChannel,
  { clock, generateUuid }: Pick<ReadDeps, 'clock' | 'generateUuid'>,
): Promise<ProviderCustomerRow> {
  const values = [tenant_id, customer_id, channel_id, generateUuid(), clock()];
  const [row] = await database.run(ensureProviderCustomer, values);
  if (row !== undefined) return row;
  // Another statement has committed it since this one began.
  const [found] = await database.run(ensureProviderCustomer, values);
  return found as ProviderCustomerRow;
}
