import { randomBytes } from 'node:crypto';
import { integer, type Params, required, StripeProblem, text, tree } from './stripe-params.ts';

/** Declines that have a code of their own (https://docs.stripe.com/testing, Declined payments). */
export const declinesWithOwnCode = ['expired_card', 'incorrect_cvc', 'incorrect_number', 'processing_error'];
const withoutDecimals = 'bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf'.split(' ');

/**
 * In Stripe's unit (https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts). They hold for an account
 * that settles in the currency of the charge; for all other currencies half a dollar's worth is required.
 */
export const minimumAmounts: Readonly<Record<string, number>> = {
  aed: 200,
  aud: 50,
  brl: 50,
  cad: 50,
  chf: 50,
  czk: 1_500,
  dkk: 250,
  eur: 50,
  gbp: 30,
  hkd: 400,
  huf: 17_500,
  inr: 50,
  jpy: 50,
  mxn: 1_000,
  myr: 200,
  nok: 300,
  nzd: 50,
  pln: 200,
  ron: 200,
  sek: 300,
  sgd: 50,
  thb: 1_000,
  usd: 50,
};

export function amountOf(params: Params): number {
  const amount = integer(params, 'amount') ?? Number(required(params, 'amount'));
  const currency = currencyOf(params);
  const minimum = minimumAmounts[currency] ?? (withoutDecimals.includes(currency) ? 1 : 50);
  if (amount < minimum) {
    const message = `Amount must be at least ${minimum} ${currency}.`;
    throw new StripeProblem(400, { code: 'amount_too_small', param: 'amount', message });
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

/**
 * What stands on the payer's statement, and who can pay: https://docs.stripe.com/get-started/account/statement-descriptors,
 * https://support.stripe.com/questions/use-of-the-statement-descriptor-parameter-on-paymentintents-for-card-charges
 */
export function statementOf(params: Params) {
  const allowed = Object.values(tree(params, 'allowed_payment_method_types')).map(String);
  const payment_method_types = allowed.length > 0 ? allowed : ['card', 'us_bank_account'];
  const [whole, suffix] = [text(params, 'statement_descriptor'), text(params, 'statement_descriptor_suffix')];
  for (const [param, given] of [
    ['statement_descriptor', whole],
    ['statement_descriptor_suffix', suffix],
  ] as const) {
    if (given === undefined || /^[^<>\\'"*]{0,21}[A-Za-z][^<>\\'"*]{0,21}$/.test(given)) continue;
    throw problem(param, 'The statement descriptor contains invalid characters, or no letter.');
  }
  if (whole !== undefined && payment_method_types.includes('card')) {
    const message =
      'The statement_descriptor parameter is not supported for the payment_method_type `card`. To continue ' +
      'supporting payment_method_type `card`, please pass in `statement_descriptor_suffix`.';
    throw problem('statement_descriptor', message);
  }
  return {
    allowed_payment_method_types: allowed.length > 0 ? allowed : null,
    payment_method_types,
    statement_descriptor: whole ?? null,
    statement_descriptor_suffix: suffix ?? null,
  };
}

export function requireStatus(intent: { status: string }, verb: string, statuses: readonly string[]): void {
  if (statuses.includes(intent.status)) return;
  throw new StripeProblem(400, {
    code: 'payment_intent_unexpected_state',
    message: `You cannot ${verb} this PaymentIntent because it has a status of ${intent.status}.`,
    payment_intent: { ...intent },
  });
}

/** A debit that is confirmed by a server needs the payer's consent, with address and browser. */
export function requireMandate(params: Params): void {
  const acceptance = tree(tree(params, 'mandate_data'), 'customer_acceptance');
  const online = tree(acceptance, 'online');
  if (text(online, 'ip_address') !== undefined && text(online, 'user_agent') !== undefined) return;
  throw new StripeProblem(400, {
    code: 'parameter_missing',
    param: 'mandate_data',
    message: "When confirming an intent with a bank debit, mandate_data with the payer's consent is required.",
  });
}

/** https://docs.stripe.com/api/checkout/sessions/object#checkout_session_object-payment_intent */
export function ofSession(code: string, name: string): StripeProblem {
  const message = `You cannot cancel the ${name} of a Checkout Session. Expire the Checkout Session instead.`;
  return new StripeProblem(400, { code, message });
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
