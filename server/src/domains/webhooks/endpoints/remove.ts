import type { Clock } from '../../../core/clock.ts';
import { notFound } from '../../../core/errors.ts';
import type { Principal } from '../../../core/principal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { tenantsSeen } from '../../identity/tenants/visible-tenants.ts';
import { cancelDeliveries, lockEndpoint, type ManagedRow, removeEndpoint } from './endpoint-statements.ts';
import type { ManagementDeps } from './endpoints.ts';
import { demandReading } from './rules.ts';

/**
 * Removes an endpoint: nothing is sent to it any more, and what waits is CANCELLED. Its deliveries stay readable, which is
 * why its row does too. A second time changes nothing and answers the same.
 */
export async function removeWebhook(
  id: number,
  principal: Principal,
  { database, directory, clock }: ManagementDeps,
): Promise<ManagedRow> {
  const removed = await database.transaction(async (transaction) => {
    const [row] = await transaction.run(lockEndpoint, [await tenantsSeen(transaction, principal), id]);
    if (row === undefined) throw notFound('webhook', id);
    demandReading(row.events, principal);
    if (row.removed_at !== null) return row;
    const [gone] = await transaction.run(removeEndpoint, [id, clock()]);
    return gone as ManagedRow;
  });
  await directory.changed(database, id);
  await cancelWaiting(database, removed, clock);
  return removed;
}

/** Rows in one go, and goes: whoever has more waiting than that has it cancelled as it falls due, by the sender. */
const cancelledAtOnce = 5_000;
const goes = 20;

async function cancelWaiting(database: Queryable, { tenant_id, id }: ManagedRow, clock: Clock): Promise<void> {
  for (let go = 0; go < goes; go++) {
    const [row] = await database.run(cancelDeliveries, [tenant_id, id, clock(), cancelledAtOnce]);
    if ((row?.cancelled ?? 0) < cancelledAtOnce) return;
  }
}
