import type { StripeCustomers } from './stripe-customers.ts';
import { attemptBody, methodBody, newSetup } from './stripe-method-objects.ts';
import { debits, refusalOfMethod, type StripeMethods } from './stripe-methods.ts';
import { attemptOf, type Declined, declineError } from './stripe-outcomes.ts';
import {
  automaticMethods,
  metadata,
  type Params,
  required,
  requireKnown,
  StripeProblem,
  text,
  tree,
} from './stripe-params.ts';
import type { SimulatedSetup } from './stripe-records.ts';
import { ofSession, requireMandate } from './stripe-rules.ts';
import type { StripeWorld } from './stripe-world.ts';

/** Without `payment_method_types`, which the pinned version of the API has no more. */
const setupParams = [
  'automatic_payment_methods',
  'confirm',
  'customer',
  'description',
  'expand',
  'mandate_data',
  'metadata',
  'payment_method',
  'return_url',
  'usage',
];

/** The setup intents of an account (https://docs.stripe.com/payments/setupintents/lifecycle). */
export class StripeSetups {
  readonly all = new Map<string, SimulatedSetup>();
  readonly #attempts = new Map<string, Record<string, unknown>>();
  readonly #returnUrls = new Map<string, string>();
  readonly #world: StripeWorld;
  readonly #methods: StripeMethods;
  readonly #customers: StripeCustomers;

  constructor(world: StripeWorld, methods: StripeMethods, customers: StripeCustomers) {
    this.#world = world;
    this.#methods = methods;
    this.#customers = customers;
  }

  create(params: Params): SimulatedSetup {
    requireKnown(params, setupParams);
    const confirm = text(params, 'confirm') === 'true';
    const returnUrl = text(params, 'return_url');
    if (!confirm && returnUrl !== undefined) {
      const message = 'The parameter return_url can only be passed when confirm is true.';
      throw new StripeProblem(400, { param: 'return_url', message });
    }
    const token = confirm ? required(params, 'payment_method') : text(params, 'payment_method');
    const method = token === undefined ? undefined : this.#methods.find(token);
    const setup = newSetup({
      automatic_payment_methods: automaticMethods(tree(params, 'automatic_payment_methods')),
      created: this.#world.seconds(),
      customer: this.#customers.require(text(params, 'customer')),
      description: text(params, 'description') ?? null,
      livemode: this.#world.livemode,
      metadata: metadata(params),
      payment_method: method?.id ?? null,
      status: method === undefined ? 'requires_payment_method' : 'requires_confirmation',
      usage: text(params, 'usage') ?? 'off_session',
    });
    if (method !== undefined && debits.includes(method.type) && confirm) requireMandate(params);
    if (returnUrl !== undefined) this.#returnUrls.set(setup.id, returnUrl);
    this.all.set(setup.id, setup);
    this.#world.onEvent('setup_intent.created', setup);
    if (confirm) this.#confirm(setup);
    return setup;
  }

  /** The hosted page does this. */
  confirm(id: string, params: Params): SimulatedSetup {
    const setup = this.get(id);
    setup.payment_method = this.#methods.find(required(params, 'payment_method')).id;
    this.#returnUrls.set(id, required(params, 'return_url'));
    this.#confirm(setup);
    return setup;
  }

