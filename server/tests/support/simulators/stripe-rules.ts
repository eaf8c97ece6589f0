import { randomBytes } from 'node:crypto';
import { integer, type Params, required, StripeProblem } from './stripe-params.ts';

/** Declines that have a code of their own (https://docs.stripe.com/testing, Declined payments). */
export const declinesWithOwnCode = ['expired_card', 'incorrect_cvc', 'incorrect_number', 'processing_error'];
const withoutDecimals = 'bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf'.split(' ');

export function amountOf(params: Params): number {
  const amount = integer(params, 'amount') ?? Number(required(params, 'amount'));
  const currency = currencyOf(params);
  if (amount < (withoutDecimals.includes(currency) ? 1 : 50)) {
    throw new StripeProblem(400, {
      code: 'amount_too_small',
      param: 'amount',
      message: 'Amount must be at least 0.50.',
    });
  }
  if (amount > 999_999_999_999) {
    throw new StripeProblem(400, { code: 'amount_too_large', param: 'amount', message: 'Amount must be no more.' });
  }
  requireChargeableAmount(amount, currency);
  return amount;
}

/** https://docs.stripe.com/currencies, Special cases and Three-decimal currencies. */
export function requireChargeableAmount(amount: number, currency: string): void {
  const step = ['isk', 'ugx'].includes(currency)
    ? 100
    : ['bhd', 'jod', 'kwd', 'omr', 'tnd'].includes(currency)
      ? 10
      : 1;
  if (amount % step === 0) return;
  const code = 'invalid_charge_amount_no_decimal_compatible';
  throw new StripeProblem(400, { code, param: 'amount', message: `Invalid amount for ${currency}.` });
}

export function currencyOf(params: Params): string {
  const currency = required(params, 'currency');
  if (/^[a-z]{3}$/.test(currency) && currency !== 'xxx') return currency;
  throw problem('currency', `Invalid currency: ${currency}.`);
}

export function requirePaymentMethod(method: string): void {
  if (/^pm_(card|usBankAccount)_?\w*$/.test(method)) return;
  const message = `No such PaymentMethod: '${method}'`;
  throw new StripeProblem(400, { code: 'resource_missing', param: 'payment_method', message });
}

export function requireStatus(intent: { status: string }, verb: string, statuses: readonly string[]): void {
  if (statuses.includes(intent.status)) return;
  throw new StripeProblem(400, {
    code: 'payment_intent_unexpected_state',
    message: `You cannot ${verb} this PaymentIntent because it has a status of ${intent.status}.`,
    payment_intent: { ...intent },
  });
}

export function problem(param: string, message: string): StripeProblem {
  return new StripeProblem(400, { param, message });
}

/** InsufficientFunds → insufficient_funds */
export function snakeCase(name: string): string {
  return name.replace(/(?<!^)([A-Z])/g, '_$1').toLowerCase();
}

export function randomId(): string {
  return randomBytes(12).toString('hex');
}
