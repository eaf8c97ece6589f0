import type { IncomingHttpHeaders } from 'node:http';
import {
  customerBody,
  MollieCustomers,
  mandateBody,
  type SimulatedCustomer,
  type SimulatedMandate,
} from './mollie-customers.ts';
import { firstMethods, methodsWithoutMoney, newPayment } from './mollie-orders.ts';
import {
  captureBody,
  chargebackBody,
  isCancelable,
  newCapture,
  newRefund,
  paymentBody,
  refundBody,
  type SimulatedPayment,
} from './mollie-records.ts';
import { hal, type Mode, Problem, page as pageLink } from './mollie-values.ts';

export interface ApiRequest {
  method: string;
  /** Includes the query: `/v2/payments?limit=250`. */
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface ApiAnswer {
  status: number;
  body: unknown;
  /** Whether this is the stored answer of an earlier request with the same idempotency key. */
  replayed?: boolean;
}

/** What the simulator does when a client has asked the API for it. */
export interface MollieApiEvents {
  cancelled: (id: string) => void;
  /** A recurring payment was made, and is charged to its mandate. */
  recurring: (payment: SimulatedPayment, mandate: SimulatedMandate) => void;
}

/** Simulates Mollie's API (v2) for payments, refunds, customers and mandates as described on docs.mollie.com. */
export class MollieApi {
  readonly payments = new Map<string, SimulatedPayment>();
  readonly customers: MollieCustomers;
  /** The methods with which the account takes a first payment of 0.00. */
  methodsWithoutMoney: string[] = methodsWithoutMoney;
  /** Refuses a second refund of the same amount and payment with another key, as Mollie does. */
  detectsDuplicateRefunds = false;
  /** The address of the API; links in answers begin with it. */
  root = '';
  /** The mode that answers name; undefined: that of the API key. */
  namedMode: Mode | undefined;
  /** The mode of the key of the request. */
  #mode: Mode = 'test';
  readonly #now: () => number;
  readonly #onCancel: (id: string) => void;
  readonly #onRecurring: (payment: SimulatedPayment, mandate: SimulatedMandate) => void;
  readonly #answers = new Map<string, ApiAnswer & { request: string; atMs: number }>();

  constructor(now: () => number, on: MollieApiEvents) {
    this.#now = now;
    this.#onCancel = on.cancelled;
    this.#onRecurring = on.recurring;
    this.customers = new MollieCustomers(now);
  }

  answer({ method, path, headers, body }: ApiRequest): ApiAnswer {
    const { authorization = '', 'idempotency-key': key } = headers;
    try {
      const [, mode] = /^Bearer (test|live)_\w+$/.exec(authorization) ?? [];
      if (mode === undefined) throw new Problem(401, 'Missing or unknown credentials.');
      this.#mode = this.namedMode ?? (mode as Mode);
      // Mollie ignores idempotency keys of other methods.
      if (method !== 'POST' || typeof key !== 'string') return this.#route(method, path, body);
      return this.#once(key, `${path}\n${body}`, () => this.#route(method, path, body));
    } catch (problem) {
      return refusal(problem);
    }
  }

  /** Mollie stores the answer to a key for an hour, including refusals. */
  #once(key: string, request: string, act: () => ApiAnswer): ApiAnswer {
    const stored = this.#answers.get(key);
    if (stored !== undefined && this.#now() - stored.atMs < keyLifetimeMs) {
      if (stored.request !== request) throw new Problem(400, 'This key was used with another request.');
      return { ...stored, replayed: true };
    }
    const answer = answerOrRefuse(act);
    this.#answers.set(key, { ...answer, request, atMs: this.#now() });
    return answer;
  }

