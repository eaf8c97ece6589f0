import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { ConformanceCheck } from '../conformance/conformance-check.ts';
import { jsonOfForm, stripeContract } from '../conformance/stripe-contract.ts';
import { RequestLimit } from './request-limit.ts';
import { StripeAccount } from './stripe-account.ts';
import type { SimulatedBooking } from './stripe-dispute-objects.ts';
import { internalError, problemsBefore, type StripeFault } from './stripe-faults.ts';
import { IdempotencyRecords, type StripeAnswer } from './stripe-idempotency.ts';
import { customerBody, mandateBody, methodBody } from './stripe-method-objects.ts';
import { balanceTransactionOf } from './stripe-objects.ts';
import { sessionPage } from './stripe-page.ts';
import { decodeForm, type Params, StripeProblem, text, tree } from './stripe-params.ts';
import type {
  Listed,
  SignedCallback,
  SimulatedCharge,
  SimulatedEvent,
  SimulatedIntent,
  SimulatedRefund,
  StripeRequest,
} from './stripe-records.ts';
import { randomId } from './stripe-rules.ts';

export interface StripeSimulatorOptions {
  port?: number;
  clock?: () => number;
  webhookSecret?: string;
  /** How many requests a second are taken; all others are answered with 429. */
  requestsPerSecond?: number;
  onEvent?: (callback: SignedCallback) => void;
}

/** The API keys that the simulator accepts, one for each mode. */
export const simulatedApiKey = 'sk_test_simulated0000000000000000';
export const simulatedLiveApiKey = 'sk_live_simulated0000000000000000';

/**
 * Simulates Stripe on the loopback address as its documentation describes it: payment intents and refunds, idempotency
 * keys, test payment methods (`pm_card_visa`, `pm_card_chargeDeclinedInsufficientFunds`, `pm_card_threeDSecure`,
 * `pm_usBankAccount_success`, `pm_card_refundFail`), signed events, and faults on request. Its `charges` and `refunds`
 * are an independent record of the money moved.
 */
export async function startStripeSimulator(options: StripeSimulatorOptions = {}): Promise<StripeSimulator> {
  const simulator = new StripeSimulator(options);
  await simulator.listen(options.port ?? 0);
  return simulator;
}

