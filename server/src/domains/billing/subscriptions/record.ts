import type { Static } from 'typebox';
import type { EventType } from '../../../core/event-types.ts';
import { uuidTimeMs } from '../../../core/id.ts';
import { tenantOnWire } from '../../../core/principal.ts';
import { type EventDraft, eventBody } from '../../webhooks/events/append-events.cte.ts';
import type { subscriptionRecord } from './schema.ts';
import type { SubscriptionRow } from './statements.ts';

export type SubscriptionRecord = Static<typeof subscriptionRecord>;

export function recordOf(row: SubscriptionRow): SubscriptionRecord {
  return {
    id: row.id,
    tenantId: tenantOnWire(row.tenant_id),
    customerId: row.customer_id,
    planId: row.plan_id,
    quantity: row.quantity,
    unitAmount: row.unit_amount,
    currency: row.currency,
    state: row.state,
    nextPlanId: row.next_plan_id,
    nextQuantity: row.next_quantity,
    channelId: row.channel_id,
    timeZone: row.time_zone,
    metadata: row.metadata,
    userId: row.user_id,
    periodStart: row.period_start,
    periodEnd: row.period_end,
    trialEnd: row.trial_end,
    endTime: row.end_at,
    cancelAtPeriodEnd: row.cancel_at_period_end,
    pausedTime: row.paused_at,
    endedTime: row.ended_at,
    version: row.version,
    createdTime: row.created_at,
    updatedTime: row.updated_at,
  };
}

/** What is told of a subscription. An event's own time is that of this service, also where the customer has a test clock. */
export function eventDraftOf(type: EventType, row: SubscriptionRow, id: string): EventDraft {
  const createdMs = uuidTimeMs(id);
  return {
    tenantId: row.tenant_id,
    id,
    type,
    objectId: `sub_${row.id}`,
    createdMs,
    body: eventBody(id, type, createdMs, JSON.stringify(recordOf(row))),
  };
}
