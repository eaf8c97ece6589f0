import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import * as sdk from '../src/index.ts';
import { florinWebhook as expressWebhook } from '../src/receivers/express.ts';
import { florinWebhook as fastifyWebhook } from '../src/receivers/fastify.ts';
import { florinWebhook as honoWebhook } from '../src/receivers/hono.ts';
import { florinWebhook as nextWebhook } from '../src/receivers/next.ts';
import { receive } from '../src/receivers/receiver.ts';

const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
const event: sdk.TestEvent = { type: 'transaction.succeeded', data: { object: { id: 'txn_1', amount: 1099 } } };
let signed: { body: string; headers: Record<string, string> };
const florin = new sdk.Florin();
const stops: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  signed = await florin.webhooks.signForTest(event, secret);
});

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const refusal = (verified: Promise<unknown>) =>
  verified.then(
    () => undefined,
    (error: unknown) => error as sdk.SignatureError,
  );

test('a genuine webhook returns its event, from text and bytes, with headers of any kind', async () => {
  const { body, headers } = signed;
  const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]));
  for (const raw of [body, Buffer.from(body), new TextEncoder().encode(body).buffer]) {
    for (const given of [headers, new Headers(headers), upper]) {
      expect(await florin.webhooks.verify(raw, given, secret)).toMatchObject(event);
    }
  }
});

test('what the SDK signs, an independent library verifies, and the other way round', async () => {
  const { body, headers } = signed;
  const library = new Webhook(secret);
  expect(library.verify(body, headers)).toMatchObject(event);
  const at = new Date();
  const own = { 'webhook-id': 'evt_2', 'webhook-timestamp': String(Math.floor(at.getTime() / 1000)) };
  const signature = library.sign('evt_2', at, body);
  await sdk.verifyWebhook(body, { ...own, 'webhook-signature': signature }, secret);
});

test.each(['whsec_unpaddedSecret', 'whsec_demonstration'])(
  'base64 without padding is decoded as by the library: %s',
  async (unpadded) => {
    const { body, headers } = await florin.webhooks.signForTest(event, unpadded);
    expect(new Webhook(unpadded).verify(body, headers)).toMatchObject(event);
    // Endpoints of earlier releases sign with its bytes.
    const id = headers['webhook-id'] as string;
    const earlier = new Webhook(unpadded, { format: 'raw' }).sign(
      id,
      new Date(Number(headers['webhook-timestamp']) * 1000),
      body,
    );
    await sdk.verifyWebhook(body, { ...headers, 'webhook-signature': earlier }, unpadded);
  },
);

test('another secret, another body, another id or timestamp are refused', async () => {
  const { body, headers } = signed;
  const later = String(Number(headers['webhook-timestamp']) + 1);
  const changed: [string, Record<string, string>, string][] = [
    [body, headers, 'another secret of 16'],
    [`${body} `, headers, secret],
    [body, { ...headers, 'webhook-id': 'evt_0' }, secret],
    [body, { ...headers, 'webhook-timestamp': later }, secret],
    [body, { ...headers, 'webhook-signature': 'v1,!' }, secret],
    [body, { ...headers, 'webhook-signature': '' }, secret],
  ];
  for (const given of changed) {
    const error = await refusal(florin.webhooks.verify(...given));
    expect(error).toBeInstanceOf(sdk.SignatureError);
    expect(error?.type).toBe('signature_wrong');
  }
});

test('while a secret is changed, one of several signatures and one of several secrets are enough', async () => {
  const { body, headers } = signed;
  const both = { ...headers, 'webhook-signature': `v1,AAAA ${headers['webhook-signature']}` };
  await florin.webhooks.verify(body, both, ['a secret of later times', secret]);
});

test('an old webhook is refused, and the tolerance can be chosen', async () => {
  const timestamp = Math.floor(Date.now() / 1000) - 600;
  const signature = new Webhook(secret).sign('evt_1', new Date(timestamp * 1000), signed.body);
  const old = { 'webhook-id': 'evt_1', 'webhook-timestamp': String(timestamp), 'webhook-signature': signature };
  const error = await refusal(florin.webhooks.verify(signed.body, old, secret));
  expect(error).toMatchObject({ type: 'timestamp_outside_tolerance', message: expect.stringMatching(/\d+ s ago/) });
  await florin.webhooks.verify(signed.body, old, secret, { toleranceMs: 700_000 });
});

test('without its timestamp a webhook is refused, unless the scheme of X-Service-Signature is asked for', async () => {
  const { body, headers } = signed;
  const service = { 'X-Service-Signature': headers['x-service-signature'] as string };
  const error = await refusal(florin.webhooks.verify(body, service, secret));
  expect(error).toMatchObject({ type: 'signature_missing', message: expect.stringContaining('scheme: "service"') });
  expect(await florin.webhooks.verify(body, service, secret, { scheme: 'service' })).toMatchObject(event);
  const wrong = { 'X-Service-Signature': 'ab'.repeat(32) };
  expect((await refusal(florin.webhooks.verify(body, wrong, secret, { scheme: 'service' })))?.type).toBe(
    'signature_wrong',
  );
});

