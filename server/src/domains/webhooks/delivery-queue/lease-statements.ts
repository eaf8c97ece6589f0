import { statement } from '../../../platform/postgres/statement.ts';

/** Releases a delivery that was claimed and not sent: it is due again at once. Values: tenant, id, lease. */
export const releaseDelivery = statement(
  'deliveries.release_delivery',
  'update delivery set lease = null, leased_until = null where tenant_id = $1 and id = $2 and lease = $3',
);

/** Releases all deliveries under the given leases, after a claim whose answer was lost. Value: leases. */
export const releaseLeases = statement(
  'deliveries.release_leases',
  `update delivery set lease = null, leased_until = null where state = 'OPEN' and lease = any ($1::uuid[])`,
);

/** Releases the leases of all deliveries. */
export const freeLeases = statement(
  'deliveries.free_leases',
  `update delivery set lease = null, leased_until = null where state = 'OPEN' and lease is not null`,
);
