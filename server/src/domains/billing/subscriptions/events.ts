import type { EventType } from '../../../core/event-types.ts';
import { type EventDraft, eventDraft } from '../../webhooks/events/append-events.cte.ts';
import { recordOf } from './record.ts';
import type { SubscriptionRow } from './statements.ts';

/** Builds an event with the subscription. `created` is the real time, even when the customer has a test clock. */
export function eventDraftOf(type: EventType, row: SubscriptionRow, id: string): EventDraft {
  const { tenant_id: tenantId, livemode } = row;
  return eventDraft(type, { tenantId, livemode, objectId: `sub_${row.id}`, object: recordOf(row) }, id);
}
