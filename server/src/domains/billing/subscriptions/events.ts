import type { EventType } from '../../../core/event-types.ts';
import { uuidTimeMs } from '../../../core/id.ts';
import { type EventDraft, eventBody } from '../../webhooks/events/append-events.cte.ts';
import { recordOf } from './record.ts';
import type { SubscriptionRow } from './statements.ts';

/** Builds an event with the subscription. `created` is the real time, also when the customer has a test clock. */
export function eventDraftOf(type: EventType, row: SubscriptionRow, id: string): EventDraft {
  const createdMs = uuidTimeMs(id);
  return {
    tenantId: row.tenant_id,
    livemode: row.livemode,
    id,
    type,
    objectId: `sub_${row.id}`,
    createdMs,
    body: eventBody({ id, type, createdMs, livemode: row.livemode }, JSON.stringify(recordOf(row))),
  };
}
