import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dataOf } from '../../../../tests/support/factories.ts';
import { sandboxTime } from '../../../../tests/support/payments/sandbox.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../tests/support/postgres/database.ts';
import { administratorPassword, florinOn, type TestFlorin } from '../../../../tests/support/service/florin.ts';
import { type EventType, eventTypes } from '../../../core/event-types.ts';
import { captureRecord } from '../../payments/transactions/capture-record.ts';

/** The sandbox refuses refunds of this amount. */
const refusedRefundAmount = 7_319_070;

type Event = { type: EventType; object_id: string; body: string };

const page = readFileSync(fileURLToPath(new URL('../../../../../docs/guides/webhooks.md', import.meta.url)), 'utf8');

const time = sandboxTime();
let db: TestDatabase;
let florin: TestFlorin;
let as: string;
/** One event of each type, and the record that its detail route or list showed right after it. */
const written = new Map<EventType, { event: Event; shown?: object }>();

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db, time.settings, time.clock);
  as = await florin.login('admin', administratorPassword);
  await driveEveryType();
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

const post = async (path: string, body: object) => dataOf(await florin.post(`/api/${path}`, body, as));
const get = async (path: string) => dataOf(await florin.get(`/api/${path}`, as));

/**
 * Waits for an event about a record, and remembers it. Without `shown`, what the detail route answers now is compared.
 */
async function expectEvent(type: EventType, objectId: string, shown?: object): Promise<void> {
  let event: Event | undefined;
  await eventually(`${type} of ${objectId} is written`, async () => {
    const sql = 'select type, object_id, body from event where type = $1 and object_id = $2 order by id limit 1';
    [event] = await db.query<Event>(sql, [type, objectId]);
    return event !== undefined;
  });
  written.set(type, { event: event as Event, ...(shown && { shown }) });
}

async function driveEveryType(): Promise<void> {
  const channel = { type: 'ONLINE', currency: 'USD', country: 'US', state: true };
  const wire = await post('channel/modify', { ...channel, name: 'Wire', code: 'wire', type: 'OFFLINE' });
  const sandbox = await post('channel/modify', {
    ...channel,
    name: 'Sandbox',
    code: 'sandbox',
    provider: 'sandbox',
    webhookSecret: 'a secret of the sandbox',
    livemode: false,
  });
  await drivePayments(wire.id, sandbox.id);
  await driveCaptures(sandbox.id);
  await driveDisputes(sandbox.id);
  await driveDiscrepancies(sandbox.id);
  await driveMethods(sandbox.id);
  const customerId = await driveCustomer(wire.id);
  await driveInvoices(customerId, wire.id);
  await driveReopenedInvoice(sandbox.id);
  await driveSubscriptions(wire.id);
  await expectEventOfChannel(wire);
  const { id } = await post('webhook/register', { url: 'http://127.0.0.1:9/', events: ['customer.created'] });
  const endpoint = await post('webhook/modify', { id, state: false });
  await expectEvent('webhook.disabled', `whe_${id}`, { ...endpoint, updatedTime: expect.any(String) });
}

async function drivePayments(wireId: number, sandboxId: number): Promise<void> {
  const pay = (channelId: number, fields = {}) =>
    post('transaction/create', { amount: 1999, currency: 'USD', channelId, ...fields });
  const paid = await pay(wireId, { metadata: { order: 1001 }, description: 'Order 1001' });
  await expectEvent('transaction.created', paid.id, paid);
  const processing = await post('transaction/update', { id: paid.id, status: 'PROCESSING' });
  await expectEvent('transaction.processing', paid.id, processing);
  const succeeded = await post('transaction/update', { id: paid.id, status: 'SUCCESS' });
  await expectEvent('transaction.succeeded', paid.id, succeeded);
  const refund = await post('refund/create', { transactionId: paid.id, amount: 500, reason: 'Sent back' });
  await expectEvent('refund.created', refund.id, refund);
  await expectEvent('refund.succeeded', refund.id, refund);
  await expectEvent('transaction.refunded', paid.id, await get(`transaction/detail?id=${paid.id}`));
  const { id: failedId } = await pay(wireId);
  await expectEvent(
    'transaction.failed',
    failedId,
    await post('transaction/update', { id: failedId, status: 'FAILED', failureCode: 'bounced', failureMessage: 'No.' }),
  );
  const { id: cancelledId } = await pay(wireId);
  const cancelled = await post('transaction/update', { id: cancelledId, status: 'CANCELLED' });
  await expectEvent('transaction.cancelled', cancelledId, cancelled);

  const { id: askingId } = await pay(sandboxId, { paymentMethod: 'sandbox:payer' });
  await expectEvent('transaction.action_required', askingId);
  await expectShown('transaction.action_required', `transaction/detail?id=${askingId}`);
  const { id: refusingId } = await pay(sandboxId, { amount: refusedRefundAmount });
  await expectEvent('transaction.succeeded', refusingId);
  await expectEvent('transaction.succeeded', paid.id, succeeded);
  const { id: refusedId } = await post('refund/create', { transactionId: refusingId });
  await expectEvent('refund.failed', refusedId);
  await expectShown('refund.failed', `refund/detail?id=${refusedId}`);
}

