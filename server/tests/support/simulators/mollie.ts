import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { ConformanceCheck } from '../conformance/conformance-check.ts';
import { mollieContract } from '../conformance/mollie-contract.ts';
import { type ApiAnswer, type ApiRequest, MollieApi } from './mollie-api.ts';
import { checkoutPage, isUndecided } from './mollie-checkout.ts';
import type { SimulatedMandate } from './mollie-customers.ts';
import { isOfferedFor } from './mollie-orders.ts';
import {
  capturedOf,
  chargebackBody,
  newChargeback,
  newRefund,
  type PaymentStatus,
  paymentBody,
  type RefundStatus,
  refundBody,
  type SimulatedCapture,
  type SimulatedChargeback,
  type SimulatedPayment,
  type SimulatedRefund,
} from './mollie-records.ts';
import { hal, Problem, page } from './mollie-values.ts';
import { RequestLimit } from './request-limit.ts';

/** A fault of one request to the API. */
export interface Fault {
  /** The method of the request; any if absent. */
  method?: 'GET' | 'POST' | 'DELETE';
  /** The path of the request, without the query; any if absent. */
  path?: RegExp;
  /** Whether the fault comes before or after the simulator executes the request. */
  when: 'before' | 'after';
  /** No answer; a closed connection; an unreadable answer; or an error with this status. */
  how: 'silence' | 'cut' | 'garbage' | number;
  /** The body of an error, instead of Mollie's error object. */
  body?: string;
  /** The header `Retry-After` of an error. */
  retryAfter?: string;
}

/** A request that Mollie sends to a webhook. */
export interface SimulatedCallback {
  url: string;
  headers: Record<string, string>;
  body: string;
}

export interface MollieSimulatorOptions {
  /** 0 takes a free port. */
  port?: number;
  now?: () => number;
  /** How many requests a second are taken; all others are answered with 429. */
  requestsPerSecond?: number;
  /** Posts callbacks to their address and logs the result; otherwise they are only added to `callbacks`. */
  deliver?: boolean;
}

/**
 * Simulates Mollie on the loopback address: API, checkout page and webhooks. It accepts every key `test_…` or `live_…`,
 * and all keys share one account. `pay`, `fail`, `expire` and `cancelByPayer` act as the payer; a person can use the
 * checkout page instead.
 */
export class MollieSimulator {
  readonly api: MollieApi;
  readonly callbacks: SimulatedCallback[] = [];
  readonly requests: ApiRequest[] = [];
  readonly #server: Server;
  readonly #now: () => number;
  readonly #deliver: boolean;
  readonly #faults: { fault: Fault; hit: () => void }[] = [];
  readonly limit: RequestLimit;
  /** Every request, answer and event is compared with Mollie's document; `close` throws what differs. */
  readonly conformance = new ConformanceCheck(mollieContract);

