import { customerBody } from './stripe-method-objects.ts';
import type { StripeMethods } from './stripe-methods.ts';
import { metadata, type Params, requireKnown, StripeProblem, text } from './stripe-params.ts';
import type { SimulatedCustomer } from './stripe-records.ts';
import { randomId } from './stripe-rules.ts';
import type { StripeWorld } from './stripe-world.ts';

/** The customers of an account. */
export class StripeCustomers {
  readonly all: SimulatedCustomer[] = [];
  readonly #world: StripeWorld;
  readonly #methods: StripeMethods;

  constructor(world: StripeWorld, methods: StripeMethods) {
    this.#world = world;
    this.#methods = methods;
  }

  create(params: Params): SimulatedCustomer {
    requireKnown(params, ['description', 'email', 'expand', 'metadata', 'name', 'phone']);
    const email = text(params, 'email') ?? null;
    if (email !== null && !email.includes('@')) {
      throw new StripeProblem(400, {
        code: 'email_invalid',
        param: 'email',
        message: `Invalid email address: ${email}`,
      });
    }
    const customer: SimulatedCustomer = {
      id: `cus_${randomId()}`,
      object: 'customer',
      created: this.#world.seconds(),
      email,
      livemode: this.#world.livemode,
      metadata: metadata(params),
      name: text(params, 'name') ?? null,
      isDeleted: false,
    };
    this.all.push(customer);
    this.#world.onEvent('customer.created', customerBody(customer) as { object: string });
    return customer;
  }

  /** Also a deleted one. */
  find(id: string): SimulatedCustomer {
    const customer = this.all.find((one) => one.id === id);
    if (customer !== undefined) return customer;
    throw noSuchCustomer(404, 'id', id);
  }

  /** Refuses an intent of a customer that does not exist, or that was deleted. */
  require(id: string | undefined): string | null {
    if (id === undefined) return null;
    const customer = this.all.find((one) => one.id === id);
    if (customer === undefined || customer.isDeleted) throw noSuchCustomer(400, 'customer', id);
    return id;
  }

  /** Deletes a customer, which detaches its methods for good. */
  delete(id: string): { id: string; object: 'customer'; deleted: true } {
    const customer = this.find(this.require(id) as string);
    const shown = customerBody(customer) as { object: string };
    customer.isDeleted = true;
    for (const method of this.#methods.ofCustomer(id)) this.#methods.release(method);
    this.#world.onEvent('customer.deleted', shown);
    return { id, object: 'customer', deleted: true };
  }
}

function noSuchCustomer(status: number, param: string, id: string): StripeProblem {
  return new StripeProblem(status, { code: 'resource_missing', param, message: `No such customer: '${id}'` });
}