async function driveCaptures(channelId: number): Promise<void> {
  const authorize = async (sandbox: string) => {
    const fields = { amount: 1999, currency: 'USD', channelId, captureMethod: 'MANUAL', metadata: { sandbox } };
    const { id } = await post('transaction/create', fields);
    await expectEvent('transaction.authorized', id);
    return id;
  };
  const told = async (type: EventType, id: string) => {
    await expectEvent(type, id);
    await expectShown(type, `transaction/detail?id=${id}`);
  };
  await told('transaction.authorization_expiring', await authorize('authorize:expires'));
  const refused = await authorize('capture:fail');
  await post('transaction/capture', { id: refused });
  await told('transaction.capture_failed', refused);
  const captured = await authorize('authorize');
  await expectShown('transaction.authorized', `transaction/detail?id=${captured}`);
  await post('transaction/capture', { id: captured });
  await told('transaction.captured', captured);
}

/** Pays at the sandbox with one of its words. Returns the id of the payment. */
async function payWith(channelId: number, sandbox: string): Promise<string> {
  const fields = { amount: 1999, currency: 'USD', channelId, metadata: { sandbox } };
  return (await post('transaction/create', fields)).id;
}

/** The first record of a list about a payment, as soon as there is one. */
const firstOf = (list: string, transactionId: string): Promise<{ id: string }> =>
  eventually(`${list} has one of ${transactionId}`, async () => {
    const [first] = await get(`${list}?transactionId=${transactionId}&livemode=false`);
    return first;
  });

async function driveDisputes(channelId: number): Promise<void> {
  const told = async (type: EventType, id: string) => {
    await expectEvent(type, id);
    await expectShown(type, `dispute/detail?id=${id}`);
  };
  const answered = async (id: string) => {
    await post('dispute/evidence', { id, evidence: { explanation: 'It was delivered.' } });
    await post('dispute/submit', { id });
    await eventually('it is submitted', async () => (await get(`dispute/detail?id=${id}`)).status === 'SUBMITTED');
  };
  const words = ['dispute:won', 'dispute:lost', 'dispute:inquiry', 'dispute', 'fraud-warning'];
  const payments = await Promise.all(words.map((word) => payWith(channelId, word)));
  const warned = payments.pop() as string;
  await time.pass(db);
  const disputes = await Promise.all(payments.map((id) => firstOf('dispute/list', id)));
  const [won, lost, inquiry, open] = disputes.map(({ id }) => id) as [string, string, string, string];
  await told('dispute.created', open);
  await told('dispute.funds_withdrawn', open);
  await db.query(
    `update dispute set respond_by = now() + interval '2 days', due_at = now()
      where 'dsp_' || replace(id::text, '-', '') = $1`,
    [open],
  );
  await told('dispute.due_soon', open);
  await answered(open);
  await told('dispute.updated', open);
  await answered(inquiry);
  await time.pass(db);
  await told('dispute.won', won);
  await told('dispute.funds_reinstated', won);
  await told('dispute.lost', lost);
  await told('dispute.closed', inquiry);
  await expectEvent('transaction.fraud_warning', warned);
  await expectShown('transaction.fraud_warning', `transaction/detail?id=${warned}`);
}

async function driveDiscrepancies(channelId: number): Promise<void> {
  const transactionId = await payWith(channelId, 'dispute:after-refund');
  const statusOf = async () => (await get(`transaction/detail?id=${transactionId}`)).status;
  await eventually('it has succeeded', async () => (await statusOf()) === 'SUCCESS');
  await post('refund/create', { transactionId });
  await time.pass(db);
  const { id } = await firstOf('discrepancy/list', transactionId);
  await expectEvent('discrepancy.opened', id, await get(`discrepancy/detail?id=${id}`));
  await post('discrepancy/close', { id, note: 'The provider took it twice.' });
  await expectEvent('discrepancy.closed', id, await get(`discrepancy/detail?id=${id}`));
}