  private constructor({ now = Date.now, deliver = false, requestsPerSecond }: MollieSimulatorOptions) {
    this.#now = now;
    this.limit = new RequestLimit(requestsPerSecond);
    this.#deliver = deliver;
    this.api = new MollieApi(now, {
      cancelled: (id) => this.#settle(id, 'canceled'),
      recurring: (payment, mandate) => this.#chargeMandate(payment, mandate),
    });
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch(() => response.destroy());
    });
  }

  static async start(options: MollieSimulatorOptions = {}): Promise<MollieSimulator> {
    const simulator = new MollieSimulator(options);
    await new Promise<void>((done) => simulator.#server.listen(options.port ?? 0, '127.0.0.1', done));
    simulator.api.root = `http://127.0.0.1:${(simulator.#server.address() as AddressInfo).port}`;
    return simulator;
  }

  /** The address before `/v2`. */
  get url(): string {
    return this.api.root;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((closed) => this.#server.close(closed));
    this.conformance.assertNone();
  }

  /**
   * Applies a fault to the next matching request, once. Resolves afterwards: the request was then executed, or never
   * will be.
   */
  fault(fault: Fault): Promise<void> {
    return new Promise((hit) => this.#faults.push({ fault, hit }));
  }

  /** All payments, oldest first. */
  get payments(): SimulatedPayment[] {
    return [...this.api.payments.values()];
  }

  payment(id: string): SimulatedPayment {
    const payment = this.api.payments.get(id);
    if (payment === undefined) throw new Error(`There is no payment ${id}.`);
    return payment;
  }

  /** The payer pays, with the method of the payment or else with `method`. */
  pay(id: string, method = 'ideal'): void {
    const payment = this.payment(id);
    payment.method ??= payment.offered?.includes(method) ? method : (payment.offered?.[0] ?? method);
    if (!isOfferedFor(payment, payment.method)) throw new Error(`${payment.method} is not offered for ${id}.`);
    this.#settle(id, 'paid');
  }

  /** A capture that was asked for succeeds. The payment is paid when all of it is captured. */
  capture(id: string): void {
    this.#pendingCapture(id).status = 'succeeded';
    const payment = this.payment(id);
    const { captured, isWhole } = capturedOf(payment);
    payment.amountCaptured = captured;
    this.#settle(id, isWhole ? 'paid' : 'authorized');
  }

  failCapture(id: string): void {
    this.#pendingCapture(id).status = 'failed';
  }

  #pendingCapture(id: string): SimulatedCapture {
    const capture = this.payment(id).captures.find(({ status }) => status === 'pending');
    if (capture === undefined) throw new Error(`Nobody has asked to capture ${id}.`);
    return capture;
  }

  /** The payer's bank returns a direct debit that is on its way. */
  returnDebit(id: string, bankReasonCode: string): void {
    this.payment(id).bankReasonCode = bankReasonCode;
    this.#settle(id, 'failed');
  }

  mandate(id: string): SimulatedMandate {
    const mandate = this.api.customers.mandates.get(id);
    if (mandate === undefined) throw new Error(`There is no mandate ${id}.`);
    return mandate;
  }

  /** The payer or the merchant's dashboard ends a mandate. Mollie sends no event. */
  revokeMandate(id: string): void {
    this.mandate(id).status = 'invalid';
  }

  /** The merchant's dashboard deletes a customer. Mollie sends no event. */
  deleteCustomer(id: string): void {
    const customer = this.api.customers.all.get(id);
    if (customer === undefined) throw new Error(`There is no customer ${id}.`);
    this.api.customers.delete(customer);
  }

  fail(id: string, reason: string | null = null): void {
    this.payment(id).failureReason = reason;
    this.#settle(id, 'failed');
  }

  expire(id: string): void {
    this.#settle(id, 'expired');
  }

  cancelByPayer(id: string): void {
    this.#settle(id, 'canceled');
  }

  authorize(id: string): void {
    this.#settle(id, 'authorized');
  }

  /** The release of an authorization that was asked for succeeds. */
  release(id: string): void {
    const payment = this.payment(id);
    if (!payment.isReleasing) throw new Error(`Nobody has asked to release ${id}.`);
    this.#settle(id, payment.amountCaptured === undefined ? 'canceled' : 'paid');
  }

  /** The payment is in progress at the payer's bank. Mollie sends no callback for that. */
  pend(id: string): void {
    this.#change(id, 'pending');
  }

  /** Mollie reports `processing`, `refunded` and `failed` to the webhook of the payment. */
  progressRefund(id: string, status: RefundStatus): void {
    const { payment, refund } = this.#find(id);
    if (refund === undefined) throw new Error(`${id} is not a refund.`);
    refund.status = status;
    if (['processing', 'refunded', 'failed'].includes(status)) this.#sendCallback(payment);
  }

  /** The payer's bank takes money back. Mollie calls the webhook of the payment, whose status stays `paid`. */
  chargeBack(id: string, facts: { value?: string; code?: string } = {}): SimulatedChargeback {
    const payment = this.payment(id);
    if (payment.status !== 'paid') throw new Error(`${id} is ${payment.status} and cannot be charged back.`);
    const chargeback = newChargeback(payment, facts, this.#now());
    payment.chargebacks.push(chargeback);
    this.#sendCallback(payment);
    return chargeback;
  }

  /** The money of a chargeback comes back. */
  reverseChargeback(id: string): void {
    const { payment, chargeback } = this.#find(id);
    if (chargeback === undefined) throw new Error(`${id} is not a chargeback.`);
    chargeback.reversedMs = this.#now();
    this.#sendCallback(payment);
  }

  /** The merchant refunds a payment in Mollie's dashboard. */
  refundInDashboard(id: string, value = this.payment(id).amount.value): SimulatedRefund {
    const payment = this.payment(id);
    const refund = newRefund(payment, { amount: { ...payment.amount, value } }, this.#now());
    payment.refunds.push(refund);
    this.#sendCallback(payment);
    return refund;
  }

  /**
   * A signed next-gen callback about a payment, refund or chargeback in its current state: an event, with the entity or
   * without, or the entity alone.
   */
  signedCallback(id: string, secret: string, form: 'event' | 'bare' | 'entity' = 'event'): SimulatedCallback {
    const { entity, status } = this.#entity(id);
    const type = `${entity.resource}.${status}`;
    const createdAt = new Date(this.#now()).toISOString();
    const eventId = `event_${id.slice(3)}${status}`;
    const event = {
      resource: 'event',
      id: eventId,
      type,
      entityId: id,
      createdAt,
      ...(form !== 'bare' && { _embedded: { entity } }),
      _links: {
        self: hal(`${this.url}/v2/events/${eventId}`),
        documentation: page('https://docs.mollie.com/reference/get-webhook-event'),
        entity: hal((entity._links as { self: { href: string } }).self.href),
      },
    };
    this.conformance.value('entity-webhook-event', event);
    return this.signed(JSON.stringify(form === 'entity' ? entity : event), secret);
  }

  /** A signed callback with any body. */
  signed(body: string, secret: string): SimulatedCallback {
    const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
    return { url: '', headers: { 'content-type': 'application/json', 'x-mollie-signature': signature }, body };
  }

  #entity(id: string): { entity: Record<string, unknown>; status: string } {
    const { payment, refund, chargeback } = this.#find(id);
    if (chargeback !== undefined) {
      const status = chargeback.reversedMs === null ? 'received' : 'reversed';
      return { entity: chargebackBody(chargeback, this.url), status };
    }
    const entity = refund === undefined ? paymentBody(payment, this.url) : refundBody(refund, this.url);
    return { entity, status: entity.status as string };
  }

  #find(id: string) {
    for (const payment of this.api.payments.values()) {
      const refund = payment.refunds.find((each) => each.id === id);
      const chargeback = payment.chargebacks.find((each) => each.id === id);
      if ((refund ?? chargeback) !== undefined || payment.id === id) return { payment, refund, chargeback };
    }
    throw new Error(`There is no ${id}.`);
  }

  /** A direct debit is on its way for days; cards and PayPal answer at once. */
  #chargeMandate({ id }: SimulatedPayment, { method, declines }: SimulatedMandate): void {
    if (method === 'directdebit') this.pend(id);
    else if (declines === null) this.pay(id);
    else this.fail(id, declines);
  }

  #settle(id: string, status: PaymentStatus): void {
    this.#change(id, status);
    this.#sendCallback(this.payment(id));
  }

  #change(id: string, status: PaymentStatus): void {
    const payment = this.payment(id);
    payment.status = status;
    payment.changedMs = this.#now();
    // A payer who pays has chosen a method.
    if (['paid', 'authorized', 'pending'].includes(status)) payment.method ??= payment.offered?.[0] ?? 'ideal';
    const { sequenceType, customerId, method } = payment;
    if (sequenceType !== 'first' || customerId === undefined || method === null) return;
    if (status === 'paid' || status === 'authorized') {
      payment.mandateId ??= this.api.customers.keep(customerId, method).id;
    }
  }

  #sendCallback({ id, webhookUrl: url }: SimulatedPayment): void {
    if (url === null) return;
    const callback = { url, headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: `id=${id}` };
    this.callbacks.push(callback);
    if (!this.#deliver) return;
    fetch(url, { method: 'POST', headers: callback.headers, body: callback.body }).then(
      ({ status }) => console.log(`${id}: callback sent to ${new URL(url).origin}, which answered ${status}`),
      () => console.log(`${id}: ${new URL(url).origin} cannot be reached`),
    );
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url: path = '/', headers } = request;
    const body = Buffer.concat(await request.toArray()).toString('utf8');
    if (path === '/favicon.ico') {
      // Browsers ask for the icon of a page.
      response.writeHead(404).end();
      return;
    }
    const checkout = /^\/checkout\/(tr_\w+)$/.exec(path)?.[1];
    if (checkout !== undefined) return this.#serveCheckout(checkout, new URLSearchParams(body), response);

    const apiRequest = { method, path, headers, body };
    this.requests.push(apiRequest);
    const at = this.#faults.findIndex(({ fault }) => matches(fault, apiRequest));
    const { fault: requested, hit } = (at < 0 ? undefined : this.#faults.splice(at, 1)[0]) ?? {};
    const fault = requested ?? (this.limit.takes() ? undefined : rateLimit);
    const answer = fault?.when === 'before' ? undefined : this.api.answer(apiRequest);
    if (answer !== undefined) this.#check(apiRequest, answer);
    send(response, answer, fault);
    hit?.();
  }

  #check({ method, path, body }: ApiRequest, { status, body: answer }: ApiAnswer): void {
    const answered = JSON.stringify(answer);
    const { pathname, searchParams } = new URL(path, this.url);
    this.conformance.exchange(() => {
      const request = { method, path: pathname, query: nested(searchParams), body: parsed(body) };
      return { ...request, status, answer: parsed(answered) };
    });
  }

  #serveCheckout(id: string, form: URLSearchParams, response: ServerResponse): void {
    const payment = this.api.payments.get(id);
    if (payment === undefined) {
      response.writeHead(404).end();
      return;
    }
    const choice = form.get('choice');
    if (choice === null || !isUndecided(payment)) {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(checkoutPage(payment));
      return;
    }
    if (choice === 'pay') this.pay(id, form.get('method') ?? undefined);
    else if (choice === 'fail') this.fail(id);
    else if (choice === 'expire') this.expire(id);
    else this.cancelByPayer(id);
    response.writeHead(303, { location: payment.redirectUrl ?? `/checkout/${id}` }).end();
  }
}

