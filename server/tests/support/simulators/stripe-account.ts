import { integer, metadata, type Params, required, requireKnown, StripeProblem, text, tree } from './stripe-params.ts';
import type { Listed, SimulatedCharge, SimulatedIntent, SimulatedRefund } from './stripe-records.ts';
import {
  amountOf,
  currencyOf,
  declinesWithOwnCode,
  problem,
  randomId,
  requireChargeableAmount,
  requirePaymentMethod,
  requireStatus,
  snakeCase,
} from './stripe-rules.ts';

const intentParams = [
  'amount',
  'automatic_payment_methods',
  'capture_method',
  'confirm',
  'currency',
  'description',
  'expand',
  'metadata',
  'payment_method',
  'return_url',
];

/** Payment intents, charges and refunds of one Stripe account (https://docs.stripe.com/api). */
export class StripeAccount {
  readonly intents = new Map<string, SimulatedIntent>();
  readonly charges: SimulatedCharge[] = [];
  readonly refunds: SimulatedRefund[] = [];
  /** Called for every change that Stripe sends an event for. */
  onEvent: (type: string, object: Listed) => void = () => {};
  /** Whether its objects are of the live mode. */
  livemode = false;
  /** The address below which payers authenticate. */
  pages = '';
  readonly #clock: () => number;

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  createIntent(params: Params): SimulatedIntent {
    requireKnown(params, intentParams);
    const confirm = text(params, 'confirm') === 'true';
    const returnUrl = text(params, 'return_url') ?? null;
    if (returnUrl !== null && !confirm) {
      throw problem('return_url', 'The parameter return_url can only be passed when confirm is true.');
    }
    const method = text(params, 'payment_method') ?? null;
    if (confirm && method !== null) requirePaymentMethod(method);
    const id = `pi_${randomId()}`;
    const intent: SimulatedIntent = {
      id,
      object: 'payment_intent',
      amount: amountOf(params),
      amount_received: 0,
      currency: currencyOf(params),
      livemode: this.livemode,
      status: method === null ? 'requires_payment_method' : 'requires_confirmation',
      client_secret: `${id}_secret_${randomId()}`,
      created: this.#seconds(),
      description: text(params, 'description') ?? null,
      metadata: metadata(params),
      payment_method: method,
      return_url: returnUrl,
      latest_charge: null,
      last_payment_error: null,
      next_action: null,
      cancellation_reason: null,
      capture_method: text(params, 'capture_method') ?? 'automatic_async',
    };
    this.intents.set(id, intent);
    if (confirm) this.#confirm(intent);
    return intent;
  }

  /** Stripe's script does this in the merchant's page, with the client secret. */
  confirmIntent(id: string, params: Params): SimulatedIntent {
    requireKnown(params, ['payment_method', 'return_url', 'expand']);
    const intent = this.intent(id);
    requireStatus(intent, 'confirm', ['requires_payment_method', 'requires_confirmation', 'requires_action']);
    const method = text(params, 'payment_method') ?? intent.payment_method;
    if (method === null) throw problem('payment_method', 'A payment method is needed to confirm.');
    requirePaymentMethod(method);
    intent.payment_method = method;
    intent.return_url = text(params, 'return_url') ?? intent.return_url;
    this.#confirm(intent);
    return intent;
  }

  cancelIntent(id: string, params: Params): SimulatedIntent {
    requireKnown(params, ['cancellation_reason', 'expand']);
    const intent = this.intent(id);
    const cancelable = ['requires_payment_method', 'requires_confirmation', 'requires_action', 'requires_capture'];
    requireStatus(intent, 'cancel', cancelable);
    intent.status = 'canceled';
    intent.next_action = null;
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
    const isPending = /pendingRefund|refundFail/.test(intent.payment_method ?? '');
    const refund: SimulatedRefund = {
      id: `re_${randomId()}`,
      object: 'refund',
      amount,
      currency: charge.currency,
      charge: charge.id,
      payment_intent: intent.id,
      status: isPending ? 'pending' : 'succeeded',
      metadata: metadata(params),
      created: this.#seconds(),
    };
    this.refunds.push(refund);
    this.onEvent('refund.created', refund);
    return refund;
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
    if (status === 'failed') refund.failure_reason = 'expired_or_canceled_card';
    this.onEvent(status === 'failed' ? 'refund.failed' : 'refund.updated', refund);
  }

  #confirm(intent: SimulatedIntent): void {
    const method = intent.payment_method as string;
    intent.last_payment_error = null;
    const declined = /^pm_card_(?:visa_)?chargeDeclined(\w*)$/.exec(method);
    if (declined !== null) {
      const reason = snakeCase(declined[1] as string) || 'generic_decline';
      const code = declinesWithOwnCode.includes(reason) ? reason : 'card_declined';
      const error = this.#fail(intent, code, reason, 'Your card was declined.');
      throw new StripeProblem(402, { ...error, payment_intent: { ...intent } }, true);
    }
    if (/threeDSecure|authenticationRequired/.test(method)) {
      const page = `${this.pages}/authenticate/${intent.id}`;
      intent.status = 'requires_action';
      intent.next_action =
        intent.return_url === null
          ? { type: 'use_stripe_sdk', use_stripe_sdk: { type: 'three_d_secure_redirect' } }
          : { type: 'redirect_to_url', redirect_to_url: { url: page, return_url: intent.return_url } };
      this.onEvent('payment_intent.requires_action', intent);
    } else if (method.startsWith('pm_usBankAccount')) {
      intent.status = 'processing';
      this.onEvent('payment_intent.processing', intent);
    } else {
      this.#succeed(intent);
    }
  }

  #succeed(intent: SimulatedIntent): void {
    const charge: SimulatedCharge = {
      id: `ch_${randomId()}`,
      object: 'charge',
      payment_intent: intent.id,
      livemode: intent.livemode,
      amount: intent.amount,
      amount_refunded: 0,
      currency: intent.currency,
      florinKey: intent.metadata.florin_key,
    };
    this.charges.push(charge);
    intent.latest_charge = charge.id;
    intent.status = 'succeeded';
    intent.amount_received = intent.amount;
    this.onEvent('payment_intent.succeeded', intent);
  }

  #fail(intent: SimulatedIntent, code: string, declineCode: string | undefined, message: string) {
    const error = { type: 'card_error', code, message, ...(declineCode && { decline_code: declineCode }) };
    intent.status = 'requires_payment_method';
    intent.payment_method = null;
    intent.last_payment_error = error;
    this.onEvent('payment_intent.payment_failed', intent);
    return error;
  }

  #seconds(): number {
    return Math.floor(this.#clock() / 1_000);
  }
}