async function driveReopenedInvoice(channelId: number): Promise<void> {
  const { id: customerId } = await post('customer/modify', { name: 'Ada', livemode: false });
  const lines = [{ description: 'Bread', quantity: 4, unitAmount: 250, taxRate: 700 }];
  const invoice = { customerId, currency: 'USD', lines, metadata: { sandbox: 'debit:returned' } };
  const { id } = await post('invoice/create', invoice);
  await post('invoice/finalize', { id });
  await post('invoice/pay', { id, channelId });
  await time.pass(db);
  await expectEvent('invoice.reopened', `inv_${id}`);
  await expectShown('invoice.reopened', `invoice/detail?id=${id}`);
}

async function driveMethods(channelId: number): Promise<void> {
  const setUp = async (token: string) => {
    const { id: customerId } = await post('customer/modify', { name: 'Ada', livemode: false });
    return (await post('payment-method/setup', { customerId, channelId, token })).id;
  };
  const told = async (type: EventType, id: string) => {
    await expectEvent(type, id);
    await expectShown(type, `payment-method/detail?id=${id}`);
  };
  await told('payment_method.action_required', await setUp('sandbox:setup:payer'));
  await told('payment_method.failed', await setUp('sandbox:setup:fail'));
  const kept = await setUp('tok_visa');
  await told('payment_method.attached', kept);
  await db.query(
    `update payment_method
        set expiry_month = extract(month from now() + interval '2 days'),
            expiry_year = extract(year from now() + interval '2 days'), expiring_told = null, expiry_due_at = now()
      where 'mtd_' || replace(id::text, '-', '') = $1`,
    [kept],
  );
  await told('payment_method.expiring', kept);
  const changing: [EventType, string][] = [
    ['payment_method.revoked', await setUp('sandbox:method:revoked')],
    ['payment_method.updated', await setUp('sandbox:method:updated')],
    ['payment_method.expired', await setUp('sandbox:method:expires')],
  ];
  const stateOf = async (id: string) => (await get(`payment-method/detail?id=${id}`)).status;
  for (const [, id] of changing) await eventually('it is kept', async () => (await stateOf(id)) === 'ACTIVE');
  await time.pass(db);
  for (const [type, id] of changing) await told(type, id);
  await expectEvent('payment_method.detached', kept, await post('payment-method/detach', { id: kept }));
}

async function expectShown(type: EventType, detailPath: string): Promise<void> {
  const { event } = written.get(type) as { event: Event };
  written.set(type, { event, shown: await get(detailPath) });
}

async function driveCustomer(defaultChannelId: number): Promise<number> {
  const address = { line1: 'Quay 1', city: 'Hamburg', country: 'DE' };
  const created = await post('customer/modify', { name: 'Ada', email: 'ada@example.com', address, defaultChannelId });
  await expectEvent('customer.created', `cus_${created.id}`, created);
  const updated = await post('customer/modify', { id: created.id, name: 'Ada L.', phone: '+49 40 1' });
  await expectEvent('customer.updated', `cus_${created.id}`, updated);
  return created.id;
}

async function driveInvoices(customerId: number, channelId: number): Promise<void> {
  const lines = [{ description: 'Bread', quantity: 4, unitAmount: 250, taxRate: 700 }];
  const draft = (fields = {}) => post('invoice/create', { customerId, currency: 'USD', lines, channelId, ...fields });
  const settled = async (path: string, status: string) => {
    const { transactionId } = await post('invoice/pay', { id: Number(path) });
    await post('transaction/update', { id: transactionId, status });
    return { transactionId };
  };
  const created = await draft({ metadata: { order: 1002 } });
  const of = `inv_${created.id}`;
  await expectEvent('invoice.created', of, created);
  await expectEvent('invoice.finalized', of, await post('invoice/finalize', { id: created.id }));
  await settled(created.id, 'FAILED');
  await expectEvent('invoice.payment_failed', of);
  await expectShown('invoice.payment_failed', `invoice/detail?id=${created.id}`);
  await settled(created.id, 'SUCCESS');
  await expectEvent('invoice.paid', of);
  await expectShown('invoice.paid', `invoice/detail?id=${created.id}`);

  const { id: voidId } = await draft();
  await expectEvent('invoice.voided', `inv_${voidId}`, await post('invoice/void', { id: voidId }));
  const { id: overdueId } = await draft({ dueDate: '2026-01-31' });
  await post('invoice/finalize', { id: overdueId });
  await expectEvent('invoice.overdue', `inv_${overdueId}`);
  await expectShown('invoice.overdue', `invoice/detail?id=${overdueId}`);
  const givenUp = await post('invoice/void', { id: overdueId, uncollectible: true });
  await expectEvent('invoice.uncollectible', `inv_${overdueId}`, givenUp);
}

