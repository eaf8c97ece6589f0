import { pingType } from '../../../core/event-types.ts';
import { publicId, uuidTimeMs } from '../../../core/id.ts';
import type { Principal } from '../../../core/principal.ts';
import { eventBody, recordEventForEndpoint } from '../events/append-events.cte.ts';
import { demandActive, lockManaged, type ManagementDeps } from './endpoints.ts';

/**
 * Enqueues a ping to one endpoint as an ordinary delivery: signed, retried, listed among its deliveries. The list of events
 * does not show it. Returns the public id of the delivery.
 */
export async function pingEndpoint(
  id: number,
  principal: Principal,
  { database, drawUuid }: ManagementDeps,
): Promise<string> {
  const eventId = drawUuid();
  const createdMs = uuidTimeMs(eventId);
  const deliveryId = await database.transaction(async (transaction) => {
    const row = await lockManaged(transaction, id, principal);
    demandActive(row);
    const { tenant_id: tenantId, events, created_at: createdTime } = row;
    const objectJson = JSON.stringify({ id, events, createdTime });
    return recordEventForEndpoint(transaction, {
      tenantId,
      id: eventId,
      type: pingType,
      objectId: String(id),
      createdMs,
      body: eventBody(eventId, pingType, createdMs, objectJson),
      endpointId: id,
    });
  });
  return publicId('dlv', deliveryId);
}
