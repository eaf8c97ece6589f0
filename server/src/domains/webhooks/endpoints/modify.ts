import type { Static } from 'typebox';
import { invalid } from '../../../core/errors.ts';
import { eventTypes, pingType, readableTypes } from '../../../core/event-types.ts';
import type { Principal } from '../../../core/principal.ts';
import { rule } from '../../../core/refusal-rules.ts';
import type { Call } from '../../../platform/http/route.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { appendAudit } from '../../identity/audit/append.ts';
import type { WebhooksApp } from '../app.ts';
import { retryNow } from '../delivery-queue/retry-statements.ts';
import { appendEvent } from '../events/append-events.cte.ts';
import { disabledEvent } from './events.ts';
import { recordOf } from './list.ts';
import { lockManagedEndpoint } from './managed-endpoint.ts';
import { requireAllowedUrl } from './register.ts';
import { reachesPrivate, requireReadScopes } from './rules.ts';
import type { modifyInput } from './schema.ts';
import { type EndpointRow, findOpenDeliveryBeyond, updateEndpoint } from './statements.ts';

/**
 * Changes an endpoint: fields left out keep their value. Open deliveries go to the new URL. Enabling an endpoint clears
 * its failures; events that happened while it was disabled can be replayed. `retry` ends a pause, and sends now what
 * waits for its next try.
 */
export async function modifyEndpoint(
  {
    body: { id, url, events, state, maxInFlight, ratePerSecond, retry = false },
    principal,
  }: Call<Static<typeof modifyInput>>,
  { database, guards, clock, generateUuid }: WebhooksApp,
): Promise<EndpointRow> {
  const changes = [url, events, state, maxInFlight, ratePerSecond];
  if (changes.every((change) => change === undefined) && !retry) {
    throw invalid('id', rule('change_of_endpoint'));
  }
  if (events !== undefined) requireReadScopes(events, principal);
  if (url !== undefined) await requireAllowedUrl(url, principal, guards);
  return database.transaction(async (transaction) => {
    const before = await lockManagedEndpoint(transaction, id, principal);
    if (url !== undefined) await requireReadingOpenDeliveries(transaction, id, principal);
    const [row] = await transaction.run(updateEndpoint, [
      id,
      url ?? null,
      events === undefined ? null : [...new Set(events)],
      state ?? null,
      maxInFlight !== undefined,
      maxInFlight ?? null,
      ratePerSecond !== undefined,
      ratePerSecond ?? null,
      clock(),
      reachesPrivate(principal),
      retry,
    ]);
    if (retry) await transaction.run(retryNow, [id, clock(), maxRetried]);
    await appendAudit(transaction, principal, {
      action: 'webhook.update',
      tenantId: before.tenant_id,
      recordId: id,
      before: recordOf(before, clock()),
      after: recordOf(row as EndpointRow, clock()),
    });
    if (before.state && state === false)
      await appendEvent(transaction, disabledEvent(row as EndpointRow, generateUuid()));
    return row as EndpointRow;
  });
}

/** Further ones keep the time of their next try. */
const maxRetried = 10_000;

/** Open deliveries go to the new URL, including those of event types that the endpoint no longer subscribes to. */
async function requireReadingOpenDeliveries(transaction: Queryable, id: number, principal: Principal): Promise<void> {
  const readable = readableTypes(principal.scopes);
  if (readable.length === eventTypes.length) return;
  const [unreadable] = await transaction.run(findOpenDeliveryBeyond, [id, [...readable, pingType]]);
  if (unreadable !== undefined) requireReadScopes([unreadable.type], principal);
}
