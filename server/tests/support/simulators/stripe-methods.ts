import { mandateBody, methodBody, methodFacts } from './stripe-method-objects.ts';
import { StripeProblem } from './stripe-params.ts';
import type { SimulatedMandate, SimulatedMethod } from './stripe-records.ts';
import { problem, randomId } from './stripe-rules.ts';
import type { StripeWorld } from './stripe-world.ts';

/**
 * Test tokens (https://docs.stripe.com/testing, https://docs.stripe.com/payments/sepa-debit/accept-a-payment#test), and
 * what a payer chooses on the hosted page.
 */
const tokenTypes: readonly [RegExp, SimulatedMethod['type']][] = [
  [/^pm_card(_[A-Za-z0-9_]+)?$/, 'card'],
  [/^pm_usBankAccount_[A-Za-z]+$/, 'us_bank_account'],
  [/^pm_bacsDebit_[A-Za-z]+$/, 'bacs_debit'],
  [/^pm_(success|failed|insufficientFunds|disputed)(Delayed)?_[a-z]{2}$/, 'sepa_debit'],
  [/^pm_ideal$/, 'ideal'],
];

export const debits: readonly SimulatedMethod['type'][] = ['us_bank_account', 'bacs_debit', 'sepa_debit'];

/** The payment methods of an account, their mandates, and when Stripe takes them. */
export class StripeMethods {
  readonly #methods = new Map<string, SimulatedMethod>();
  readonly #mandates = new Map<string, SimulatedMandate>();
  readonly #world: StripeWorld;

  constructor(world: StripeWorld) {
    this.#world = world;
  }

  /** A test token (`pm_card_visa`) makes a new payment method each time; an id names one that exists. */
  find(tokenOrId: string): SimulatedMethod {
    const known = this.#methods.get(tokenOrId);
    if (known !== undefined) return known;
    const type = typeOfToken(tokenOrId);
    if (type === undefined) throw noSuchMethod(400, tokenOrId);
    return this.#make(tokenOrId, type);
  }

  get(id: string): SimulatedMethod {
    const method = this.#methods.get(id);
    if (method === undefined) throw noSuchMethod(404, id);
    return method;
  }

  get all(): readonly SimulatedMethod[] {
    return [...this.#methods.values()];
  }

  ofCustomer(customer: string): SimulatedMethod[] {
    return this.all.filter((method) => method.customer === customer);
  }

  mandate(id: string): SimulatedMandate {
    const mandate = this.#mandates.get(id);
    if (mandate !== undefined) return mandate;
    throw new StripeProblem(404, { code: 'resource_missing', param: 'id', message: `No such mandate: '${id}'` });
  }

  /** Keeps a method for its customer. What iDEAL keeps is a debit of the same account, which is returned. */
  keep(method: SimulatedMethod, customer: string | null): SimulatedMethod | undefined {
    const kept = method.type === 'ideal' ? this.#make('pm_success_nl', 'sepa_debit') : method;
    this.agree(kept);
    kept.isAuthenticated = true;
    const isNew = customer !== null && kept.customer !== customer;
    kept.customer = customer;
    if (isNew) this.#world.onEvent('payment_method.attached', methodBody(kept) as { object: string });
    return kept === method ? undefined : kept;
  }

  /** The payer agrees to a debit. */
  agree(method: SimulatedMethod): void {
    if (!debits.includes(method.type) || method.mandate !== null) return;
    const mandate = { id: `mandate_${randomId()}`, method, created: this.#world.seconds(), status: 'active' as const };
    this.#mandates.set(mandate.id, mandate);
    method.mandate = mandate.id;
  }

  /** The payer or the bank ends the mandate of a debit. */
  endMandate(id: string): void {
    const mandate = this.mandate(this.get(id).mandate ?? '');
    mandate.status = 'inactive';
    this.#world.onEvent('mandate.updated', mandateBody(mandate) as { object: string });
  }

  detach(id: string): SimulatedMethod {
    const method = this.get(id);
    if (method.customer === null) {
      const message = 'The payment method you provided is not attached to a customer so detachment is impossible.';
      throw new StripeProblem(400, { message });
    }
    this.release(method);
    this.#world.onEvent('payment_method.detached', methodBody(method) as { object: string });
    return method;
  }

  /** Takes a method from its customer. It can never be used again. */
  release(method: SimulatedMethod): void {
    method.customer = null;
    method.isUsedUp = true;
  }

  /** The network replaces a card: another month of expiry, perhaps another number. */
  replaceCard(id: string, facts: { exp_month?: number; exp_year?: number; last4?: string }): void {
    const method = this.get(id);
    Object.assign(method.facts, facts);
    this.#world.onEvent('payment_method.automatically_updated', methodBody(method) as { object: string });
  }

  #make(token: string, type: SimulatedMethod['type']): SimulatedMethod {
    const id = `pm_${randomId()}`;
    const method: SimulatedMethod = {
      id,
      token,
      type,
      facts: { ...methodFacts[type] },
      customer: null,
      isUsedUp: false,
      isAuthenticated: false,
      mandate: null,
      created: this.#world.seconds(),
      livemode: this.#world.livemode,
    };
    this.#methods.set(id, method);
    return method;
  }
}

/** The type of the method that a test token makes. */
export function typeOfToken(token: string): SimulatedMethod['type'] | undefined {
  return tokenTypes.find(([pattern]) => pattern.test(token))?.[1];
}

/** Why Stripe refuses to charge this method for an intent; undefined if it takes it. */
export function refusalOfMethod(method: SimulatedMethod, customer: string | null): StripeProblem | undefined {
  if (method.isUsedUp) {
    // No code: https://github.com/Automattic/woocommerce-payments/issues/323
    return new StripeProblem(400, {
      message:
        'The provided PaymentMethod was previously used with a PaymentIntent without Customer attachment, shared ' +
        'with a connected account without Customer attachment, or was detached from a Customer. It may not be used ' +
        'again. To use a PaymentMethod multiple times, you must attach it to a Customer first.',
    });
  }
  if (method.customer === customer) return undefined;
  if (method.customer !== null && customer === null) {
    return new StripeProblem(400, {
      code: 'parameter_missing',
      param: 'source',
      message:
        `The \`payment_method\` parameter supplied ${method.id} belongs to the Customer ${method.customer}. Please ` +
        'include the Customer in the `customer` parameter on the PaymentIntent.',
    });
  }
  // A method of nobody is attached with `setup_future_usage`, and otherwise charged once.
  return method.customer === null ? undefined : problem('payment_method', 'This method is of another customer.');
}

function noSuchMethod(status: number, id: string): StripeProblem {
  const message = `No such PaymentMethod: '${id}'`;
  return new StripeProblem(status, { code: 'resource_missing', param: 'payment_method', message });
}
