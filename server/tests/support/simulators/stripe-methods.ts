import { StripeProblem } from './stripe-params.ts';
import type { SimulatedMethod } from './stripe-records.ts';
import { problem, randomId } from './stripe-rules.ts';

/** The payment methods of an account, and when Stripe takes them. */
export class StripeMethods {
  readonly #methods = new Map<string, SimulatedMethod>();

  /** A test token (`pm_card_visa`) makes a new payment method each time; an id names one that exists. */
  find(tokenOrId: string, created: number, livemode: boolean): SimulatedMethod {
    const known = this.#methods.get(tokenOrId);
    if (known !== undefined) return known;
    if (!/^pm_(card|usBankAccount)_?[A-Za-z_]*$/.test(tokenOrId)) {
      const message = `No such PaymentMethod: '${tokenOrId}'`;
      throw new StripeProblem(400, { code: 'resource_missing', param: 'payment_method', message });
    }
    const type = tokenOrId.startsWith('pm_card') ? 'card' : 'us_bank_account';
    const id = `pm_${randomId()}`;
    const method = { id, token: tokenOrId, type, customer: null, isUsedUp: false, created, livemode } as const;
    this.#methods.set(id, { ...method });
    return this.#methods.get(id) as SimulatedMethod;
  }

  get(id: string): SimulatedMethod {
    const method = this.#methods.get(id);
    if (method === undefined) throw problem('payment_method', `No such PaymentMethod: '${id}'`);
    return method;
  }
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
