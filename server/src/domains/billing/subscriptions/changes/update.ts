import type { Static } from 'typebox';
import { invalid, Refusal } from '../../../../core/errors.ts';
import { requireSameMode } from '../../../../core/livemode.ts';
import { changedMetadata } from '../../../../core/metadata.ts';
import { rule } from '../../../../core/refusal-rules.ts';
import type { Call } from '../../../../platform/http/route.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import type { IdempotentAnswer } from '../../../../platform/postgres/idempotency-records.ts';
import type { Statement } from '../../../../platform/postgres/statement.ts';
import { requireAccepting } from '../../../payments/channels/rules.ts';
import type { BillingApp } from '../../app.ts';
import { findPlan, lockPlanShared, type PlanRow } from '../../plans/statements.ts';
import { defaultChannelOf } from '../channels.ts';
import { changeOfMethod, methodForSubscription } from '../methods.ts';
import { fullPeriodOf } from '../periods/period.ts';
import { type NewTerms, newTerms, requireFitsOneInvoice } from '../periods/terms.ts';
import type { SubscriptionRecord } from '../record.ts';
import { isSomethingDue } from '../renewal/invoice-lines.ts';
import { msOf, parseTime, timeOf, withChange } from '../rules.ts';
import type { updateInput } from '../schema.ts';
import { lockPayer, pendingLinesOf, type SubscriptionRow, type SubscriptionWithTerms } from '../statements.ts';
import { requireUsablePlan } from '../usable-plan.ts';
import { changeSubscription, type DecideChange } from './change-subscription.ts';

type UpdateInput = Static<typeof updateInput>;

const path = '/api/subscription/update';

/** Changes a subscription: plan and quantity with proration, end, channel, metadata. */
export function updateSubscription(
  { body: input, principal, idempotencyKey }: Call<UpdateInput>,
  app: BillingApp,
): Promise<IdempotentAnswer<SubscriptionRecord>> {
  requireAnyChange(input);
  changedMetadata(null, input);
  return changeSubscription(
    { path, action: 'subscription.update', input, idempotencyKey },
    principal,
    app,
    (transaction, row, nowMs) => changeFor(transaction, row, input, nowMs, app),
  );
}

function requireAnyChange({ id: _, ...rest }: UpdateInput): void {
  const { planId, quantity, cancelAtPeriodEnd, endTime, channelId, methodId, metadata, metadataReplace, invoiceNow } =
    rest;
  const fields = [planId, quantity, cancelAtPeriodEnd, endTime, channelId, methodId, metadata, metadataReplace];
  if (fields.every((field) => field === undefined) && invoiceNow !== true) {
    throw new Refusal('invalid_request', rule('change_something', { fields: ['planId', 'quantity'] }));
  }
}

async function changeFor(
  transaction: Queryable,
  row: SubscriptionWithTerms,
  input: UpdateInput,
  nowMs: number,
  { channels }: BillingApp,
): ReturnType<DecideChange> {
  if (input.channelId != null) {
    const channel = await channels.findUsable(input.channelId, row.tenant_id);
    requireSameMode(row.livemode, channel.livemode, 'channelId', { noun: 'channel', id: input.channelId });
    requireAccepting(channel, row.currency);
  }
  const methodId = await methodIdFor(transaction, row, input.methodId);
  const terms = await termsFor(transaction, row, input, nowMs);
  const metadata = changedMetadata(row.metadata, input);
  if (input.channelId === null) await requireDefaultChannel(transaction, row, terms.to.plan_id ?? row.plan_id);
  const pending = await pendingLinesOf(transaction, [row]);
  if (terms.lines.length > 0) requireFitsOneInvoice(row, pending, terms);
  const to: Partial<SubscriptionRow> = {
    ...terms.to,
    ...(input.endTime !== undefined && { end_at: endTimeFor(row, input.endTime, nowMs) }),
    ...(input.cancelAtPeriodEnd !== undefined && {
      cancel_at_period_end: cancelAtPeriodEndFor(row, input.cancelAtPeriodEnd),
    }),
    ...(input.channelId !== undefined && { channel_id: input.channelId }),
    ...(methodId !== undefined && { method_id: methodId }),
    ...(metadata !== undefined && { metadata }),
  };
  return {
    before: row,
    after: withChange(row, to, nowMs),
    lines: terms.lines,
    ...(methodId !== undefined && (await changeOfMethod(transaction, row, methodId, nowMs))),
    ...(input.invoiceNow === true &&
      isSomethingDue([...pending, ...terms.lines]) && { invoice: { period: undefined } }),
  };
}

/** The UUID of the method that the subscription shall name; null: the customer's default; undefined: no change. */
async function methodIdFor(
  transaction: Queryable,
  { tenant_id: tenantId, customer_id: customerId }: SubscriptionWithTerms,
  methodId: string | null | undefined,
): Promise<string | null | undefined> {
  if (methodId == null) return methodId;
  return (await methodForSubscription(transaction, methodId, { tenantId, customerId })).id;
}

/** Refuses to clear the channel when neither the plan nor the customer has one: the next payment would fail. */
async function requireDefaultChannel(
  transaction: Queryable,
  row: SubscriptionWithTerms,
  planId: number,
): Promise<void> {
  const [plan] = await transaction.run(findPlan, [row.tenant_id, planId]);
  const [payer] = await transaction.run(lockPayer, [row.tenant_id, row.customer_id]);
  if (plan !== undefined && payer !== undefined) defaultChannelOf(plan, payer);
}

type RequestedTerms = Pick<UpdateInput, 'planId' | 'quantity' | 'atPeriodEnd' | 'prorate'>;

/** The requested change of terms; empty when neither plan nor quantity is given. */
export async function termsFor(
  database: Queryable,
  row: SubscriptionWithTerms,
  input: RequestedTerms,
  nowMs: number,
  read: Statement<PlanRow> = lockPlanShared,
): Promise<NewTerms> {
  if (input.planId === undefined && input.quantity === undefined) return { to: {}, lines: [] };
  const plan =
    input.planId === undefined
      ? undefined
      : await requireUsablePlan(database, { tenantId: row.tenant_id, livemode: row.livemode }, input.planId, read);
  return newTerms(row, plan, input, nowMs);
}

/** Refuses to shorten or extend a period that has begun. */
function endTimeFor(row: SubscriptionWithTerms, endTime: string | null, nowMs: number): string | null {
  const isShortened =
    row.state !== 'PAUSED' && row.end_at === row.period_end && fullPeriodOf(row).endMs > msOf(row.period_end);
  if (isShortened) {
    throw new Refusal('subscription_fixed', rule('last_period_priced'), {
      field: 'endTime',
    });
  }
  if (endTime === null) return null;
  const endMs = parseTime(endTime, 'endTime');
  const leastMs = Math.max(msOf(row.period_end), nowMs);
  if (endMs < leastMs) {
    throw invalid('endTime', rule('not_before_time', { time: timeOf(leastMs) }));
  }
  return timeOf(endMs);
}

/** Refused for a paused subscription, because it has no period end at which it could be cancelled. */
export function cancelAtPeriodEndFor({ state }: SubscriptionWithTerms, cancelAtPeriodEnd: boolean): boolean {
  if (state !== 'PAUSED') return cancelAtPeriodEnd;
  throw new Refusal('subscription_fixed', rule('paused_cancel'), {
    field: 'cancelAtPeriodEnd',
    details: { state },
  });
}
