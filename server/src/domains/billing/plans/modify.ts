import type { Static } from 'typebox';
import { requireInUse } from '../../../core/currency.ts';
import { Refusal } from '../../../core/errors.ts';
import { livemodeOfNew, requireSameMode, requireUnchangedMode } from '../../../core/livemode.ts';
import { rule } from '../../../core/refusal-rules.ts';
import type { Call } from '../../../platform/http/route.ts';
import type { Creation } from '../../../platform/http/shapes.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import type { IdempotentAnswer } from '../../../platform/postgres/idempotency-records.ts';
import { type SaveRequest, save } from '../../identity/audit/save.ts';
import { actFor } from '../../identity/tenants/act-for.ts';
import { readVisible } from '../../identity/tenants/read-visible.ts';
import type { ChannelDirectory } from '../../payments/channels/directory.ts';
import { requireAccepting } from '../../payments/channels/rules.ts';
import type { ChannelRow } from '../../payments/channels/statements.ts';
import type { BillingApp } from '../app.ts';
import { type PlanRecord, recordOf } from './record.ts';
import { requireInterval } from './rules.ts';
import type { planInput, requiredOfNewPlan } from './schema.ts';
import { insertPlan, lockPlan, type PlanRow, updatePlan } from './statements.ts';

type PlanInput = Static<typeof planInput>;
type WholePlan = Creation<PlanInput, typeof requiredOfNewPlan>;

/**
 * Creates a plan, or updates the given fields of the one with this `id`, and returns the saved row. A plan in use keeps
 * its currency and interval. A new amount, tax rate, name or channel applies from the next period on.
 */
export async function modifyPlan(
  { body: input, principal: caller, idempotencyKey }: Call<PlanInput>,
  app: BillingApp,
): Promise<IdempotentAnswer<PlanRecord>> {
  const named = await actFor(caller, input.tenantId, app.database);
  const principal = input.id === undefined ? await app.channels.actOn(input.channelId, named) : named;
  const request: SaveRequest<PlanRow, PlanRecord> = {
    type: 'plan',
    path: '/api/plan/modify',
    principal,
    idempotencyKey,
    input: { ...input, mode: principal.livemode ?? null },
    recordOf,
    answerOf: recordOf,
  };
  const { id } = input;
  if (id === undefined) {
    const plan = input as WholePlan;
    requireInterval(plan.interval, plan.intervalCount ?? 1);
    const channel = await acceptingChannel(plan, principal.tenantId, app.channels);
    const livemode = livemodeOfNew(principal, input.livemode, channel);
    const values = [principal.tenantId, ...valuesOf(plan), app.clock(), livemode];
    return save(app, request, async (transaction) => {
      requireInUse(plan.currency);
      const [after] = (await transaction.run(insertPlan, values)) as [PlanRow];
      return { before: undefined, after };
    });
  }
  return save(app, request, async (transaction) => {
    const existing = await readVisible(transaction, lockPlan, { noun: 'plan', id }, principal);
    requireUnchangedMode(input.livemode, existing.livemode);
    const { name, currency, amount, interval, state } = recordOf(existing);
    const plan: WholePlan = { name, currency, amount, interval, state, ...input };
    requireInterval(plan.interval, plan.intervalCount ?? existing.interval_count);
    if (plan.currency !== existing.currency) requireInUse(plan.currency);
    const channel = await acceptingChannel(plan, existing.tenant_id, app.channels);
    if (channel !== undefined) {
      requireSameMode(existing.livemode, channel.livemode, 'channelId', { noun: 'channel', id: channel.id });
    }
    await requireUnused(plan, existing, transaction, app);
    const values = [existing.tenant_id, id, ...valuesOf(plan, existing), app.clock()];
    const [after] = (await transaction.run(updatePlan, values)) as [PlanRow];
    return { before: existing, after };
  });
}

async function acceptingChannel(
  { channelId, currency }: WholePlan,
  tenantId: number,
  channels: ChannelDirectory,
): Promise<ChannelRow | undefined> {
  if (channelId == null) return undefined;
  const channel = await channels.findUsable(channelId, tenantId);
  requireAccepting(channel, currency);
  return channel;
}

async function requireUnused(
  input: WholePlan,
  existing: PlanRow,
  transaction: Queryable,
  { planUsages }: BillingApp,
): Promise<void> {
  const field = changedFixedField(input, existing);
  if (field === undefined || !(await planUsages.isInUse(transaction, existing))) return;
  throw new Refusal('plan_in_use', rule('plan_field_fixed'), { field });
}

/** The first changed field that a plan in use must keep. */
function changedFixedField({ currency, interval, intervalCount }: WholePlan, existing: PlanRow): string | undefined {
  if (currency !== existing.currency) return 'currency';
  if (interval !== existing.interval_unit) return 'interval';
  if ((intervalCount ?? existing.interval_count) !== existing.interval_count) return 'intervalCount';
  return undefined;
}

function valuesOf(input: WholePlan, existing?: PlanRow): unknown[] {
  return [
    input.name,
    input.currency,
    input.amount,
    input.interval,
    input.intervalCount ?? existing?.interval_count ?? 1,
    input.trialDays ?? existing?.trial_days ?? 0,
    input.channelId === undefined ? (existing?.channel_id ?? null) : input.channelId,
    input.state,
    input.taxRate === undefined ? (existing?.tax_rate ?? null) : input.taxRate,
    input.statementDescriptor === undefined ? (existing?.statement_descriptor ?? null) : input.statementDescriptor,
  ];
}
