import type { Static } from 'typebox';
import { dayMs } from '../../../core/clock.ts';
import { invalid, notFound, Refusal } from '../../../core/errors.ts';
import { requireSameMode } from '../../../core/livemode.ts';
import { metadataJson } from '../../../core/metadata.ts';
import { rule } from '../../../core/refusal-rules.ts';
import { isTimeZone } from '../../../core/time-zone.ts';
import type { Call } from '../../../platform/http/route.ts';
import { violatedConstraint } from '../../../platform/postgres/connection/failures.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { answerOnce, type IdempotentAnswer } from '../../../platform/postgres/idempotency-records.ts';
import { appendAudit } from '../../identity/audit/append.ts';
import { actFor } from '../../identity/tenants/act-for.ts';
import { requireAccepting } from '../../payments/channels/rules.ts';
import type { BillingApp } from '../app.ts';
import { readCustomer } from '../customers/read.ts';
import type { PlanRow } from '../plans/statements.ts';
import { defaultChannelOf } from './channels.ts';
import { methodForSubscription } from './methods.ts';
import { daysAfter, type Interval, periodThatEnds, type Span } from './periods/calendar.ts';
import { periodPrice } from './periods/period.ts';
import { nextTermsOf } from './periods/terms.ts';
import { recordOf, type SubscriptionRecord } from './record.ts';
import { renewalOf } from './renewal/renew.ts';
import { type Change, unbilledTime, writeChanges } from './renewal/write-changes.ts';
import { parseTime, timeOf, withChange } from './rules.ts';
import type { createInput } from './schema.ts';
import {
  insertSubscription,
  lockPayer,
  nextSubscriptionId,
  type Payer,
  type SubscriptionRow,
  type SubscriptionWithTerms,
} from './statements.ts';
import { requireUsablePlan } from './usable-plan.ts';

export type CreateInput = Static<typeof createInput>;

/** The tenant of the customer, and the user who creates the subscription, who may be a platform administrator. */
interface Owner {
  tenantId: number;
  userId: number;
}

const path = '/api/subscription/create';
const longestTrialMs = 730 * dayMs;

/**
 * Subscribes a customer to a plan. With a trial, the first billing period begins when the trial ends, and after a
 * period that a former system has billed when that ends; without either it begins now and is invoiced in the same
 * transaction. The worker pays the invoice shortly afterwards. With an idempotency key, a repeated request gets the
 * first answer.
 */
export async function createSubscription(
  { body: input, principal, idempotencyKey }: Call<CreateInput>,
  app: BillingApp,
): Promise<IdempotentAnswer<SubscriptionRecord>> {
  metadataJson(input.metadata);
  const actor = await actFor(principal, input.tenantId, app.database);
  const { tenant_id: tenantId } = await readCustomer(app.database, input.customerId, actor, 'customerId');
  const run = async (transaction: Queryable) => {
    const after = await subscribe(transaction, input, { tenantId, userId: principal.userId }, app);
    await appendAudit(transaction, principal, { action: 'subscription.create', tenantId, recordId: after.id, after });
    return after;
  };
  const request = { tenantId, path, key: idempotencyKey, input, nowMs: app.clock() };
  try {
    return await answerOnce(app.database, request, run);
  } catch (error) {
    if (violatedConstraint(error) !== 'subscription_by_external_id') throw error;
    throw new Refusal(
      'external_id_taken',
      rule('subscription_external_id_taken', { externalId: String(input.externalId) }),
      {
        field: 'externalId',
      },
    );
  }
}

async function subscribe(
  transaction: Queryable,
  input: CreateInput,
  owner: Owner,
  app: BillingApp,
): Promise<SubscriptionRecord> {
  const { tenantId } = owner;
  const [payer] = await transaction.run(lockPayer, [tenantId, input.customerId]);
  if (payer === undefined) throw notFound('customer', input.customerId, 'customerId');
  const plan = await requireUsablePlan(transaction, { tenantId, livemode: payer.livemode }, input.planId);
  const customer = { tenantId, customerId: payer.id };
  const method = input.methodId == null ? null : await methodForSubscription(transaction, input.methodId, customer);
  const channelId = input.channelId ?? method?.channel_id ?? defaultChannelOf(plan, payer);
  const channel = await app.channels.findUsable(channelId, tenantId);
  requireSameMode(payer.livemode, channel.livemode, 'channelId', { noun: 'channel', id: channelId });
  requireAccepting(channel, plan.currency);
  const nowMs = payer.clock_now === null ? app.clock() : Date.parse(payer.clock_now);
  const [{ id }] = (await transaction.run(nextSubscriptionId)) as [{ id: number }];
  const row = { ...rowOf(input, owner, plan, payer, id, nowMs), method_id: method?.id ?? null };
  await transaction.run(insertSubscription, [JSON.stringify(row)]);
  const change: Change = { ...firstChange(withTerms(row, plan), nowMs), eventType: 'subscription.created' };
  await writeChanges(transaction, [change], app);
  return recordOf(change.after);
}

