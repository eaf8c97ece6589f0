import type { Static } from 'typebox';
import { publicId } from '../../../core/id.ts';
import { tenantOnWire } from '../../../core/principal.ts';
import type { subscriptionRecord } from './schema.ts';
import type { SubscriptionRow } from './statements.ts';

export type SubscriptionRecord = Static<typeof subscriptionRecord>;

export function recordOf(row: SubscriptionRow): SubscriptionRecord {
  return {
    id: row.id,
    livemode: row.livemode,
    externalId: row.external_id,
    tenantId: tenantOnWire(row.tenant_id),
    customerId: row.customer_id,
    planId: row.plan_id,
    quantity: row.quantity,
    unitAmount: row.unit_amount,
    taxRate: row.tax_rate,
    currency: row.currency,
    state: row.state,
    nextPlanId: row.next_plan_id,
    nextQuantity: row.next_quantity,
    channelId: row.channel_id,
    methodId: row.method_id === null ? null : publicId('mtd', row.method_id),
    timeZone: row.time_zone,
    metadata: row.metadata,
    userId: row.user_id,
    periodStart: row.period_start,
    periodEnd: row.period_end,
    trialEnd: row.trial_end,
    endTime: row.end_at,
    cancelAtPeriodEnd: row.cancel_at_period_end,
    nextPaymentAttempt: row.next_payment_attempt,
    pausedTime: row.paused_at,
    endedTime: row.ended_at,
    version: row.version,
    createdTime: row.created_at,
    updatedTime: row.updated_at,
  };
}
