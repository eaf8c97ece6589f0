import { pingType } from '../../../core/event-types.ts';
import { publicId, uuidTimeMs } from '../../../core/id.ts';
import type { Principal } from '../../../core/principal.ts';
import { eventBody, recordEventForEndpoint } from '../events/append-events.cte.ts';
import { demandActive, lockManaged, type ManagementDeps } from './endpoints.ts';

/**
 * Sends an endpoint a ping, through the queue like everything else: signed, tried again, shown among its deliveries. Gives
 * back the delivery's public id. No other endpoint is sent it, and no list of events holds it.
 */
export async function pingWebhook(
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
