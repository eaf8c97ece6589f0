import type { Static } from 'typebox';
import { dayMs } from '../../../core/clock.ts';
import { invalid, notFound, Refusal } from '../../../core/errors.ts';
import { metadataJson } from '../../../core/metadata.ts';
import type { Principal } from '../../../core/principal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { answerOnce, requestHash } from '../../../platform/postgres/idempotency-records.ts';
import type { Statement } from '../../../platform/postgres/statement.ts';
import { readCustomer } from '../customers/read.ts';
import { lockPlanShared, type PlanRow } from '../plans/statements.ts';
import { daysAfter, isTimeZone } from './calendar.ts';
import { defaultChannelOf, lockPayer, type Payer, parseTime, requireChannel, type SubscriptionDeps } from './payer.ts';
import { recordOf, type SubscriptionRecord } from './record.ts';
import { renewalOf } from './renew.ts';
import { periodPrice, timeOf, withChange } from './rules.ts';
import type { createInput } from './schema.ts';
import {
  insertSubscription,
  nextSubscriptionId,
  type SubscriptionRow,
  type SubscriptionWithTerms,
} from './statements.ts';
import { type Change, unbilledTime, writeChanges } from './write-changes.ts';

type CreateInput = Static<typeof createInput>;

export interface SubscriptionReply {
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
): Promise<SubscriptionReply> {
  metadataJson(input.metadata);
  const { tenant_id: tenantId } = await readCustomer(deps.database, input.customerId, principal, 'customerId');
  const work = (transaction: Queryable) => subscribe(transaction, input, { tenantId, userId: principal.userId }, deps);
  const { answer, replayed } =
    idempotencyKey === undefined
      ? { answer: await deps.database.transaction(work), replayed: false }
      : await answerOnce(
          deps.database,
          { tenantId, path, key: idempotencyKey, hash: requestHash(input), nowMs: deps.clock() },
          work,
        );
  return { record: answer, replayed };
}

async function subscribe(
  transaction: Queryable,
  input: CreateInput,
  owner: Owner,
  deps: SubscriptionDeps,
): Promise<SubscriptionRecord> {
  const { tenantId } = owner;
  const [payer] = await transaction.run(lockPayer, [tenantId, input.customerId]);
  if (payer === undefined) throw notFound('customer', input.customerId, 'customerId');
  const plan = await requireUsablePlan(transaction, tenantId, input.planId);
  const channelId = input.channelId ?? defaultChannelOf(plan, payer);
  await requireChannel(deps.channels, channelId, tenantId, plan.currency);
  const nowMs = payer.clock_now === null ? deps.clock() : Date.parse(payer.clock_now);
  const [{ id }] = (await transaction.run(nextSubscriptionId)) as [{ id: number }];
  const row = rowOf(input, owner, plan, payer, id, nowMs);
  await transaction.run(insertSubscription, [JSON.stringify(row)]);
  const change = { ...firstChange(withTerms(row, plan), nowMs), news: 'subscription.created' } as const;
  await writeChanges(transaction, [change], deps);
  return recordOf(change.after);
}

/** A plan that can be subscribed to, kept from changing meanwhile (or not, where nothing is written). */
export async function requireUsablePlan(
  database: Queryable,
  tenantId: number,
  planId: number,
  look: Statement<PlanRow> = lockPlanShared,
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
  periodPrice(plan.amount, quantity);
  if (!isTimeZone(timeZone)) throw invalid('timeZone', 'timeZone must be a name of IANA, such as Europe/Zurich.');
  const trialEndMs = trialEndOf(input, plan, timeZone, nowMs);
  const endMs = input.endTime === undefined ? undefined : parseTime(input.endTime, 'endTime');
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
  const endMs = parseTime(trialEnd, 'trialEnd');
  if (endMs <= nowMs || endMs > nowMs + longestTrialMs) {
    throw invalid('trialEnd', `trialEnd must be after now, ${timeOf(nowMs)}, and at most 730 days ahead.`);
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

/** The terms of the next period, where they are those of this plan. */
export function nextTermsOf(plan: PlanRow) {
  return {
    next_plan_name: plan.name,
    next_unit_amount: plan.amount,
    next_interval_unit: plan.interval_unit,
    next_interval_count: plan.interval_count,
    next_plan_channel_id: plan.channel_id,
  };
}

function firstChange(before: SubscriptionWithTerms, nowMs: number): Change {
  if (before.state !== 'TRIALING') return renewalOf(before, nowMs);
  const after = withChange(before, {}, nowMs);
  return { before, after, atMs: nowMs, ...unbilledTime('TRIAL', before.period_start, before.period_end) };
}
