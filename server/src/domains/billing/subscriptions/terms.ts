import { maximumAmount } from '../../../core/currency.ts';
import { invalid, Refusal } from '../../../core/errors.ts';
import type { PlanRow } from '../plans/statements.ts';
import { nextTermsOf } from './create.ts';
import { periodPrice, prorateTerms } from './rules.ts';
import type { SubscriptionWithTerms } from './statements.ts';

export interface TermsInput {
  quantity?: number | undefined;
  atPeriodEnd?: boolean | undefined;
  prorate?: boolean | undefined;
}

/** What new terms come to: how the subscription goes on, and what is given back and charged for the rest of its period. */
export interface NewTerms {
  to: Partial<SubscriptionWithTerms>;
  lines: { description: string; amount: number }[];
}

/**
 * New terms: another plan, another quantity, or both. They hold at once, and in a period that has been invoiced its rest is
 * given back at the old price and charged at the new one; or, where that is asked for and where the new plan counts by other
 * periods, from the next period on. In a trial there is nothing to give back.
 */
export function newTerms(
  row: SubscriptionWithTerms,
  plan: PlanRow | undefined,
  input: TermsInput,
  nowMs: number,
): NewTerms {
  const { quantity = row.quantity, atPeriodEnd = false, prorate = true } = input;
  requireChangeable(row, plan);
  const comingAmount = plan?.amount ?? row.next_unit_amount;
  periodPrice(comingAmount, quantity);
  periodPrice(comingAmount, scheduledQuantity(row, input) ?? quantity);
  const coming = plan === undefined ? {} : nextTermsOf(plan);
  if (row.state === 'TRIALING') return { to: { ...immediateTerms(row, plan, input), ...coming }, lines: [] };
  const hasNewInterval =
    plan !== undefined && (plan.interval_unit !== row.interval_unit || plan.interval_count !== row.interval_count);
  if (atPeriodEnd || hasNewInterval) {
    const next_plan_id = plan === undefined ? row.next_plan_id : plan.id === row.plan_id ? null : plan.id;
    const next_quantity =
      input.quantity === undefined ? scheduledQuantity(row, input) : quantity === row.quantity ? null : quantity;
    return { to: { next_plan_id, next_quantity, ...coming }, lines: [] };
  }
  const to = immediateTerms(row, plan, input);
  return { to: { ...to, ...coming }, lines: prorate ? prorationLines(row, to, nowMs) : [] };
}

function requireChangeable({ state, currency }: SubscriptionWithTerms, plan: PlanRow | undefined): void {
  if (state !== 'TRIALING' && state !== 'ACTIVE') {
    const remedy = state === 'PAUSED' ? 'resume it first' : 'its plan and quantity stay until it has been paid';
    throw new Refusal('subscription_fixed', `This subscription is ${state}: ${remedy}.`, { details: { state } });
  }
  if (plan !== undefined && plan.currency !== currency) {
    throw invalid(
      'planId',
      `planId must name a plan in ${currency}, as this subscription is; that one is in ${plan.currency}.`,
    );
  }
}

/** The quantity that was put off until the period ends: it stays so unless another is named. */
function scheduledQuantity({ next_quantity }: SubscriptionWithTerms, { quantity }: TermsInput): number | null {
  return quantity === undefined ? next_quantity : null;
}

interface Terms {
  plan_id: number;
  plan_name: string;
  quantity: number;
  unit_amount: number;
  next_quantity: number | null;
}

/** A plan's own new amount holds from the next period on; that of another plan at once. */
function immediateTerms(row: SubscriptionWithTerms, plan: PlanRow | undefined, input: TermsInput) {
  const isAnother = plan !== undefined && plan.id !== row.plan_id;
  return {
    plan_id: plan?.id ?? row.plan_id,
    plan_name: plan?.name ?? row.plan_name,
    quantity: input.quantity ?? row.quantity,
    unit_amount: isAnother ? plan.amount : row.unit_amount,
    next_quantity: scheduledQuantity(row, input),
    ...(plan !== undefined && {
      next_plan_id: null,
      interval_unit: plan.interval_unit,
      interval_count: plan.interval_count,
    }),
  } satisfies Terms & Partial<SubscriptionWithTerms>;
}

function prorationLines(row: SubscriptionWithTerms, to: Terms, nowMs: number): NewTerms['lines'] {
  const { credit, charge } = prorateTerms(row, periodPrice(to.unit_amount, to.quantity), nowMs);
  if (to.plan_id === row.plan_id && to.quantity === row.quantity) return [];
  return [
    { description: `Unused time of ${row.quantity} × ${row.plan_name}`, amount: 0 - credit },
    { description: `Remaining time of ${to.quantity} × ${to.plan_name}`, amount: charge },
  ].filter(({ amount }) => amount !== 0);
}

/** What has been gathered must fit on one invoice with the period after it. */
export function requireFitsOneInvoice(
  row: SubscriptionWithTerms,
  pending: readonly { amount: number }[],
  { lines, to }: NewTerms,
): void {
  const price = (to.next_unit_amount ?? row.next_unit_amount) * (to.next_quantity ?? to.quantity ?? row.quantity);
  const sum = [...pending, ...lines].reduce((all, { amount }) => all + Math.abs(amount), price);
  if (sum <= maximumAmount) return;
  throw invalid('quantity', `What has been changed comes to more than ${maximumAmount} minor units on one invoice.`);
}
