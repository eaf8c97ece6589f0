import { StripeCustomers } from './stripe-customers.ts';
import { StripeDisputes } from './stripe-disputes.ts';
import type { SimulatedEndpoint } from './stripe-endpoints.ts';
import { methodBody } from './stripe-method-objects.ts';
import { debits, refusalOfMethod, StripeMethods } from './stripe-methods.ts';
import { newCharge, newIntent, newRefund } from './stripe-objects.ts';
import { attemptOf, type Declined, declineError } from './stripe-outcomes.ts';
import {
  automaticMethods,
  integer,
  metadata,
  type Params,
  required,
  requireKnown,
  StripeProblem,
  text,
  tree,
} from './stripe-params.ts';
import type { Listed, SimulatedCharge, SimulatedIntent, SimulatedMethod, SimulatedRefund } from './stripe-records.ts';
import {
  amountOf,
  currencyOf,
  ofSession,
  problem,
  randomId,
  requireChargeableAmount,
  requireMandate,
  requireStatus,
  statementOf,
} from './stripe-rules.ts';
import { StripeSessions } from './stripe-sessions.ts';
import { StripeSetups } from './stripe-setups.ts';
import type { StripeWorld } from './stripe-world.ts';

/** Without `payment_method_types`, which the pinned version of the API has no more. */
const intentParams = [
  'allowed_payment_method_types',
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
  'payment_method_options',
  'return_url',
  'setup_future_usage',
  'statement_descriptor',
  'statement_descriptor_suffix',
];

/** What an intent shows of the options that were asked for: none, or those of cards. */
function cardOptions(given: Params): Record<string, unknown> {
  const multicapture = text(tree(given, 'card'), 'request_multicapture');
  if (multicapture === undefined) return {};
  const card = { installments: null, mandate_options: null, network: null, request_three_d_secure: 'automatic' };
  return { card: { ...card, request_multicapture: multicapture } };
}

/** Several captures are a setting of the account; here every card may be captured again that asks for it. */
const mayCaptureAgain = ({ payment_method_options: { card } }: SimulatedIntent) =>
  (card as { request_multicapture?: string } | undefined)?.request_multicapture === 'if_available';