  #route(method: string, path: string, body: string): ApiAnswer {
    const { pathname, searchParams } = new URL(path, 'http://mollie');
    if (pathname.startsWith('/v2/customers')) return this.#routeCustomers(method, pathname, searchParams, body);
    if (pathname === '/v2/methods' && method === 'GET') return this.#listMethods(searchParams);
    if (pathname === '/v2/chargebacks' && method === 'GET') {
      const all = this.#ofPayments(({ chargebacks }) => chargebacks);
      return this.#list('chargebacks', pathname, all, searchParams, (each) => chargebackBody(each, this.root));
    }
    if (pathname === '/v2/refunds' && method === 'GET') {
      const all = this.#ofPayments(({ refunds }) => refunds);
      return this.#list('refunds', pathname, all, searchParams, (each) => refundBody(each, this.root));
    }
    const [, id, release, captures, captureId, refunds, refundId, chargebacks, chargebackId] =
      pathOfPayments.exec(pathname) ?? notFound();
    if (id === undefined) {
      if (method === 'POST') return this.#create(parseObject(body));
      return this.#list('payments', pathname, this.#visible(), searchParams, (each) => paymentBody(each, this.root));
    }
    const payment = this.#visible().find((one) => one.id === id) ?? notFound();
    if (release !== undefined && method === 'POST') return requestRelease(payment);
    if (captures !== undefined) {
      if (method === 'POST') return this.#capture(payment, parseObject(body));
      if (captureId !== undefined) {
        const capture = payment.captures.find((each) => each.id === captureId) ?? notFound();
        return { status: 200, body: captureBody(capture, this.root) };
      }
      return this.#list('captures', pathname, payment.captures, searchParams, (each) => captureBody(each, this.root));
    }
    if (chargebacks !== undefined) {
      const all = payment.chargebacks;
      if (chargebackId !== undefined) {
        const chargeback = all.find((each) => each.id === chargebackId) ?? notFound();
        return { status: 200, body: chargebackBody(chargeback, this.root) };
      }
      return this.#list('chargebacks', pathname, all, searchParams, (each) => chargebackBody(each, this.root));
    }
    if (refunds === undefined) {
      if (method === 'DELETE') this.#cancel(payment);
      return { status: 200, body: paymentBody(payment, this.root) };
    }
    if (method === 'POST') return this.#refund(payment, parseObject(body));
    if (refundId === undefined) {
      return this.#list('refunds', pathname, payment.refunds, searchParams, (each) => refundBody(each, this.root));
    }
    const refund = payment.refunds.find((each) => each.id === refundId) ?? notFound();
    return { status: 200, body: refundBody(refund, this.root) };
  }

  #routeCustomers(method: string, pathname: string, query: URLSearchParams, body: string): ApiAnswer {
    const [, id, mandates, mandateId] =
      /^\/v2\/customers(?:\/(\w+)(?:(\/mandates)(?:\/(\w+))?)?)?$/.exec(pathname) ?? notFound();
    const { customers, root } = this;
    if (id === undefined) {
      if (method === 'POST') return created(customerBody(customers.create(parseObject(body), this.#mode), root));
      const existing = [...customers.all.values()].filter((each) => each.mode === this.#mode && !each.isDeleted);
      return this.#list('customers', pathname, existing, query, (each) => customerBody(each, root));
    }
    const customer = customers.get(id, this.#mode);
    if (mandates !== undefined) return this.#routeMandates(method, pathname, query, body, customer, mandateId);
    if (method !== 'DELETE') return { status: 200, body: customerBody(customer, root) };
    customers.delete(customer);
    return noContent;
  }

  #routeMandates(
    method: string,
    pathname: string,
    query: URLSearchParams,
    body: string,
    customer: SimulatedCustomer,
    mandateId: string | undefined,
  ): ApiAnswer {
    const { customers, root } = this;
    if (mandateId === undefined) {
      if (method === 'POST') return created(mandateBody(customers.createMandate(customer, parseObject(body)), root));
      const all = customers.mandatesOf(customer.id);
      return this.#list('mandates', pathname, all, query, (each) => mandateBody(each, root));
    }
    const mandate = customers.mandate(customer.id, mandateId);
    if (method !== 'DELETE') return { status: 200, body: mandateBody(mandate, root) };
    customers.revoke(mandate);
    return noContent;
  }

  /** The methods for first payments; those for one of 0.00 are fewer. */
  #listMethods(query: URLSearchParams): ApiAnswer {
    const value = query.get('amount[value]');
    const ids = value !== null && Number(value) === 0 ? this.methodsWithoutMoney : firstMethods;
    const amount = { currency: query.get('amount[currency]') ?? 'EUR', value: value ?? '0.01' };
    const icon = 'https://www.mollie.com/external/icons/payment-methods/x.png';
    const methods = ids.map((id) => ({
      resource: 'method',
      id,
      description: id,
      minimumAmount: amount,
      maximumAmount: null,
      image: { size1x: icon, size2x: icon, svg: icon },
      status: 'activated',
      _links: { self: hal(`${this.root}/v2/methods/${id}`) },
    }));
    const links = {
      self: hal(`${this.root}/v2/methods`),
      documentation: pageLink('https://docs.mollie.com/reference/list-methods'),
    };
    return { status: 200, body: { count: methods.length, _embedded: { methods }, _links: links } };
  }

  /** A key sees the payments of its mode. */
  #visible(): SimulatedPayment[] {
    return [...this.payments.values()].filter(({ mode }) => mode === this.#mode);
  }

  /** What belongs to payments, oldest first. */
  #ofPayments<Row extends { createdMs: number }>(rowsOf: (payment: SimulatedPayment) => Row[]): Row[] {
    return this.#visible()
      .flatMap(rowsOf)
      .sort((one, other) => one.createdMs - other.createdMs);
  }

  #create(body: Record<string, unknown>): ApiAnswer {
    const made = newPayment(body, this.#mode, this.#now());
    const { customerId, mandate } = this.customers.ofPayment(body, this.#mode);
    const payment: SimulatedPayment = { ...made, ...(customerId !== undefined && { customerId }) };
    this.payments.set(payment.id, payment);
    if (mandate !== undefined) {
      payment.method = mandate.method;
      payment.mandateId = mandate.id;
      this.#onRecurring(payment, mandate);
    }
    return created(paymentBody(payment, this.root));
  }

  #cancel(payment: SimulatedPayment): void {
    if (!isCancelable(payment)) throw new Problem(422, 'The payment cannot be cancelled');
    this.#onCancel(payment.id);
  }

  #capture(payment: SimulatedPayment, body: Record<string, unknown>): ApiAnswer {
    const capture = newCapture(payment, body, this.#now());
    payment.captures.push(capture);
    return created(captureBody(capture, this.root));
  }

  #refund(payment: SimulatedPayment, body: Record<string, unknown>): ApiAnswer {
    const refund = newRefund(payment, body, this.#now());
    if (this.detectsDuplicateRefunds && payment.refunds.some((each) => each.amount.value === refund.amount.value)) {
      throw new Problem(409, 'A duplicate refund has been detected');
    }
    payment.refunds.push(refund);
    return { status: 201, body: refundBody(refund, this.root) };
  }

  /** Newest first; `from` is the id of the first item of the page. */
  #list<Row extends { id: string }>(
    name: string,
    path: string,
    all: Row[],
    query: URLSearchParams,
    bodyOf: (row: Row) => Record<string, unknown>,
  ): ApiAnswer {
    const limit = Number(query.get('limit') ?? 50);
    const newestFirst = all.toReversed();
    const start = query.has('from') ? newestFirst.findIndex(({ id }) => id === query.get('from')) : 0;
    if (!(limit >= 1 && limit <= 250) || start < 0) throw new Problem(400, 'The page cannot be read.');
    const page = newestFirst.slice(start, start + limit);
    const next = newestFirst[start + limit];
    const href = (from: string) => `${this.root}${path}?from=${from}&limit=${limit}`;
    const shown = page.map((each) => inList(bodyOf(each)));
    const previous = start === 0 ? undefined : newestFirst[Math.max(0, start - limit)];
    const links = {
      self: hal(href(page[0]?.id ?? '')),
      previous: previous === undefined ? null : hal(href(previous.id)),
      next: next === undefined ? null : hal(href(next.id)),
      documentation: pageLink(`https://docs.mollie.com/reference/list-${name}`),
    };
    return { status: 200, body: { count: page.length, _embedded: { [name]: shown }, _links: links } };
  }
}