export class StripeSimulator {
  readonly account: StripeAccount;
  readonly requests: StripeRequest[] = [];
  readonly events: SimulatedEvent[] = [];
  readonly webhookSecret: string;
  /** The mode that answers and events name; undefined: that of the API key. */
  namedLivemode: boolean | undefined;
  /** Whether the API key is a restricted one without the permission for webhook endpoints. */
  mayNotReadEndpoints = false;
  /** Nor warnings of fraud. */
  mayNotReadEvents = false;
  url = '';
  readonly #server = createServer((request, response) => {
    this.#serve(request, response).catch((error: Error) => response.writeHead(500).end(error.message));
  });
  readonly #clock: () => number;
  readonly #idempotencyRecords = new IdempotencyRecords();
  readonly #faults: { fault: StripeFault; on: RegExp; hit: () => void }[] = [];
  readonly #resume: (() => void)[] = [];
  readonly limit: RequestLimit;
  /** Every request, answer and event is compared with Stripe's document; `close` throws what differs. */
  readonly conformance = new ConformanceCheck(stripeContract);

  constructor({
    clock = Date.now,
    webhookSecret = 'whsec_simulated',
    requestsPerSecond,
    onEvent,
  }: StripeSimulatorOptions) {
    this.#clock = clock;
    this.limit = new RequestLimit(requestsPerSecond);
    this.webhookSecret = webhookSecret;
    this.account = new StripeAccount(clock);
    this.account.onEvent = (type, object) => {
      const event = this.#checkedEvent(type, structuredClone(object));
      this.events.push(event);
      onEvent?.(this.sign(event));
    };
  }

  get charges(): readonly SimulatedCharge[] {
    return this.account.charges;
  }

  get refunds(): readonly SimulatedRefund[] {
    return this.account.refunds;
  }

  async listen(port: number): Promise<void> {
    await new Promise<void>((listening) => this.#server.listen(port, '127.0.0.1', listening));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    this.account.pages = this.url;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((closed) => this.#server.close(closed));
    this.conformance.assertNone();
  }

  /** Applies a fault to the next request whose line (`POST /v1/refunds`) matches `on`. Resolves when it has. */
  next(fault: StripeFault, on = /^POST /): Promise<void> {
    return new Promise((hit) => this.#faults.push({ fault, on, hit }));
  }

  /** Continues the requests that a `stall` holds. */
  resume(): void {
    for (const go of this.#resume.splice(0)) go();
  }

  /** Deletes the stored answers of all idempotency keys, as Stripe does after a day. */
  forgetKeys(): void {
    this.#idempotencyRecords.forget();
  }

  event(type: string, object: unknown): SimulatedEvent {
    return {
      id: `evt_${randomId()}`,
      object: 'event',
      api_version: endpointVersion,
      created: Math.floor(this.#clock() / 1_000),
      data: { object },
      livemode: this.account.livemode,
      pending_webhooks: 1,
      request: { id: null, idempotency_key: null },
      type,
    };
  }

  /** Signs an event as Stripe does (https://docs.stripe.com/webhooks/signature). */
  sign(event: unknown, atMs = this.#clock(), secret = this.webhookSecret): SignedCallback {
    const body = Buffer.from(JSON.stringify(event));
    const at = Math.floor(atMs / 1_000);
    const signature = createHmac('sha256', secret).update(`${at}.`).update(body).digest('hex');
    return { headers: { 'content-type': 'application/json', 'stripe-signature': `t=${at},v1=${signature}` }, body };
  }

  /**
   * A signed event of this type about a page, refund, dispute, payment intent or its charge, in its current state.
   */
  callback(type: string, id: string): SignedCallback {
    if (id.startsWith('cs_')) return this.sign(this.#checkedEvent(type, this.account.sessions.get(id)));
    if (id.startsWith('dp_')) return this.sign(this.#checkedEvent(type, this.account.disputes.get(id)));
    if (id.startsWith('re_')) return this.sign(this.#checkedEvent(type, this.account.refund(id)));
    const intent = this.account.intent(id);
    const isOfCharge = type.startsWith('charge.');
    return this.sign(this.#checkedEvent(type, isOfCharge ? this.account.latestCharge(intent) : intent));
  }

  #checkedEvent(type: string, object: { object: string } | undefined): SimulatedEvent {
    const event = this.event(type, object);
    this.conformance.value('event', event);
    this.conformance.value(object?.object ?? 'nothing', object);
    return event;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { pathname, search } = new URL(request.url ?? '/', this.url);
    const method = request.method ?? 'GET';
    if (pathname === '/favicon.ico') {
      // Browsers ask for the icon of a page.
      response.writeHead(404).end();
      return;
    }
    if (pathname.startsWith('/authenticate/')) return this.#showPage(pathname, search, response);
    if (pathname.startsWith('/c/pay/')) {
      const form = method === 'POST' ? decodeForm(Buffer.concat(chunks).toString('utf8')) : undefined;
      return this.#showSession(pathname, form, response);
    }
    const { params, file } = await decoded(request, Buffer.concat(chunks), search);
    const key = request.headers['idempotency-key'] as string | undefined;
    this.requests.push({ method, path: pathname, key, params });
    const { fault: requested, hit } = this.#faultFor(`${method} ${pathname}`);
    const fault = requested ?? (this.limit.takes() ? undefined : 'rateLimit');
    if (fault === 'hangBefore') return hit();
    if (fault === 'dropBefore') return hit(request.socket.destroy());
    if (fault === 'stall') hit();
    const { authorization } = request.headers;
    const answer = await this.#answer(authorization, { method, path: pathname, key, params, file }, fault);
    if (typeof fault !== 'object') this.#check({ method, path: pathname, key, params }, answer);
    hit();
    if (fault === 'hangAfter') return;
    if (fault === 'dropAfter') {
      request.socket.destroy();
      return;
    }
    response.writeHead(answer.status, {
      'content-type': 'application/json',
      'request-id': `req_${randomId()}`,
      ...(answer.replayed && { 'idempotent-replayed': 'true' }),
      ...(answer.status === 429 && requested === 'rateLimit' && { 'retry-after': '2' }),
    });
    if (fault === 'dripAfter') response.write(answer.body.slice(0, 1));
    else response.end(fault === 'garbageAfter' ? '<html>Bad gateway</html>' : answer.body);
  }

  #check({ method, path, params }: StripeRequest, { status, body }: StripeAnswer): void {
    this.conformance.exchange(() => {
      const sent = jsonOfForm(params);
      const isPost = method === 'POST';
      const request = { method, path, query: isPost ? {} : sent, body: isPost ? sent : undefined };
      return { ...request, status, answer: JSON.parse(body) };
    });
  }

  #faultFor(line: string): { fault?: StripeFault; hit: (_?: unknown) => void } {
    const at = this.#faults.findIndex(({ on }) => on.test(line));
    const [found] = at < 0 ? [] : this.#faults.splice(at, 1);
    return found ?? { hit: () => {} };
  }

  async #answer(authorization: string | undefined, request: StripeRequest, fault?: StripeFault): Promise<StripeAnswer> {
    if (typeof fault === 'object') return fault;
    try {
      this.account.livemode = this.namedLivemode ?? livemodeOf(authorization);
      const problem = fault && problemsBefore[fault];
      if (problem !== undefined) throw problem;
      const { method, path, params, key } = request;
      return await this.#idempotencyRecords.once(key, JSON.stringify([method, path, params]), async () => {
        if (fault === 'stall') await new Promise<void>((go) => this.#resume.push(go));
        const body = JSON.stringify(this.#execute(request), null, 2);
        return fault === 'status500After' ? internalError.answer : { status: 200, body };
      });
    } catch (error) {
      if (error instanceof StripeProblem) return error.answer;
      throw error;
    }
  }

  #execute({ method, path, params, file }: StripeRequest): unknown {
    const [resource = '', id = '', verb] = path
      .replace('/v1/', '')
      .replace(/(checkout|radar)\//, '$1-')
      .split('/');
    const { account } = this;
    const list = <Item extends Listed>(
      all: readonly Item[],
      filters: readonly string[],
      show: (item: Item) => unknown = (item) => item,
    ) => {
      const { data, has_more } = account.list(all, params, filters);
      return { object: 'list', url: path, has_more, data: data.map(show) };
    };
    const expand = Object.values(tree(params, 'expand')).map(String);
    switch (`${method} ${resource}${id === '' ? '' : '/id'}${verb === undefined ? '' : `/${verb}`}`) {
      case 'POST payment_intents':
        return this.#expanded(account.createIntent(params), expand);
      case 'GET payment_intents':
        return list([...account.intents.values()], ['customer']);
      case 'GET payment_intents/id':
        return this.#expanded(account.intent(id), expand);
      case 'POST payment_intents/id/confirm':
        return account.confirmIntent(id, params);
      case 'POST payment_intents/id/cancel':
        return account.cancelIntent(id, params);
      case 'POST payment_intents/id/capture':
        return this.#expanded(account.captureIntent(id, params), expand);
      case 'GET charges':
        return list(account.charges, ['customer', 'payment_intent']);
      case 'GET charges/id':
        return this.#expandedCharge(account.charge(id), expand);
      case 'GET disputes':
        return list(account.disputes.all, ['charge', 'payment_intent']);
      case 'GET disputes/id':
        return account.disputes.get(id);
      case 'POST disputes/id':
        return account.disputes.update(id, params);
      case 'POST disputes/id/close':
        return account.disputes.close(id, params);
      case 'POST files':
        return account.disputes.upload(params, file);
      case 'GET balance_transactions':
        return list(account.disputes.failures, ['type'], (booking) => this.#expandedBooking(booking, expand));
      case 'POST refunds':
        return account.createRefund(params);
      case 'GET refunds':
        return list(account.refunds, ['payment_intent', 'charge']);
      case 'GET refunds/id':
        return account.refund(id);
      case 'POST customers':
        return customerBody(account.customers.create(params));
      case 'GET customers':
        return list(
          account.customers.all.filter(({ isDeleted }) => !isDeleted),
          ['email'],
          customerBody,
        );
      case 'GET customers/id':
        return customerBody(account.customers.find(id));
      case 'GET customers/id/payment_methods':
        return {
          ...{ object: 'list', url: path, has_more: false },
          data: account.methods.ofCustomer(account.customers.find(id).id).map(methodBody),
        };
      case 'DELETE customers/id':
        return account.customers.delete(id);
      case 'GET payment_methods/id':
        return methodBody(account.methods.get(id));
      case 'POST payment_methods/id/detach':
        return methodBody(account.methods.detach(id));
      case 'GET mandates/id':
        return mandateBody(account.methods.mandate(id));
      case 'POST setup_intents':
        return account.setups.expanded(account.setups.create(params), expand);
      case 'GET setup_intents':
        return list([...account.setups.all.values()], ['customer', 'payment_method']);
      case 'GET setup_intents/id':
        return account.setups.expanded(account.setups.get(id), expand);
      case 'POST setup_intents/id/cancel':
        return account.setups.cancel(id, params);
      case 'GET radar-early_fraud_warnings':
        if (this.mayNotReadEvents) throw notPermitted;
        return list(account.disputes.warnings, ['charge', 'payment_intent']);
      case 'GET events': {
        if (this.mayNotReadEvents) throw notPermitted;
        const { types, ...paging } = params;
        const named = Object.values(tree({ types: types ?? {} }, 'types'));
        const { data, has_more } = account.list(
          this.events.filter(({ type }) => named.length === 0 || named.includes(type)),
          paging,
          ['type'],
        );
        return { object: 'list', url: path, has_more, data };
      }
      case 'GET webhook_endpoints':
        if (this.mayNotReadEndpoints) throw notPermitted;
        return list(account.endpoints, []);
      case 'POST checkout-sessions':
        return account.sessions.create(params);
      case 'GET checkout-sessions':
        return list(
          [...account.sessions.all.keys()].map((one) => account.sessions.get(one)),
          ['customer', 'payment_intent', 'status'],
        );
      case 'GET checkout-sessions/id':
        return account.sessions.get(id);
      case 'POST checkout-sessions/id/expire':
        return account.sessions.expire(id, params);
      default:
        throw new StripeProblem(404, { message: `Unrecognized request URL (${method}: ${path}).` });
    }
  }

  /** The charge of an intent and its booking, where the request asks to expand them. */
  #expanded(intent: SimulatedIntent, expand: readonly string[]): unknown {
    const charge = this.account.latestCharge(intent);
    if (charge === undefined || !expand.some((path) => path.startsWith('latest_charge'))) return intent;
    if (expand.includes('latest_charge.failure_balance_transaction')) {
      return { ...intent, latest_charge: this.#expandedCharge(charge, ['failure_balance_transaction']) };
    }
    const isBookingExpanded = expand.includes('latest_charge.balance_transaction');
    const booking =
      charge.balance_transaction !== null && isBookingExpanded
        ? balanceTransactionOf(charge)
        : charge.balance_transaction;
    return { ...intent, latest_charge: { ...charge, balance_transaction: booking } };
  }

  #expandedCharge(charge: SimulatedCharge, expand: readonly string[]): unknown {
    const { failure_balance_transaction: id } = charge;
    if (id === null || !expand.includes('failure_balance_transaction')) return charge;
    return { ...charge, failure_balance_transaction: this.account.disputes.failures.find((one) => one.id === id) };
  }

  #expandedBooking(booking: SimulatedBooking, expand: readonly string[]): unknown {
    const isExpanded = expand.includes('data.source');
    return isExpanded ? { ...booking, source: this.account.charge(booking.source) } : booking;
  }

  /** The bank's page: opening it authenticates the payer, unless `?outcome=fail`. */
  #showPage(path: string, search: string, response: ServerResponse): void {
    const id = path.split('/')[2] as string;
    const intents = id.startsWith('seti_') ? this.account.setups : this.account;
    intents.authenticate(id, new URLSearchParams(search).get('outcome') !== 'fail');
    const back = this.account.sessions.returned(id) ?? intents.returnUrlOf(id) ?? this.url;
    response.writeHead(302, { location: back }).end();
  }

  /** The hosted page: a form with which the payer chooses a method and pays, and a way back. */
  #showSession(path: string, form: Params | undefined, response: ServerResponse): void {
    const id = path.split('/')[3] as string;
    const location = form && this.account.sessions.submit(id, text(form, 'method') ?? '');
    if (location !== undefined) {
      response.writeHead(303, { location }).end();
      return;
    }
    response.writeHead(form === undefined ? 200 : 402, { 'content-type': 'text/html; charset=utf-8' });
    response.end(sessionPage(this.account.sessions.get(id)));
  }
}

