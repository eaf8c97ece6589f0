import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callerOf } from '../../src/platform/tracing/tracing.ts';
import { makeCustomer, makeInvoice } from '../support/billing/invoices.ts';
import { administratorOf, dataOf, makeChannel } from '../support/factories.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../support/service/florin.ts';
import { type Span, type SpanCollector, startSpanCollector } from '../support/service/span-collector.ts';

let db: TestDatabase;
let collector: SpanCollector;
let florin: TestFlorin;
let spans: Span[];
const answering = () =>
  createServer((request, response) => {
    request.resume();
    response.end();
  });
const receiver = answering();
const otherReceiver = answering();

beforeAll(async () => {
  db = await databaseFromTemplate();
  collector = await startSpanCollector();
  spans = collector.spans;
  florin = await florinOn(db, { APP_TRACING_ENDPOINT: collector.endpoint });
});

afterAll(async () => {
  await florin.stop();
  await collector.close();
  receiver.close();
  otherReceiver.close();
  await db.drop();
});

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('one trace shows the request, the call to the provider, and the deliveries, also of a refund', async () => {
  const admin = await administratorOf(florin);
  const channelId = await makeChannel(florin, admin, { name: 'Cards', provider: 'sandbox' });
  const events = ['transaction.created', 'transaction.succeeded', 'refund.succeeded'];
  await florin.post('/api/webhook/register', { url: await listening(receiver), events, livemode: false }, admin);
  const caller = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
  const { body } = await florin.call('POST', '/api/transaction/create', {
    as: admin,
    headers: { traceparent: `00-${caller.traceId}-${caller.spanId}-01` },
    body: { amount: 1999, currency: 'USD', channelId },
  });
  const transactionId: string = body.data.id;
  await eventually('the payment is charged', async () => {
    const { body } = await florin.get(`/api/transaction/detail?id=${transactionId}`, admin);
    return body.data.status === 'SUCCESS';
  });
  await florin.post('/api/refund/create', { transactionId, amount: 500 }, admin);
  const names = [
    'POST /api/transaction/create',
    'charge sandbox',
    'deliver refund.succeeded',
    'deliver transaction.created',
    'deliver transaction.succeeded',
    'refund sandbox',
  ];
  await eventually('the spans have arrived', async () => spans.length >= names.length);
  expect(spans.map(({ name }) => name).sort()).toEqual(names);
  const traceId = transactionId.replace('txn_', '');
  expect(new Set(spans.map((span) => span.traceId))).toEqual(new Set([traceId]));
  const root = spans.find(({ parentSpanId }) => !parentSpanId);
  expect(root).toMatchObject({ name: 'POST /api/transaction/create', kind: 2, links: [caller] });
  const children = spans.filter((span) => span !== root);
  expect(children.every(({ parentSpanId, kind }) => parentSpanId === root?.spanId && kind === 3)).toBe(true);
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(names.length);
});

test("a delivery is in the trace of its own payment, whatever the merchant's metadata name", async () => {
  const admin = await administratorOf(florin);
  const channelId = await makeChannel(florin, admin);
  const stranger = `txn_${'0af7651916cd43dd8448eb211c80319c'}`;
  const events = ['invoice.finalized', 'transaction.created'];
  await florin.post('/api/webhook/register', { url: await listening(otherReceiver), events }, admin);
  const customerId = await makeCustomer(florin, admin);
  await makeInvoice(florin, admin, customerId, { metadata: { transactionId: stranger } });
  const metadata = { object: { id: stranger }, transactionId: stranger };
  const { body } = await florin.post(
    '/api/transaction/create',
    { amount: 700, currency: 'USD', channelId, metadata },
    admin,
  );
  const own = body.data.id.replace('txn_', '');
  await eventually('the delivery is traced', async () =>
    spans.some(({ name, traceId }) => name === 'deliver transaction.created' && traceId === own),
  );
  await eventually('the invoice is delivered', async () => {
    const path = '/api/webhook/delivery/list?eventType=invoice.finalized&state=SUCCEEDED';
    return dataOf(await florin.get(path, admin)).length === 1;
  });
  // Sends the spans that are still waiting.
  await florin.stop();
  expect(spans.filter(({ traceId }) => traceId === stranger.replace('txn_', ''))).toEqual([]);
});

test('a malformed traceparent is ignored', () => {
  expect(callerOf('00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01')).toMatchObject({ flags: 1 });
  for (const text of [
    undefined,
    '',
    'x',
    `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
    `00-${'a'.repeat(32)}-${'0'.repeat(16)}-01`,
  ]) {
    expect(callerOf(text)).toBeUndefined();
  }
});
