import { maximumAmount } from '../../../../core/currency.ts';
import { invalid, Refusal } from '../../../../core/errors.ts';
import { rule } from '../../../../core/refusal-rules.ts';
import type { PlanRow } from '../../plans/statements.ts';
import type { ChangeLine } from '../renewal/invoice-lines.ts';
import type { SubscriptionWithTerms } from '../statements.ts';
import { periodPrice, prorateTerms } from './period.ts';

export interface TermsInput {
  quantity?: number | undefined;
  atPeriodEnd?: boolean | undefined;
  prorate?: boolean | undefined;
}

/**
 * A change of plan or quantity: the new fields of the subscription, and the credit and the debit for the rest of its
 * period.
 */
export interface NewTerms {
  to: Partial<SubscriptionWithTerms>;
  lines: ChangeLine[];
}

/**
 * Applies another plan, another quantity, or both. By default the change takes effect at once: the rest of an invoiced
 * period is credited at the old price and charged at the new one. It takes effect with the next period when
 * `atPeriodEnd` is set or the new plan has another interval. During a trial nothing is prorated.
 */
export function newTerms(
  row: SubscriptionWithTerms,
  plan: PlanRow | undefined,
  input: TermsInput,
  nowMs: number,
): NewTerms {
  const { quantity = row.quantity, atPeriodEnd = false, prorate = true } = input;
  requireChangeable(row, plan);
  const nextUnitAmount = plan?.amount ?? row.next_unit_amount;
  // Both throw when the price exceeds the maximum.
  periodPrice(nextUnitAmount, quantity);
  periodPrice(nextUnitAmount, scheduledQuantity(row, input) ?? quantity);
  const nextTerms = plan === undefined ? {} : nextTermsOf(plan);
  if (row.state === 'TRIALING') return { to: { ...immediateTerms(row, plan, input), ...nextTerms }, lines: [] };
  const hasNewInterval =
    plan !== undefined && (plan.interval_unit !== row.interval_unit || plan.interval_count !== row.interval_count);
  if (atPeriodEnd || hasNewInterval) {
    const next_plan_id = plan === undefined ? row.next_plan_id : plan.id === row.plan_id ? null : plan.id;
    const next_quantity =
      input.quantity === undefined ? scheduledQuantity(row, input) : quantity === row.quantity ? null : quantity;
    return { to: { next_plan_id, next_quantity, ...nextTerms }, lines: [] };
  }
  const to = immediateTerms(row, plan, input);
  return { to: { ...to, ...nextTerms }, lines: prorate ? prorationLines(row, to, nowMs) : [] };
}

function requireChangeable({ state, currency }: SubscriptionWithTerms, plan: PlanRow | undefined): void {
  if (state !== 'TRIALING' && state !== 'ACTIVE') {
    const name = state === 'PAUSED' ? 'subscription_paused' : 'subscription_unpaid';
    throw new Refusal('subscription_fixed', rule(name, { state }));
  }
  if (plan !== undefined && plan.currency !== currency) {
    throw invalid('planId', rule('plan_of_currency', { currency, otherCurrency: plan.currency }));
  }
}

/** The quantity scheduled for the next period. A request without a quantity keeps it. */
function scheduledQuantity({ next_quantity }: SubscriptionWithTerms, { quantity }: TermsInput): number | null {
  return quantity === undefined ? next_quantity : null;
}

interface Terms {
  plan_id: number;
  plan_name: string;
  quantity: number;
  unit_amount: number;
  tax_rate: number | null;
  next_quantity: number | null;
}

/**
 * The amount and tax rate of another plan take effect at once; new ones of the same plan take effect with the next
 * period.
 */
function immediateTerms(row: SubscriptionWithTerms, plan: PlanRow | undefined, input: TermsInput) {
  const isAnother = plan !== undefined && plan.id !== row.plan_id;
  return {
    plan_id: plan?.id ?? row.plan_id,
    plan_name: plan?.name ?? row.plan_name,
    quantity: input.quantity ?? row.quantity,
    unit_amount: isAnother ? plan.amount : row.unit_amount,
    tax_rate: isAnother ? plan.tax_rate : row.tax_rate,
    next_quantity: scheduledQuantity(row, input),
    ...(plan !== undefined && {
      next_plan_id: null,
      interval_unit: plan.interval_unit,
      interval_count: plan.interval_count,
    }),
  } satisfies Terms & Partial<SubscriptionWithTerms>;
}

function prorationLines(row: SubscriptionWithTerms, to: Terms, nowMs: number): NewTerms['lines'] {
  const { credit, debit } = prorateTerms(row, periodPrice(to.unit_amount, to.quantity), nowMs);
  if (to.plan_id === row.plan_id && to.quantity === row.quantity) return [];
  return [
    { description: `Unused time of ${row.quantity} × ${row.plan_name}`, amount: 0 - credit, tax_rate: row.tax_rate },
    { description: `Remaining time of ${to.quantity} × ${to.plan_name}`, amount: debit, tax_rate: to.tax_rate },
  ].filter(({ amount }) => amount !== 0);
}

/** Refuses a change whose credits and charges, together with the next period, exceed the maximum of an invoice. */
export function requireFitsOneInvoice(
  row: SubscriptionWithTerms,
  pending: readonly Pick<ChangeLine, 'amount' | 'tax_rate'>[],
  { lines, to }: NewTerms,
): void {
  const price = (to.next_unit_amount ?? row.next_unit_amount) * (to.next_quantity ?? to.quantity ?? row.quantity);
  const nextRate = to.next_tax_rate === undefined ? row.next_tax_rate : to.next_tax_rate;
  const sum = [...pending, ...lines, { amount: price, tax_rate: nextRate }].reduce(
    (all, { amount, tax_rate }) => all + Math.abs(amount) * (1 + (tax_rate ?? 0) / 10_000),
    0,
  );
  if (sum <= maximumAmount) return;
  throw invalid('quantity', rule('changes_too_much', { limit: maximumAmount }));
}

/** The terms of the next period under this plan. */
export function nextTermsOf(plan: PlanRow) {
  return {
    next_plan_name: plan.name,
    next_unit_amount: plan.amount,
    next_tax_rate: plan.tax_rate,
    next_interval_unit: plan.interval_unit,
    next_interval_count: plan.interval_count,
    next_plan_channel_id: plan.channel_id,
  };
}