/** The API version of the webhook endpoint, which decides the shape of events. It is not that of the library. */
const endpointVersion = '2026-08-26.dahlia';

/** https://docs.stripe.com/keys/restricted-api-keys */
const notPermitted = new StripeProblem(403, {
  message: 'The provided key does not have the required permissions for this endpoint.',
});

/** The parameters of a request: a query, a form, or for an upload the parts of one. */
async function decoded(
  { method, headers }: IncomingMessage,
  body: Buffer,
  search: string,
): Promise<Pick<StripeRequest, 'params' | 'file'>> {
  const type = headers['content-type'] ?? '';
  if (!type.startsWith('multipart/')) {
    return { params: decodeForm(method === 'POST' ? body.toString('utf8') : search.slice(1)) };
  }
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
  const file = form.get('file');
  const params = Object.fromEntries([...form].map(([name, value]) => [name, typeof value === 'string' ? value : '']));
  return { params, ...(file instanceof File && { file }) };
}

function livemodeOf(authorization: string | undefined): boolean {
  const key = /^Bearer (.+)$/.exec(authorization ?? '')?.[1];
  if (key === simulatedApiKey || key === simulatedLiveApiKey) return key === simulatedLiveApiKey;
  const message = key === undefined ? 'You did not provide an API key.' : `Invalid API Key provided: ${key}`;
  throw new StripeProblem(401, { message });
}

/** `node server/tests/support/simulators/stripe.ts --port 12111 --callback-url http://127.0.0.1:8080/api/callback/1` */
if (import.meta.url === pathToFileURL(resolve(process.argv[1] ?? '')).href) {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '12111' },
      'callback-url': { type: 'string' },
      'webhook-secret': { type: 'string', default: 'whsec_simulated' },
    },
  });
  const { 'callback-url': callbackUrl, 'webhook-secret': webhookSecret, port } = values;
  const { url } = await startStripeSimulator({
    port: Number(port),
    webhookSecret,
    onEvent: ({ headers, body }) => {
      if (callbackUrl === undefined) return;
      fetch(callbackUrl, { method: 'POST', headers, body: new Uint8Array(body) }).then(
        ({ status }) => console.log(`event posted: ${status}`),
        (error: Error) => console.log(`event not posted: ${error.message}`),
      );
    },
  });
  console.log(`Stripe simulated at ${url}; apiKey ${simulatedApiKey}, webhookSecret ${webhookSecret}`);
}
