import { refusalOfMethod, StripeMethods } from './stripe-methods.ts';
import { methodBody, newCharge, newIntent, newRefund } from './stripe-objects.ts';
import { integer, metadata, type Params, required, requireKnown, StripeProblem, text, tree } from './stripe-params.ts';
import type { Listed, SimulatedCharge, SimulatedIntent, SimulatedRefund } from './stripe-records.ts';
import {
  amountOf,
  currencyOf,
  declinesWithOwnCode,
  problem,
  requireChargeableAmount,
  requireStatus,
  snakeCase,
} from './stripe-rules.ts';

/** Without `payment_method_types`, which the pinned version of the API has no more. */
const intentParams = [
  'amount',
  'automatic_payment_methods',
  'capture_method',
  'confirm',
  'currency',
  'customer',
  'description',
  'expand',
  'mandate_data',
  'metadata',
  'off_session',
  'payment_method',
  'return_url',
  'setup_future_usage',
];

/** Payment intents, charges and refunds of one Stripe account (https://docs.stripe.com/api). */
export class StripeAccount {
  readonly intents = new Map<string, SimulatedIntent>();
  /** The successful charges: the money taken. */
  readonly charges: SimulatedCharge[] = [];
  readonly refunds: SimulatedRefund[] = [];
  readonly methods = new StripeMethods();
  /** Called for every change that Stripe sends an event for. */
  onEvent: (type: string, object: Listed) => void = () => {};
  /** Whether its objects are of the live mode. */
  livemode = false;
  /** The address below which payers authenticate. */
  pages = '';
  readonly #clock: () => number;
  readonly #declined = new Map<string, SimulatedCharge>();
  /** Where payers return to, by intent. */
  readonly #returnUrls = new Map<string, string>();

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  createIntent(params: Params): SimulatedIntent {
    requireKnown(params, intentParams);
    const confirm = text(params, 'confirm') === 'true';
    const returnUrl = text(params, 'return_url');
    if (!confirm && returnUrl !== undefined) {
      throw problem('return_url', 'The parameter return_url can only be passed when confirm is true.');
    }
    if (!confirm && text(params, 'off_session') !== undefined) {
      throw problem('off_session', 'The parameter off_session can only be passed when confirm is true.');
    }
    const token = text(params, 'payment_method');
    const method = token === undefined ? undefined : this.methods.find(token, this.#seconds(), this.livemode);
    const intent = newIntent({
      amount: amountOf(params),
      automatic_payment_methods: automaticMethods(tree(params, 'automatic_payment_methods')),
      capture_method: text(params, 'capture_method') ?? 'automatic_async',
      created: this.#seconds(),
      currency: currencyOf(params),
      customer: text(params, 'customer') ?? null,
      description: text(params, 'description') ?? null,
      livemode: this.livemode,
      metadata: metadata(params),
      payment_method: method?.id ?? null,
      setup_future_usage: text(params, 'setup_future_usage') ?? null,
      status: method === undefined ? 'requires_payment_method' : 'requires_confirmation',
    });
    if (method?.type === 'us_bank_account' && confirm) requireMandate(params);
    if (returnUrl !== undefined) this.#returnUrls.set(intent.id, returnUrl);
    this.intents.set(intent.id, intent);
    this.onEvent('payment_intent.created', intent);
    if (confirm) this.#confirm(intent, { isOffSession: text(params, 'off_session') === 'true' });
    return intent;
  }

  /** Stripe's script does this in the merchant's page, with the client secret. */
  confirmIntent(id: string, params: Params): SimulatedIntent {
    requireKnown(params, ['payment_method', 'return_url', 'expand']);
    const intent = this.intent(id);
    requireStatus(intent, 'confirm', ['requires_payment_method', 'requires_confirmation', 'requires_action']);
    const token = text(params, 'payment_method') ?? intent.payment_method;
    if (token === null) throw problem('payment_method', 'A payment method is needed to confirm.');
    intent.payment_method = this.methods.find(token, this.#seconds(), this.livemode).id;
    const returnUrl = text(params, 'return_url');
    if (returnUrl !== undefined) this.#returnUrls.set(id, returnUrl);
    this.#confirm(intent, { isOffSession: false });
    return intent;
  }

  cancelIntent(id: string, params: Params): SimulatedIntent {
    requireKnown(params, ['cancellation_reason', 'expand']);
    const intent = this.intent(id);
    const cancelable = ['requires_payment_method', 'requires_confirmation', 'requires_action', 'requires_capture'];
    requireStatus(intent, 'cancel', cancelable);
    intent.status = 'canceled';
    intent.next_action = null;
    intent.canceled_at = this.#seconds();
    intent.cancellation_reason = text(params, 'cancellation_reason') ?? null;
    this.onEvent('payment_intent.canceled', intent);
    return intent;
  }

  createRefund(params: Params): SimulatedRefund {
    requireKnown(params, ['payment_intent', 'charge', 'amount', 'metadata', 'reason', 'expand']);
    const intent = this.intent(required(params, 'payment_intent'), 400);
    const charge = this.charges.find(({ id }) => id === intent.latest_charge);
    if (charge === undefined) throw problem('payment_intent', 'This PaymentIntent has no successful charge to refund.');
    const left = charge.amount - charge.amount_refunded;
    if (left === 0) {
      const message = `Charge ${charge.id} has already been refunded.`;
      throw new StripeProblem(400, { code: 'charge_already_refunded', message });
    }
    const amount = integer(params, 'amount') ?? left;
    if (amount < 1 || amount > left) {
      throw problem('amount', `Refund amount (${amount}) is greater than unrefunded amount on charge (${left}).`);
    }
    requireChargeableAmount(amount, charge.currency);
    charge.amount_refunded += amount;
    charge.refunded = charge.amount_refunded === charge.amount;
    const { token } = this.methods.get(charge.payment_method);
    const isPending = /pendingRefund|refundFail/.test(token);
    const refund = newRefund({
      amount,
      charge: charge.id,
      created: this.#seconds(),
      currency: charge.currency,
      metadata: metadata(params),
      payment_intent: intent.id,
      payment_method: charge.payment_method,
      reason: text(params, 'reason') ?? null,
      status: isPending ? 'pending' : 'succeeded',
      ...(isPending && { pending_reason: 'processing' }),
    });
    this.refunds.push(refund);
    this.onEvent('refund.created', refund);
    return refund;
  }

  /** The latest charge of an intent, declined or not. */
  latestCharge({ latest_charge: id }: SimulatedIntent): SimulatedCharge | undefined {
    return this.charges.find((charge) => charge.id === id) ?? this.#declined.get(id ?? '');
  }

  /** Where the payer returns to from the pages of the bank. */
  returnUrlOf(id: string): string | undefined {
    return this.#returnUrls.get(id);
  }

  intent(id: string, status = 404): SimulatedIntent {
    const intent = this.intents.get(id);
    if (intent !== undefined) return intent;
    const message = `No such payment_intent: '${id}'`;
    throw new StripeProblem(status, { code: 'resource_missing', param: 'intent', message });
  }

  refund(id: string): SimulatedRefund {
    const refund = this.refunds.find((one) => one.id === id);
    if (refund !== undefined) return refund;
    throw new StripeProblem(404, { code: 'resource_missing', param: 'id', message: `No such refund: '${id}'` });
  }

  /** One page of payment intents or refunds, newest first. */
  list(all: readonly Listed[], params: Params): { data: Listed[]; has_more: boolean } {
    const created = tree(params, 'created');
    const from = integer(created, 'gte') ?? 0;
    const to = integer(created, 'lte') ?? Number.MAX_SAFE_INTEGER;
    const limit = integer(params, 'limit') ?? 10;
    if (limit < 1 || limit > 100) throw problem('limit', 'Invalid limit: must be between 1 and 100.');
    const intentId = text(params, 'payment_intent');
    const after = text(params, 'starting_after');
    const within = all
      .filter((one) => one.created >= from && one.created <= to)
      .filter((one) => intentId === undefined || ('payment_intent' in one && one.payment_intent === intentId))
      .toReversed();
    const rest = after === undefined ? within : within.slice(within.findIndex(({ id }) => id === after) + 1);
    return { data: rest.slice(0, limit), has_more: rest.length > limit };
  }

  /** The payer authenticates on the bank's page, or fails to. */
  authenticate(id: string, succeeds: boolean): SimulatedIntent {
    const intent = this.intent(id);
    requireStatus(intent, 'authenticate', ['requires_action']);
    intent.next_action = null;
    if (succeeds) this.#succeed(intent);
    else
      this.#fail(intent, 'payment_intent_authentication_failure', undefined, 'The payer could not be authenticated.');
    return intent;
  }

  /** Completes a bank debit that is `processing`. */
  settle(id: string, succeeds: boolean): void {
    const intent = this.intent(id);
    if (succeeds) this.#succeed(intent);
    else this.#fail(intent, 'payment_intent_payment_attempt_failed', undefined, 'The bank returned the payment.');
  }

  settleRefund(id: string, status: 'succeeded' | 'failed' | 'canceled'): void {
    const refund = this.refund(id);
    const isLost = ({ status: one }: SimulatedRefund) => one === 'failed' || one === 'canceled';
    const wasLost = isLost(refund);
    refund.status = status;
    const charge = this.charges.find((one) => one.id === refund.charge);
    if (charge !== undefined && isLost(refund) && !wasLost) charge.amount_refunded -= refund.amount;
    if (charge !== undefined) charge.refunded = charge.amount_refunded === charge.amount;
    delete refund.pending_reason;
    if (status === 'failed') refund.failure_reason = 'expired_or_canceled_card';
    this.onEvent(status === 'failed' ? 'refund.failed' : 'refund.updated', refund);
  }

  #confirm(intent: SimulatedIntent, { isOffSession }: { isOffSession: boolean }): void {
    const method = this.methods.get(intent.payment_method as string);
    intent.last_payment_error = null;
    const refusal = refusalOfMethod(method, intent.customer);
    if (refusal !== undefined) {
      intent.status = 'requires_payment_method';
      intent.payment_method = null;
      throw refusal.with({ payment_intent: { ...intent } });
    }
    if (intent.customer === null) method.isUsedUp = true;
    const { token } = method;
    const declined = /^pm_card_(?:visa_)?chargeDeclined(\w*)$/.exec(token);
    if (declined !== null) {
      const reason = snakeCase(declined[1] as string) || 'generic_decline';
      const code = declinesWithOwnCode.includes(reason) ? reason : 'card_declined';
      throw this.#decline(intent, code, reason, 'Your card was declined.');
    }
    const needsPayer = /threeDSecure|authenticationRequired/.test(token);
    if (needsPayer && isOffSession) {
      const code = 'authentication_required';
      throw this.#decline(intent, code, code, 'Your card was declined. This transaction requires authentication.');
    }
    if (needsPayer) {
      const page = `${this.pages}/authenticate/${intent.id}`;
      const returnUrl = this.#returnUrls.get(intent.id);
      intent.status = 'requires_action';
      intent.next_action =
        returnUrl === undefined
          ? { type: 'use_stripe_sdk', use_stripe_sdk: { type: 'three_d_secure_redirect' } }
          : { type: 'redirect_to_url', redirect_to_url: { url: page, return_url: returnUrl } };
      this.onEvent('payment_intent.requires_action', intent);
    } else if (method.type === 'us_bank_account') {
      intent.status = 'processing';
      this.onEvent('payment_intent.processing', intent);
    } else {
      this.#succeed(intent);
    }
  }

  #succeed(intent: SimulatedIntent): void {
    const method = this.methods.get(intent.payment_method as string);
    const charge = newCharge(intent, method, this.#seconds());
    this.charges.push(charge);
    intent.latest_charge = charge.id;
    intent.status = 'succeeded';
    intent.amount_received = intent.amount;
    if (intent.setup_future_usage !== null) method.customer = intent.customer;
    this.onEvent('payment_intent.succeeded', intent);
  }

  /** The answer to a request whose payment is declined. */
  #decline(intent: SimulatedIntent, code: string, declineCode: string, message: string): StripeProblem {
    const error = this.#fail(intent, code, declineCode, message);
    return new StripeProblem(402, { ...error, message, payment_intent: { ...intent } }, true);
  }