/** One Stripe account: payment intents, charges, refunds, customers and payment methods (https://docs.stripe.com/api). */
export class StripeAccount implements StripeWorld {
  readonly intents = new Map<string, SimulatedIntent>();
  /** The successful charges: the money taken. */
  readonly charges: SimulatedCharge[] = [];
  readonly refunds: SimulatedRefund[] = [];
  /** The webhook endpoints that somebody has made in the Dashboard. */
  readonly endpoints: SimulatedEndpoint[] = [];
  readonly methods = new StripeMethods(this);
  readonly customers = new StripeCustomers(this, this.methods);
  readonly setups = new StripeSetups(this, this.methods, this.customers);
  readonly sessions = new StripeSessions(this);
  readonly disputes = new StripeDisputes(
    this,
    () => this.charges,
    (intentId, amount) => this.createRefund({ payment_intent: intentId, amount: `${amount}` }),
  );
  /** Called for every change that Stripe sends an event for. */
  onEvent: (type: string, object: { object: string }) => void = () => {};
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
    const method = token === undefined ? undefined : this.methods.find(token);
    const intent = newIntent({
      ...statementOf(params),
      amount: amountOf(params),
      automatic_payment_methods: automaticMethods(tree(params, 'automatic_payment_methods')),
      capture_method: text(params, 'capture_method') ?? 'automatic_async',
      created: this.seconds(),
      currency: currencyOf(params),
      customer: this.customers.require(text(params, 'customer')),
      description: text(params, 'description') ?? null,
      livemode: this.livemode,
      metadata: metadata(params),
      payment_method: method?.id ?? null,
      payment_method_options: cardOptions(tree(params, 'payment_method_options')),
      setup_future_usage: text(params, 'setup_future_usage') ?? null,
      status: method === undefined ? 'requires_payment_method' : 'requires_confirmation',
    });
    if (confirm && method?.mandate === null && debits.includes(method.type)) requireMandate(params);
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
    intent.payment_method = this.methods.find(token).id;
    const returnUrl = text(params, 'return_url');
    if (returnUrl !== undefined) this.#returnUrls.set(id, returnUrl);
    this.#confirm(intent, { isOffSession: false });
    return intent;
  }

  cancelIntent(id: string, params: Params): SimulatedIntent {
    requireKnown(params, ['cancellation_reason', 'expand']);
    const intent = this.intent(id);
    const cancelable = ['requires_payment_method', 'requires_confirmation', 'requires_action', 'requires_capture'];
    if (this.isOfSession(id) && intent.status !== 'requires_capture') {
      throw ofSession('payment_intent_unexpected_state', 'PaymentIntent');
    }
    requireStatus(intent, 'cancel', cancelable);
    if (intent.status === 'requires_capture' && intent.amount_received > 0) return this.#captured(intent, true);
    return this.end(id, text(params, 'cancellation_reason') ?? null);
  }

  /** https://docs.stripe.com/api/payment_intents/capture */
  captureIntent(id: string, params: Params): SimulatedIntent {
    requireKnown(params, ['amount_to_capture', 'final_capture', 'expand']);
    const intent = this.intent(id);
    requireStatus(intent, 'capture', ['requires_capture']);
    const isFinal = text(params, 'final_capture') !== 'false';
    const charge = this.latestCharge(intent) as SimulatedCharge;
    if (!isFinal && !mayCaptureAgain(intent)) {
      throw problem('final_capture', 'Multicapture is not available for this PaymentIntent.');
    }
    const amount = integer(params, 'amount_to_capture') ?? intent.amount_capturable;
    if (amount < 1 || amount > intent.amount_capturable) {
      const message = 'The amount_to_capture is greater than the remaining capturable amount of the PaymentIntent.';
      throw new StripeProblem(400, { code: 'amount_too_large', param: 'amount_to_capture', message });
    }
    charge.amount_captured += amount;
    charge.captured = true;
    charge.balance_transaction = `txn_${randomId()}`;
    intent.amount_received += amount;
    intent.amount_capturable -= amount;
    return this.#captured(intent, isFinal || intent.amount_capturable === 0);
  }

  /** An authorization ends by itself, after some days: what was captured of it stays captured. */
  expireAuthorization(id: string): SimulatedIntent {
    const intent = this.intent(id);
    requireStatus(intent, 'expire', ['requires_capture']);
    return intent.amount_received > 0 ? this.#captured(intent, true) : this.end(id, 'automatic');
  }

  #captured(intent: SimulatedIntent, isFinal: boolean): SimulatedIntent {
    if (isFinal) {
      intent.amount_capturable = 0;
      intent.status = 'succeeded';
    }
    this.onEvent(isFinal ? 'payment_intent.succeeded' : 'payment_intent.amount_capturable_updated', intent);
    return intent;
  }

  /** Ends an intent for good. */
  end(id: string, reason: string | null = null): SimulatedIntent {
    const intent = this.intent(id);
    intent.status = 'canceled';
    intent.amount_capturable = 0;
    intent.next_action = null;
    intent.canceled_at = this.seconds();
    intent.cancellation_reason = reason;
    this.onEvent('payment_intent.canceled', intent);
    return intent;
  }

  isOfSession(intentId: string): boolean {
    return this.sessions.owns(intentId);
  }

  /** A refund without our key, such as one made in the Dashboard, has no metadata. */
  createRefund(params: Params): SimulatedRefund {
    requireKnown(params, ['payment_intent', 'charge', 'amount', 'metadata', 'reason', 'expand']);
    const intent = this.intent(required(params, 'payment_intent'), 400);
    const charge = this.charges.find(({ id }) => id === intent.latest_charge);
    if (charge === undefined) throw problem('payment_intent', 'This PaymentIntent has no successful charge to refund.');
    this.disputes.requireRefundable(charge);
    const left = charge.amount_captured - charge.amount_refunded;
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
    charge.refunded = charge.amount_refunded === charge.amount_captured;
    const { token } = this.methods.get(charge.payment_method);
    const isPending = /pendingRefund|refundFail/.test(token);
    const refund = newRefund({
      amount,
      charge: charge.id,
      created: this.seconds(),
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

  charge(id: string): SimulatedCharge {
    const charge = this.charges.find((one) => one.id === id) ?? this.#declined.get(id);
    if (charge !== undefined) return charge;
    throw new StripeProblem(404, { code: 'resource_missing', param: 'id', message: `No such charge: '${id}'` });
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

  /** One page of a list, newest first. `filters`: the members by which this list can be filtered. */
  list<Item extends Listed>(
    all: readonly Item[],
    params: Params,
    filters: readonly string[],
  ): { data: Item[]; has_more: boolean } {
    const created = tree(params, 'created');
    const from = integer(created, 'gte') ?? 0;
    const to = integer(created, 'lte') ?? Number.MAX_SAFE_INTEGER;
    const limit = integer(params, 'limit') ?? 10;
    if (limit < 1 || limit > 100) throw problem('limit', 'Invalid limit: must be between 1 and 100.');
    const after = text(params, 'starting_after');
    requireKnown(params, [...filters, 'created', 'ending_before', 'expand', 'limit', 'starting_after']);
    const asked = filters.flatMap((name) => (params[name] === undefined ? [] : [[name, params[name]] as const]));
    const within = all
      .filter((one) => one.created >= from && one.created <= to)
      .filter((one) => asked.every(([name, value]) => (one as Record<string, unknown>)[name] === value))
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
    else {
      const code = 'payment_intent_authentication_failure';
      this.#fail(intent, { code, declineCode: undefined, message: 'The payer could not be authenticated.' });
    }
    return intent;
  }

  /** Completes a bank debit that is `processing`: it succeeds, or fails with a code. */
  settle(id: string, result: boolean | string): void {
    const intent = this.intent(id);
    requireStatus(intent, 'settle', ['processing']);
    const code = typeof result === 'string' ? result : 'payment_intent_payment_attempt_failed';
    if (result === true) this.#succeed(intent);
    else this.#fail(intent, { code, declineCode: undefined, message: 'The bank returned the payment.' });
    this.sessions.settled(id, result === true);
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
    const refusal = refusalOfMethod(method, intent.customer) ?? this.#refusalOfMandate(method);
    if (refusal !== undefined) {
      intent.status = 'requires_payment_method';
      intent.payment_method = null;
      throw refusal.with({ payment_intent: { ...intent } });
    }
    if (intent.customer === null && intent.setup_future_usage === null) method.isUsedUp = true;
    const attempt = attemptOf(method, { isSetup: false, isOffSession, nowSeconds: this.seconds() });
    if (attempt.is === 'declined') throw this.#decline(intent, attempt.why);
    if (attempt.is === 'payer') {
      const page = `${this.pages}/authenticate/${intent.id}`;
      const returnUrl = this.#returnUrls.get(intent.id);
      intent.status = 'requires_action';
      intent.next_action =
        returnUrl === undefined
          ? { type: 'use_stripe_sdk', use_stripe_sdk: { type: 'three_d_secure_redirect' } }
          : { type: 'redirect_to_url', redirect_to_url: { url: page, return_url: returnUrl } };
      this.onEvent('payment_intent.requires_action', intent);
    } else if (debits.includes(method.type)) {
      this.methods.agree(method);
      if (intent.setup_future_usage !== null) this.methods.keep(method, intent.customer);
      intent.status = 'processing';
      this.onEvent('payment_intent.processing', intent);
    } else {
      this.#succeed(intent);
    }
  }

  #refusalOfMandate({ mandate }: SimulatedMethod): StripeProblem | undefined {
    if (mandate === null || this.methods.mandate(mandate).status !== 'inactive') return undefined;
    const message = 'The provided mandate is invalid and can not be used for the payment intent.';
    return new StripeProblem(400, { code: 'payment_intent_mandate_invalid', message });
  }

  #succeed(intent: SimulatedIntent): void {
    const method = this.methods.get(intent.payment_method as string);
    const isKept = intent.setup_future_usage !== null && method.customer === null;
    const generated = isKept ? this.methods.keep(method, intent.customer) : undefined;
    const charge = newCharge(intent, method, this.seconds(), { generated });
    this.charges.push(charge);
    intent.latest_charge = charge.id;
    if (intent.capture_method === 'manual') {
      intent.status = 'requires_capture';
      intent.amount_capturable = intent.amount;
      this.onEvent('payment_intent.amount_capturable_updated', intent);
      return;
    }
    intent.status = 'succeeded';
    intent.amount_received = intent.amount;
    this.onEvent('payment_intent.succeeded', intent);
    this.disputes.afterCharge(intent.id, method.token);
  }

  /** The answer to a request whose payment is declined. */
  #decline(intent: SimulatedIntent, why: Declined): StripeProblem {
    const error = this.#fail(intent, why);
    return new StripeProblem(402, { ...error, message: why.message, payment_intent: { ...intent } }, true);
  }

  #fail(intent: SimulatedIntent, why: Declined): Record<string, unknown> {
    const method = this.methods.get(intent.payment_method as string);
    const charge = newCharge(intent, method, this.seconds(), { declined: why });
    this.#declined.set(charge.id, charge);
    const error = { ...declineError(why, methodBody(method)), charge: charge.id };
    intent.status = 'requires_payment_method';
    intent.payment_method = null;
    intent.latest_charge = charge.id;
    intent.last_payment_error = error;
    intent.next_action = null;
    this.onEvent('payment_intent.payment_failed', intent);
    return error;
  }

  seconds(): number {
    return Math.floor(this.#clock() / 1_000);
  }
}