/** `amount[value]=1.00` is a member of the parameter `amount`. */
function nested(query: URLSearchParams): Record<string, unknown> {
  const parameters: Record<string, unknown> = {};
  for (const [name, value] of query) {
    const [, outer, inner] = /^(\w+)\[(\w+)\]$/.exec(name) ?? [];
    if (outer === undefined || inner === undefined) parameters[name] = value;
    else parameters[outer] = { ...(parameters[outer] as object), [inner]: value };
  }
  return parameters;
}

function parsed(body: string | undefined): unknown {
  return body === undefined || body === '' ? undefined : JSON.parse(body);
}

function matches({ method, path }: Fault, request: ApiRequest): boolean {
  const { pathname } = new URL(request.path, 'http://mollie');
  return (method === undefined || method === request.method) && (path === undefined || path.test(pathname));
}

const rateLimit: Fault = { when: 'before', how: 429 };

function send(response: ServerResponse, answer: ApiAnswer | undefined, fault: Fault | undefined): void {
  const json = { 'content-type': 'application/hal+json' };
  if (fault?.how === 'silence') return;
  if (fault?.how === 'cut') {
    response.socket?.destroy();
    return;
  }
  if (fault?.how === 'garbage') {
    response.writeHead(200, json).end('{"resource":"paym');
    return;
  }
  if (fault !== undefined) {
    const problem = new Problem(fault.how, 'This fault of the simulator was requested.');
    const headers = fault.retryAfter === undefined ? json : { ...json, 'retry-after': fault.retryAfter };
    response.writeHead(problem.status, headers).end(fault.body ?? JSON.stringify(problem.body()));
    return;
  }
  const { status, body, replayed } = answer as ApiAnswer;
  response
    .writeHead(status, replayed ? { ...json, 'idempotent-replayed': 'true' } : json)
    .end(body && JSON.stringify(body));
}

// As a program: `node server/tests/support/simulators/mollie.ts --port 12112`.
if (import.meta.url === pathToFileURL(resolve(process.argv[1] ?? '')).href) {
  const { values } = parseArgs({ options: { port: { type: 'string', default: '12112' } } });
  const { url } = await MollieSimulator.start({ port: Number(values.port), deliver: true });
  console.log(`Mollie simulated at ${url}`);
}