async function driveSubscriptions(channelId: number): Promise<void> {
  const monthly = { name: 'Gold', currency: 'USD', amount: 1000, interval: 'month', channelId, state: true };
  const { id: planId } = await post('plan/modify', monthly);
  const { id: clockId } = await post('clock/create', { name: 'May', nowTime: '2027-05-01T00:00:00Z', livemode: true });
  const { id: customerId } = await post('customer/modify', { name: 'Bob', clockId });
  const created = await post('subscription/create', { customerId, planId, trialDays: 5 });
  const of = `sub_${created.id}`;
  await expectEvent('subscription.created', of, created);
  await expectEvent('subscription.updated', of, await post('subscription/update', { id: created.id, quantity: 2 }));
  const cancelled = await post('subscription/cancel', { id: created.id });
  await expectEvent('subscription.cancelled', of, cancelled);
  const ending = { customerId, planId, endTime: '2027-05-03T00:00:00Z' };
  const { id: endingId } = await post('subscription/create', ending);
  await post('clock/advance', { id: clockId, toTime: '2027-05-04T00:00:00Z' });
  await expectEvent('subscription.expired', `sub_${endingId}`);
  await expectShown('subscription.expired', `subscription/detail?id=${endingId}`);
}

async function expectEventOfChannel(wire: { id: number; callbackUrl: string | null }): Promise<void> {
  const input = { name: 'Wire', code: 'wire', type: 'OFFLINE', currency: 'USD', country: 'US' };
  const {
    callbackUrl: _,
    updatedTime: __,
    ...shown
  } = await post('channel/modify', { id: wire.id, ...input, state: false });
  await expectEvent('channel.disabled', `chn_${wire.id}`, shown);
}

/** What a dispute has only in some states. */
const ofDispute = ['fee', 'actions', 'evidenceFields', 'defenseReasons'];

/** The fields of an object by their names, with those of nested objects and of the first element of arrays. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? [] : [shapeOf(value[0])];
  if (value === null || typeof value !== 'object') return 'value';
  const keepsAnything = new Set(['metadata', 'address', 'nextAction', ...ofDispute]);
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, keepsAnything.has(name) ? 'value' : shapeOf(field)]),
  );
}

/** What events of an invoice say of the payment that caused them. */
const ofPayment = ['transactionId', 'failureCode', 'failureMessage', 'fallback', 'retry'];

/** The events whose object has the capture that caused them. */
const ofCapture = new Set<EventType>(['transaction.captured', 'transaction.capture_failed']);
const fieldsOfCapture = Object.keys(captureRecord.properties).map((name) => [name, 'value']);

/** The payload that the page shows for the events of a noun. */
function payloadOfPage(noun: string): { data: { object: object } } {
  const section = page.split(/^#{3} /m).find((text) => text.startsWith(`\`${noun}.*\``)) ?? '';
  return JSON.parse(/^```json\n([\s\S]*?)^```/m.exec(section)?.[1] ?? 'null');
}

test.each(eventTypes)('%s has the payload that the page shows for its record', (type) => {
  const { event } = written.get(type) as { event: Event };
  const real = JSON.parse(event.body);
  const shown = payloadOfPage(type.split('.')[0] as string);
  const expected = shapeOf(shown) as { data: { object: Record<string, unknown> } };
  if (type.startsWith('invoice.') && !['invoice.paid', 'invoice.payment_failed'].includes(type)) {
    for (const name of ofPayment) delete expected.data.object[name];
    if (real.data.object.payments.length === 0) expected.data.object.payments = [];
    if (real.data.object.seller === null) expected.data.object.seller = 'value';
  }
  if (ofCapture.has(type)) expected.data.object.capture = Object.fromEntries(fieldsOfCapture);
  if (type === 'dispute.due_soon') expected.data.object.daysLeft = 'value';
  expect(shapeOf(real)).toEqual(expected);
  expect(Object.keys(real)).toEqual(['id', 'type', 'created', 'apiVersion', 'livemode', 'data']);
  expect(page).toContain(`| \`${type}\` |`);
});

test.each(eventTypes)('%s shows the record as its detail route does', (type) => {
  const { event, shown } = written.get(type) as { event: Event; shown: object };
  const object = JSON.parse(event.body).data.object;
  // These are joined by the route: events are written without reading them, and without what is said of the payer.
  const joined = new Set(['channelName', 'captures', 'evidence', 'answers']);
  const fields = Object.entries(shown).filter(([name]) => !joined.has(name));
  expect(object).toMatchObject(Object.fromEntries(fields));
});