  cancel(id: string, params: Params): SimulatedSetup {
    requireKnown(params, ['cancellation_reason', 'expand']);
    const setup = this.get(id);
    if (this.#world.isOfSession(id)) throw ofSession('setup_intent_unexpected_state', 'SetupIntent');
    if (!['requires_payment_method', 'requires_confirmation', 'requires_action'].includes(setup.status)) {
      throw new StripeProblem(400, {
        code: 'setup_intent_unexpected_state',
        message: `You cannot cancel this SetupIntent because it has a status of ${setup.status}.`,
        setup_intent: { ...setup },
      });
    }
    setup.status = 'canceled';
    setup.next_action = null;
    setup.cancellation_reason = text(params, 'cancellation_reason') ?? null;
    this.#world.onEvent('setup_intent.canceled', setup);
    return setup;
  }

  get(id: string): SimulatedSetup {
    const setup = this.all.get(id);
    if (setup !== undefined) return setup;
    throw new StripeProblem(404, {
      code: 'resource_missing',
      param: 'intent',
      message: `No such setupintent: '${id}'`,
    });
  }

  /** With the objects that the request asks to expand. */
  expanded(setup: SimulatedSetup, expand: readonly string[]): Record<string, unknown> {
    const { payment_method: method, latest_attempt: attempt } = setup;
    return {
      ...setup,
      ...(expand.includes('payment_method') && method && { payment_method: methodBody(this.#methods.get(method)) }),
      ...(expand.includes('latest_attempt') && attempt && { latest_attempt: this.#attempts.get(attempt) }),
    };
  }

  returnUrlOf(id: string): string | undefined {
    return this.#returnUrls.get(id);
  }

  /** The payer authenticates on the bank's page, or fails to. */
  authenticate(id: string, succeeds: boolean): void {
    const setup = this.get(id);
    if (setup.status !== 'requires_action') throw new Error(`The setup is ${setup.status}.`);
    setup.next_action = null;
    const code = 'setup_intent_authentication_failure';
    if (succeeds) this.#succeed(setup);
    else this.#fail(setup, { code, declineCode: undefined, message: 'The payer could not be authenticated.' });
  }

  #confirm(setup: SimulatedSetup): void {
    const method = this.#methods.get(setup.payment_method as string);
    const refusal = refusalOfMethod(method, setup.customer);
    if (refusal !== undefined) {
      this.all.delete(setup.id);
      throw refusal;
    }
    const nowSeconds = this.#world.seconds();
    const attempt = attemptOf(method, { isSetup: true, isOffSession: false, nowSeconds });
    if (attempt.is === 'declined') throw this.#decline(setup, attempt.why);
    if (attempt.is === 'payer') this.#sendToBank(setup);
    else this.#succeed(setup);
  }

  #sendToBank(setup: SimulatedSetup): void {
    const url = `${this.#world.pages}/authenticate/${setup.id}`;
    const returnUrl = this.#returnUrls.get(setup.id) ?? null;
    setup.status = 'requires_action';
    setup.next_action = { type: 'redirect_to_url', redirect_to_url: { url, return_url: returnUrl } };
    this.#world.onEvent('setup_intent.requires_action', setup);
  }

  #succeed(setup: SimulatedSetup): void {
    const method = this.#methods.get(setup.payment_method as string);
    const generated = this.#methods.keep(method, setup.customer);
    setup.status = 'succeeded';
    setup.mandate = method.mandate;
    this.#attempted(setup, attemptBody(setup, method, { created: this.#world.seconds(), generated }));
    this.#world.onEvent('setup_intent.succeeded', setup);
  }

  #decline(setup: SimulatedSetup, why: Declined): StripeProblem {
    const error = this.#fail(setup, why);
    return new StripeProblem(402, { ...error, message: why.message, setup_intent: { ...setup } }, true);
  }

  #fail(setup: SimulatedSetup, why: Declined): Record<string, unknown> {
    const method = this.#methods.get(setup.payment_method as string);
    const error = declineError(why, methodBody(method));
    setup.status = 'requires_payment_method';
    setup.payment_method = null;
    setup.last_setup_error = error;
    const failed = { ...setup, status: 'failed' };
    this.#attempted(setup, attemptBody(failed, method, { created: this.#world.seconds() }));
    this.#world.onEvent('setup_intent.setup_failed', setup);
    return error;
  }

  #attempted(setup: SimulatedSetup, attempt: Record<string, unknown>): void {
    this.#attempts.set(attempt.id as string, attempt);
    setup.latest_attempt = attempt.id as string;
  }
}