  #fail(intent: SimulatedIntent, code: string, declineCode: string | undefined, message: string) {
    const method = this.methods.get(intent.payment_method as string);
    const charge = newCharge(intent, method, this.#seconds(), { code, declineCode, message });
    this.#declined.set(charge.id, charge);
    const error = {
      type: 'card_error',
      charge: charge.id,
      code,
      ...(declineCode && { decline_code: declineCode }),
      doc_url: `https://docs.stripe.com/error-codes#${code}`,
      message,
      payment_method: methodBody(method),
    };
    intent.status = 'requires_payment_method';
    intent.payment_method = null;
    intent.latest_charge = charge.id;
    intent.last_payment_error = error;
    intent.next_action = null;
    this.onEvent('payment_intent.payment_failed', intent);
    return error;
  }

  #seconds(): number {
    return Math.floor(this.#clock() / 1_000);
  }
}

function automaticMethods(given: Params): SimulatedIntent['automatic_payment_methods'] {
  return text(given, 'enabled') === 'true' ? { allow_redirects: 'always', enabled: true } : null;
}

/** A debit that is confirmed by a server needs the payer's consent, with address and browser. */
function requireMandate(params: Params): void {
  const acceptance = tree(tree(params, 'mandate_data'), 'customer_acceptance');
  const online = tree(acceptance, 'online');
  if (text(online, 'ip_address') !== undefined && text(online, 'user_agent') !== undefined) return;
  throw new StripeProblem(400, {
    code: 'parameter_missing',
    param: 'mandate_data',
    message: "When confirming this PaymentIntent with a bank debit, mandate_data with the payer's consent is required.",
  });
}
