import { pingType } from '../../../core/event-types.ts';
import { publicId, uuidTimeMs } from '../../../core/id.ts';
import type { Call } from '../../../platform/http/route.ts';
import { appendAudit } from '../../identity/audit/append.ts';
import type { WebhooksApp } from '../app.ts';
import { sendNext } from '../delivery-queue/retry-statements.ts';
import { appendEventForEndpoint, eventBody } from '../events/append-events.cte.ts';
import { endPause } from './health-statements.ts';
import { lockManagedEndpoint, requireActive } from './managed-endpoint.ts';

/**
 * Enqueues a ping to one endpoint as an ordinary delivery: signed, retried, listed among its deliveries. The list of
 * events does not show it. It goes before what waits, and is the trial of an endpoint that is paused: who tests an
 * endpoint that fails waits for the answer. Returns the public id of the delivery.
 */
export async function pingEndpoint(
  { body: { id }, principal }: Call<{ id: number }>,
  { database, clock, generateUuid }: WebhooksApp,
): Promise<string> {
  const eventId = generateUuid();
  const createdMs = uuidTimeMs(eventId);
  const deliveryId = await database.transaction(async (transaction) => {
    const row = await lockManagedEndpoint(transaction, id, principal);
    requireActive(row);
    const { tenant_id: tenantId, livemode, events, created_at: createdTime } = row;
    await appendAudit(transaction, principal, { action: 'webhook.ping', tenantId, recordId: id });
    const pingId = await appendEventForEndpoint(transaction, {
      tenantId,
      id: eventId,
      livemode,
      type: pingType,
      objectId: String(id),
      createdMs,
      body: eventBody({ id: eventId, type: pingType, createdMs, livemode }, { id, events, createdTime }),
      endpointId: id,
    });
    await transaction.run(sendNext, [tenantId, pingId, id]);
    await transaction.run(endPause, [id, clock()]);
    return pingId;
  });
  return publicId('dlv', deliveryId);
}