/** The row to insert as version 0; the first change makes it version 1. */
function rowOf(
  input: CreateInput,
  { tenantId, userId }: Owner,
  plan: PlanRow,
  payer: Payer,
  id: number,
  nowMs: number,
): Omit<SubscriptionRow, 'method_id'> {
  const { quantity = 1, timeZone = 'UTC' } = input;
  periodPrice(plan.amount, quantity);
  if (!isTimeZone(timeZone)) throw invalid('timeZone', rule('time_zone'));
  const elsewhere = billedElsewhere(input, plan, timeZone, nowMs);
  const trialEndMs = elsewhere === undefined ? trialEndOf(input, plan, timeZone, nowMs) : undefined;
  const endMs = input.endTime === undefined ? undefined : parseTime(input.endTime, 'endTime');
  const firstMs = elsewhere?.period.endMs ?? trialEndMs ?? nowMs;
  if (endMs !== undefined && endMs <= firstMs) {
    throw invalid('endTime', rule('after_time', { time: timeOf(firstMs) }));
  }
  const now = timeOf(nowMs);
  return {
    tenant_id: tenantId,
    id,
    livemode: payer.livemode,
    external_id: input.externalId ?? null,
    customer_id: input.customerId,
    plan_id: plan.id,
    quantity,
    unit_amount: plan.amount,
    tax_rate: plan.tax_rate,
    currency: plan.currency,
    next_plan_id: null,
    next_quantity: null,
    channel_id: input.channelId ?? null,
    time_zone: timeZone,
    metadata: (input.metadata as Record<string, unknown> | undefined) ?? null,
    user_id: userId,
    clock_id: payer.clock_id ?? 0,
    state: trialEndMs === undefined ? 'ACTIVE' : 'TRIALING',
    anchor_at: timeOf(elsewhere?.anchorMs ?? firstMs),
    next_number: elsewhere?.next ?? 0,
    period_start: elsewhere === undefined ? now : timeOf(elsewhere.period.startMs),
    period_end: timeOf(firstMs),
    trial_end: trialEndMs === undefined ? null : timeOf(trialEndMs),
    end_at: endMs === undefined ? null : timeOf(endMs),
    cancel_at_period_end: false,
    due_at: null,
    paused_at: null,
    next_payment_attempt: null,
    ended_at: null,
    version: 0,
    created_at: now,
    updated_at: now,
  };
}

interface BilledElsewhere {
  anchorMs: number;
  /** The period that has begun. */
  period: Span;
  /** The number of the next one, counted from the anchor. */
  next: number;
}

/** The period that a former system has billed; undefined: there was none. */
function billedElsewhere(
  { billedUntil, startTime, trialDays, trialEnd }: CreateInput,
  plan: PlanRow,
  timeZone: string,
  nowMs: number,
): BilledElsewhere | undefined {
  if (billedUntil === undefined) {
    if (startTime !== undefined) throw invalid('startTime', rule('only_together', { other: 'billedUntil' }));
    return undefined;
  }
  if (trialDays !== undefined || trialEnd !== undefined) {
    throw invalid('billedUntil', rule('trial_or_billed'));
  }
  const endMs = parseTime(billedUntil, 'billedUntil');
  const anchorMs = startTime === undefined ? endMs : parseTime(startTime, 'startTime');
  const interval: Interval = { unit: plan.interval_unit, count: plan.interval_count };
  const found = periodThatEnds(endMs, { atMs: anchorMs, timeZone }, interval);
  if (found === undefined) {
    throw invalid('billedUntil', rule('billed_until_period', { planId: plan.id }));
  }
  const { startMs } = found;
  if (endMs <= nowMs || startMs > nowMs) {
    throw invalid('billedUntil', rule('billed_until_now', { time: timeOf(nowMs) }));
  }
  return { anchorMs, period: { startMs, endMs }, next: found.next };
}

function trialEndOf(
  { trialDays, trialEnd }: CreateInput,
  plan: PlanRow,
  timeZone: string,
  nowMs: number,
): number | undefined {
  if (trialEnd === undefined) {
    const days = trialDays ?? plan.trial_days;
    return days === 0 ? undefined : daysAfter(nowMs, days, timeZone);
  }
  if (trialDays !== undefined) throw invalid('trialEnd', rule('trial_by_one'));
  const endMs = parseTime(trialEnd, 'trialEnd');
  if (endMs <= nowMs || endMs > nowMs + longestTrialMs) {
    throw invalid('trialEnd', rule('trial_range', { time: timeOf(nowMs) }));
  }
  return endMs;
}

function withTerms(row: SubscriptionRow, plan: PlanRow): SubscriptionWithTerms {
  return {
    ...row,
    plan_name: plan.name,
    interval_unit: plan.interval_unit,
    interval_count: plan.interval_count,
    ...nextTermsOf(plan),
  };
}

function firstChange(before: SubscriptionWithTerms, nowMs: number): Change {
  const { state, created_at, period_end } = before;
  if (state === 'ACTIVE' && period_end === created_at) return renewalOf(before, nowMs);
  const after = withChange(before, {}, nowMs);
  const kind = state === 'TRIALING' ? 'TRIAL' : 'ELSEWHERE';
  return { before, after, atMs: nowMs, ...unbilledTime(kind, created_at, period_end) };
}
