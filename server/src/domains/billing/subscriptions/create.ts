import type { Static } from 'typebox';
import { dayMs } from '../../../core/clock.ts';
import { invalid, notFound, Refusal } from '../../../core/errors.ts';
import { metadataJson } from '../../../core/metadata.ts';
import type { Principal } from '../../../core/principal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { answerOnce } from '../../../platform/postgres/idempotency-records.ts';
import type { Statement } from '../../../platform/postgres/statement.ts';
import { readCustomer } from '../customers/read.ts';
import { holdPlan, type PlanRow } from '../plans/statements.ts';
import { daysAfter, isTimeZone } from './calendar.ts';
import { type Change, freeTime, writeChanges } from './change.ts';
import { demandChannel, holdPayer, momentOf, type Payer, type SubscriptionDeps, usualChannelOf } from './payer.ts';
import { recordOf, type SubscriptionRecord } from './record.ts';
import { changeOf } from './renew.ts';
import { changed, priceFor, timeOf } from './rules.ts';
import type { createInput } from './schema.ts';
import { type HeldSubscription, insertSubscription, nextSubscriptionId, type SubscriptionRow } from './statements.ts';

type CreateInput = Static<typeof createInput>;

export interface Answered {
  record: SubscriptionRecord;
  replayed: boolean;
}

/** A subscription is its customer's tenant's, whoever makes it. */
interface Owner {
  tenantId: number;
  userId: number;
}

const path = '/api/subscription/create';
const longestTrialMs = 730 * dayMs;

/**
 * Subscribes a customer to a plan. With a trial the first period begins when that ends; else it begins now and is invoiced in
 * the same transaction. The invoice is paid a moment later.
 */
export async function createSubscription(
  input: CreateInput,
  principal: Principal,
  deps: SubscriptionDeps,
  idempotencyKey?: string,
): Promise<Answered> {
  metadataJson(input.metadata);
  const { tenant_id: tenantId } = await readCustomer(deps.database, input.customerId, principal, 'customerId');
  const work = (transaction: Queryable) => subscribe(transaction, input, { tenantId, userId: principal.userId }, deps);
  const request = { tenantId, path, key: idempotencyKey, input, nowMs: deps.clock() };
  const { answer, replayed } = await answerOnce(deps.database, request, work);
  return { record: answer, replayed };
}

async function subscribe(
  transaction: Queryable,
  input: CreateInput,
  owner: Owner,
  deps: SubscriptionDeps,
): Promise<SubscriptionRecord> {
  const { tenantId } = owner;
  const [payer] = await transaction.run(holdPayer, [tenantId, input.customerId]);
  if (payer === undefined) throw notFound('customer', input.customerId, 'customerId');
  const plan = await usablePlan(transaction, tenantId, input.planId);
  const channelId = input.channelId ?? usualChannelOf(plan, payer);
  await demandChannel(deps.channels, channelId, tenantId, plan.currency);
  const nowMs = payer.clock_now === null ? deps.clock() : Date.parse(payer.clock_now);
  const [{ id }] = (await transaction.run(nextSubscriptionId)) as [{ id: number }];
  const row = rowOf(input, owner, plan, payer, id, nowMs);
  await transaction.run(insertSubscription, [JSON.stringify(row)]);
  const change = { ...firstChange(heldOf(row, plan), nowMs), news: 'subscription.created' } as const;
  await writeChanges(transaction, [change], deps);
  return recordOf(change.after);
}

/** A plan that can be subscribed to, kept from changing meanwhile (or not, where nothing is written). */
export async function usablePlan(
  database: Queryable,
  tenantId: number,
  planId: number,
  look: Statement<PlanRow> = holdPlan,
): Promise<PlanRow> {
  const [plan] = await database.run(look, [tenantId, planId]);
  if (plan === undefined) throw notFound('plan', planId, 'planId');
  if (!plan.state) {
    throw new Refusal('plan_inactive', 'Nobody can subscribe to this plan: it is switched off.', { field: 'planId' });
  }
  return plan;
}

/** The subscription before its first change: nothing has begun yet. */
function rowOf(
  input: CreateInput,
  { tenantId, userId }: Owner,
  plan: PlanRow,
  payer: Payer,
  id: number,
  nowMs: number,
): SubscriptionRow {
  const { quantity = 1, timeZone = 'UTC' } = input;
  priceFor(plan.amount, quantity);
  if (!isTimeZone(timeZone)) throw invalid('timeZone', 'timeZone must be a name of IANA, such as Europe/Zurich.');
  const trialEndMs = trialEndOf(input, plan, timeZone, nowMs);
  const endMs = input.endTime === undefined ? undefined : momentOf(input.endTime, 'endTime');
  const firstMs = trialEndMs ?? nowMs;
  if (endMs !== undefined && endMs <= firstMs) {
    throw invalid('endTime', `endTime must be after the first period begins, ${timeOf(firstMs)}.`);
  }
  const now = timeOf(nowMs);
  return {
    tenant_id: tenantId,
    id,
    customer_id: input.customerId,
    plan_id: plan.id,
    quantity,
    unit_amount: plan.amount,
    currency: plan.currency,
    next_plan_id: null,
    next_quantity: null,
    channel_id: input.channelId ?? null,
    time_zone: timeZone,
    metadata: (input.metadata as Record<string, unknown> | undefined) ?? null,
    user_id: userId,
    clock_id: payer.clock_id ?? 0,
    state: trialEndMs === undefined ? 'ACTIVE' : 'TRIALING',
    anchor_at: timeOf(firstMs),
    next_number: 0,
    period_start: now,
    period_end: timeOf(firstMs),
    trial_end: trialEndMs === undefined ? null : timeOf(trialEndMs),
    end_at: endMs === undefined ? null : timeOf(endMs),
    cancel_at_period_end: false,
    due_at: null,
    paused_at: null,
    ended_at: null,
    version: 0,
    created_at: now,
    updated_at: now,
  };
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
  if (trialDays !== undefined) throw invalid('trialEnd', 'Name either trialDays or trialEnd, not both.');
  const endMs = momentOf(trialEnd, 'trialEnd');
  if (endMs <= nowMs || endMs > nowMs + longestTrialMs) {
    throw invalid('trialEnd', `trialEnd must be after now, ${timeOf(nowMs)}, and at most 730 days ahead.`);
  }
  return endMs;
}

function heldOf(row: SubscriptionRow, plan: PlanRow): HeldSubscription {
  return {
    ...row,
    plan_name: plan.name,
    interval_unit: plan.interval_unit,
    interval_count: plan.interval_count,
    ...comingOf(plan),
  };
}

/** The terms of the next period, where they are those of this plan. */
export function comingOf(plan: PlanRow) {
  return {
    coming_name: plan.name,
    coming_amount: plan.amount,
    coming_unit: plan.interval_unit,
    coming_count: plan.interval_count,
    coming_channel_id: plan.channel_id,
  };
}

function firstChange(before: HeldSubscription, nowMs: number): Change {
  if (before.state !== 'TRIALING') return changeOf(before, nowMs);
  const after = changed(before, {}, nowMs);
  return { before, after, atMs: nowMs, ...freeTime('TRIAL', before.period_start, before.period_end) };
}
