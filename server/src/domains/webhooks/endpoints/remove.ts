import type { Clock } from '../../../core/clock.ts';
import type { Call } from '../../../platform/http/route.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { appendAudit } from '../../identity/audit/append.ts';
import type { WebhooksApp } from '../app.ts';
import { cancelDeliveries } from '../delivery-queue/cancel-statements.ts';
import { lockManagedOrRemovedEndpoint } from './managed-endpoint.ts';
import { type EndpointRow, markRemoved } from './statements.ts';

/**
 * Removes an endpoint and cancels its open deliveries. Its row stays, so that its deliveries can still be read.
 * Removing it again changes nothing and returns the same.
 */
export async function removeEndpoint(
  { body: { id }, principal }: Call<{ id: number }>,
  { database, clock }: WebhooksApp,
): Promise<EndpointRow> {
  const removed = await database.transaction(async (transaction) => {
    const row = await lockManagedOrRemovedEndpoint(transaction, id, principal);
    if (row.removed_at !== null) return row;
    const [marked] = await transaction.run(markRemoved, [id, clock()]);
    await appendAudit(transaction, principal, { action: 'webhook.remove', tenantId: row.tenant_id, recordId: id });
    return marked as EndpointRow;
  });
  await cancelOpenDeliveries(database, removed, clock);
  return removed;
}

/** Deliveries beyond these batches are cancelled by the sender when they fall due. */
const batchRows = 5_000;
const maxBatches = 20;

async function cancelOpenDeliveries(database: Queryable, { tenant_id, id }: EndpointRow, clock: Clock): Promise<void> {
  for (let batch = 0; batch < maxBatches; batch++) {
    const [row] = await database.run(cancelDeliveries, [tenant_id, id, clock(), batchRows]);
    if ((row?.cancelled ?? 0) < batchRows) return;
  }
}
