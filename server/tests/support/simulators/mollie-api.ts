import type { IncomingHttpHeaders } from 'node:http';
import {
  hal,
  isCancelable,
  type Mode,
  newPayment,
  newRefund,
  Problem,
  page as pageLink,
  paymentBody,
  refundBody,
  type SimulatedPayment,
  type SimulatedRefund,
} from './mollie-records.ts';

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

/** Simulates Mollie's Payments and Refunds API (v2) as described on docs.mollie.com, without a network. */
export class MollieApi {
  readonly payments = new Map<string, SimulatedPayment>();
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
  readonly #answers = new Map<string, ApiAnswer & { request: string; atMs: number }>();

  constructor(now: () => number, cancelled: (id: string) => void) {
    this.#now = now;
    this.#onCancel = cancelled;
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
    const [, id, release, refunds, refundId] =
      /^\/v2\/payments(?:\/(\w+)(?:(\/release-authorization)|(\/refunds(?:\/(\w+))?))?)?$/.exec(pathname) ?? notFound();
    if (id === undefined) {
      if (method === 'POST') return this.#create(parseObject(body));
      return this.#list('payments', pathname, this.#visible(), searchParams);
    }
    const payment = this.#visible().find((one) => one.id === id) ?? notFound();
    if (release !== undefined && method === 'POST') return requestRelease(payment);
    if (refunds === undefined) {
      if (method === 'DELETE') this.#cancel(payment);
      return { status: 200, body: paymentBody(payment, this.root) };
    }
    if (method === 'POST') return this.#refund(payment, parseObject(body));
    if (refundId === undefined) return this.#list('refunds', pathname, payment.refunds, searchParams);
    const refund = payment.refunds.find((each) => each.id === refundId) ?? notFound();
    return { status: 200, body: refundBody(refund, this.root) };
  }

  /** A key sees the payments of its mode. */
  #visible(): SimulatedPayment[] {
    return [...this.payments.values()].filter(({ mode }) => mode === this.#mode);
  }

  #create(body: Record<string, unknown>): ApiAnswer {
    const payment = newPayment(body, this.#mode, this.#now());
    this.payments.set(payment.id, payment);
    return { status: 201, body: paymentBody(payment, this.root) };
  }

  #cancel(payment: SimulatedPayment): void {
    if (!isCancelable(payment)) throw new Problem(422, 'The payment cannot be cancelled');
    this.#onCancel(payment.id);
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
  #list(name: string, path: string, all: (SimulatedPayment | SimulatedRefund)[], query: URLSearchParams): ApiAnswer {
    const limit = Number(query.get('limit') ?? 50);
    const newestFirst = all.toReversed();
    const start = query.has('from') ? newestFirst.findIndex(({ id }) => id === query.get('from')) : 0;
    if (!(limit >= 1 && limit <= 250) || start < 0) throw new Problem(400, 'The page cannot be read.');
    const page = newestFirst.slice(start, start + limit);
    const next = newestFirst[start + limit];
    const href = (from: string) => `${this.root}${path}?from=${from}&limit=${limit}`;
    const shown = page.map((each) =>
      inList('refunds' in each ? paymentBody(each, this.root) : refundBody(each, this.root)),
    );
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