test('a parsed body is refused with the fix for each framework', async () => {
  const parsed = JSON.parse(signed.body);
  const error = await refusal(florin.webhooks.verify(parsed, signed.headers, secret));
  expect(error?.type).toBe('body_not_raw');
  for (const framework of ['Express', 'Fastify', 'Hono', 'Next.js']) expect(error?.message).toContain(framework);
});

test('events of unknown types are returned', async () => {
  const later = { type: 'refund.created', data: { object: { fresh: true } }, more: 1 } as unknown as sdk.TestEvent;
  const { body, headers } = await florin.webhooks.signForTest(later, 'a secret of no format');
  expect((await florin.webhooks.verify(body, headers, 'a secret of no format')).data).toEqual(later.data);
});

/** The statuses of a receiver for a genuine webhook, for a forged one, and when the program fails. */
async function statusesOf(post: (body: string, headers: Record<string, string>) => Promise<number>): Promise<number[]> {
  const { body, headers } = signed;
  const failing = await florin.webhooks.signForTest({ ...event, type: 'transaction.failed' }, secret);
  return [await post(body, headers), await post(`${body} `, headers), await post(failing.body, failing.headers)];
}

function receiver(): {
  secret: string;
  onEvent: (event: sdk.FlorinEvent) => void;
  onError: () => void;
  types: string[];
} {
  const types: string[] = [];
  const onEvent = ({ type }: sdk.FlorinEvent): void => {
    if (type === 'transaction.failed') throw new Error('the shop is closed');
    types.push(type);
  };
  return { secret, onEvent, onError: () => {}, types };
}

const postTo = (url: string) => async (body: string, headers: Record<string, string>) =>
  (await fetch(url, { method: 'POST', body, headers })).status;

test('the receiver for Express answers 200, 400 and 500, with and without a raw parser in front of it', async () => {
  const options = receiver();
  const handle = expressWebhook(options);
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    if (request.url === '/raw') for await (const chunk of request) chunks.push(chunk);
    await handle(Object.assign(request, request.url === '/raw' && { body: Buffer.concat(chunks) }), response);
  };
  const server = createServer((request, response) => {
    serve(request, response).catch((error: Error) => response.destroy(error));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  stops.push(() => new Promise((closed) => server.close(closed)));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  expect(await statusesOf(postTo(`${address}/`))).toEqual([200, 400, 500]);
  expect(await statusesOf(postTo(`${address}/raw`))).toEqual([200, 400, 500]);
  expect(options.types).toEqual(['transaction.succeeded', 'transaction.succeeded']);
});

test('a receiver without onError prints why its own program failed, and nothing about forged webhooks', async () => {
  const { body, headers } = await florin.webhooks.signForTest({ ...event, type: 'transaction.failed' }, secret);
  const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
  try {
    const { onEvent } = receiver();
    expect((await receive(`${body} `, headers, { secret, onEvent })).status).toBe(400);
    expect(printed).not.toHaveBeenCalled();
    expect((await receive(body, headers, { secret, onEvent })).status).toBe(500);
    expect(printed).toHaveBeenCalledWith(expect.objectContaining({ message: 'the shop is closed' }));
  } finally {
    printed.mockRestore();
  }
});

test('the plugin for Fastify gets raw bodies, and other routes get parsed ones', async () => {
  const options = receiver();
  const app = Fastify();
  stops.push(() => app.close());
  app.post('/other', (request) => request.body);
  await app.register(fastifyWebhook, { path: '/webhooks', ...options });
  const post = async (payload: string, headers: Record<string, string>) =>
    (await app.inject({ method: 'POST', url: '/webhooks', payload, headers })).statusCode;
  expect(await statusesOf(post)).toEqual([200, 400, 500]);
  expect((await app.inject({ method: 'POST', url: '/other', payload: { a: 1 } })).json()).toEqual({ a: 1 });
});

test('the handlers for Next.js and Hono answer a web-standard request', async () => {
  const options = receiver();
  const requestOf = (body: string, headers: Record<string, string>) =>
    new Request('http://shop.example/webhooks', { method: 'POST', body, headers });
  const next = nextWebhook(options);
  const hono = honoWebhook(options);
  expect(await statusesOf(async (...sent) => (await next(requestOf(...sent))).status)).toEqual([200, 400, 500]);
  expect(await statusesOf(async (...sent) => (await hono({ req: { raw: requestOf(...sent) } })).status)).toEqual([
    200, 400, 500,
  ]);
});