const keyLifetimeMs = 3_600_000;

function created(body: Record<string, unknown>): ApiAnswer {
  return { status: 201, body };
}

const noContent: ApiAnswer = { status: 204, body: undefined };

/** Items of lists have no link to the documentation; the list has it. */
function inList({ _links, ...item }: Record<string, unknown>): Record<string, unknown> {
  const { documentation: _, ...links } = _links as Record<string, unknown>;
  return { ...item, _links: links };
}

/** Accepted, and carried out later if the issuer does: `MollieSimulator.release`. */
function requestRelease(payment: SimulatedPayment): ApiAnswer {
  if (payment.status !== 'authorized') {
    throw new Problem(422, 'Authorization cannot be released because the payment is not in the authorized state.');
  }
  payment.isReleasing = true;
  return { status: 202, body: undefined };
}

function answerOrRefuse(act: () => ApiAnswer): ApiAnswer {
  try {
    return act();
  } catch (problem) {
    return refusal(problem);
  }
}

function refusal(problem: unknown): ApiAnswer {
  if (problem instanceof Problem) return { status: problem.status, body: problem.body() };
  throw problem;
}

function parseObject(body: string): Record<string, unknown> {
  try {
    return JSON.parse(body) as Record<string, unknown>;
  } catch {
    throw new Problem(400, 'The body is not JSON.');
  }
}

function notFound(): never {
  throw new Problem(404, 'Nothing exists under this address.');
}

/** The id of the payment, its release, a capture, a refund, a chargeback. */
const pathOfPayments = new RegExp(
  '^/v2/payments(?:/(\\w+)(?:(/release-authorization)|' +
    '(/captures(?:/(\\w+))?)|(/refunds(?:/(\\w+))?)|(/chargebacks(?:/(\\w+))?))?)?$',
);
