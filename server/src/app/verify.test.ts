import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeCustomer, makeInvoice, settledInvoice } from '../../tests/support/billing/invoices.ts';
import { brokenClaims } from '../../tests/support/broken-claims.ts';
import { campaign, cases } from '../../tests/support/campaign.ts';
import {
  administratorOf,
  channelInput,
  dataOf,
  makeChannel,
  makeKey,
  makeMember,
  makePaid,
  makePayment,
} from '../../tests/support/factories.ts';
import { channelSecret } from '../../tests/support/payments/callbacks.ts';
import { arrangeChannels, paymentsNode, principalOf } from '../../tests/support/payments/payments.ts';
import { sandboxTime } from '../../tests/support/payments/sandbox.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../tests/support/service/florin.ts';
import { type Receiver, startReceiver } from '../../tests/support/webhooks/receiver.ts';
import { uuidOfPublicId } from '../core/id.ts';
import { chainAuditEntries } from '../domains/identity/audit/chain.ts';
import { rollUpTransactionTotals } from '../domains/payments/transactions/totals/rollup.ts';
import { freshKeyring, parseKeyring } from '../platform/crypto/keyring.ts';
import { offendersOf, offendersOfEach } from '../platform/postgres/check.ts';
import type { Snapshot } from '../platform/postgres/database.ts';
import { checkKeysOf, checks, findings, keyedChecks, verify } from './integrity.ts';

const encryptionKeys = freshKeyring();

let db: TestDatabase;
let florin: TestFlorin;
let admin: string;
let receiver: Receiver;
/** Payments and refunds in every final state, by a name for each. */
const made: Record<string, string> = {};
const time = sandboxTime();

beforeAll(async () => {
  db = await databaseFromTemplate();
  receiver = await startReceiver(200);
  await haveABusyDay();
  florin = await florinOn(db, { ...time.settings, APP_ENCRYPTION_KEYS: encryptionKeys }, time.clock);
  admin = await administratorOf(florin);
  await makeEverything();
  await makeInvoices();
  await makeSubscription();
  await chainAuditEntries(db.database);
});

afterAll(async () => {
  await florin.stop();
  await receiver.close();
  await db.drop();
});

/** A payment method, and a payment that is charged with it. */
async function makeMethod(channelId: number): Promise<void> {
  const post = async (path: string, body: object) => dataOf(await florin.post(path, body, admin));
  const { id: customerId } = await post('/api/customer/modify', { name: 'Grace', livemode: false });
  const { id } = await post('/api/payment-method/setup', { customerId, channelId, token: 'tok_visa' });
  await eventually('the method is kept', async () => {
    return dataOf(await florin.get(`/api/payment-method/detail?id=${id}`, admin)).status === 'ACTIVE';
  });
  made.method = id;
  made.withMethod = await makePayment(florin, admin, channelId, { methodId: id, initiator: 'MERCHANT' });
  await eventually('it is charged', async () => {
    return dataOf(await florin.get(`/api/transaction/detail?id=${made.withMethod}`, admin)).status === 'SUCCESS';
  });
}

async function makeEverything(): Promise<void> {
  const post = async (path: string, body: object) => dataOf(await florin.post(path, body, admin));
  await post('/api/webhook/register', { url: receiver.url, events: ['*'], secret: 'a secret of tests' });
  const byHand = await makeChannel(florin, admin, { currency: 'USD,JPY' });
  const fallback = await makeChannel(florin, admin, { provider: 'sandbox' });
  const sandbox = await makeChannel(florin, admin, { provider: 'sandbox', fallbackChannelIds: [fallback] });
  await makeMethod(sandbox);
  const pay = (word: string) => makePayment(florin, admin, sandbox, { metadata: { sandbox: word } });
  made.pending = await makePayment(florin, admin, byHand);
  made.processing = await makePayment(florin, admin, byHand);
  await post('/api/transaction/update', { id: made.processing, status: 'PROCESSING' });
  made.failed = await makePayment(florin, admin, byHand);
  await post('/api/transaction/update', { id: made.failed, status: 'FAILED' });
  made.cancelled = await makePayment(florin, admin, byHand);
  await post('/api/transaction/update', { id: made.cancelled, status: 'CANCELLED' });
  made.paid = await makePaid(florin, admin, byHand, { currency: 'JPY', description: 'Before', metadata: { order: 1 } });
  // Writes no event, and an entry of the audit log.
  await post('/api/transaction/update', { id: made.paid, description: 'a "quoted"\nword', metadata: { order: 2 } });
  const key = await makeKey(florin, admin, 'transaction_read');
  await post('/api/developer/mine/rotate', { id: key.id });
  made.refunded = await makePaid(florin, admin, byHand);
  made.refund = (await post('/api/refund/create', { transactionId: made.refunded, amount: 100 })).id;
  await post('/api/refund/create', { transactionId: made.refunded, amount: 200 });

  made.charged = await pay('fee:30');
  made.declined = await pay('decline:insufficient_funds');
  made.saved = await pay('decline:processing_error');
  made.waiting = await pay('pending');
  made.stubborn = await pay('refund:fail');
  const statusOf = async (id: string) => dataOf(await florin.get(`/api/transaction/detail?id=${id}`, admin)).status;
  for (const id of [made.charged, made.declined, made.saved, made.stubborn]) {
    await eventually('it ends', async () => !['PENDING', 'PROCESSING'].includes(await statusOf(id)));
  }
  made.refundOfCharge = (await post('/api/refund/create', { transactionId: made.charged, amount: 5 })).id;
  made.refusedRefund = (await post('/api/refund/create', { transactionId: made.stubborn })).id;
  for (const id of [made.refundOfCharge, made.refusedRefund]) {
    await eventually('it ends', async () => {
      const { status } = dataOf(await florin.get(`/api/refund/detail?id=${id}`, admin));
      return status === 'SUCCESS' || status === 'FAILED';
    });
  }
  await makeReversed();
  await makeCaptured();
  await makeDisputed();
}

/** A payment whose dispute is LOST. */
async function makeDisputed(): Promise<void> {
  const channelId = await makeChannel(florin, admin, { provider: 'sandbox', webhookSecret: channelSecret });
  made.disputed = await makePayment(florin, admin, channelId, { metadata: { sandbox: 'debit:returned' } });
  await time.pass(db);
  const { id } = await eventually('it is disputed', async () => {
    const [dispute] = dataOf(await florin.get(`/api/dispute/list?transactionId=${made.disputed}`, admin));
    return dispute;
  });
  made.dispute = id;
}

/** An authorized payment of which a part was captured. */
async function makeCaptured(): Promise<void> {
  const channelId = await makeChannel(florin, admin, { provider: 'sandbox', capture: 'MULTIPLE' });
  const id = await makePayment(florin, admin, channelId, { captureMethod: 'MANUAL' });
  const read = async () => dataOf(await florin.get(`/api/transaction/detail?id=${id}`, admin));
  await eventually('it is authorized', async () => (await read()).amountCapturable === 1999);
  const { id: capture } = dataOf(
    await florin.post('/api/transaction/capture', { id, amount: 300, final: false }, admin),
  );
  await eventually('it is captured', async () => (await read()).amountCaptured === 300);
  made.held = id;
  made.capture = capture;
}

/** A refund that fails after it has succeeded. */
async function makeReversed(): Promise<void> {
  const channelId = await makeChannel(florin, admin, { provider: 'sandbox', webhookSecret: channelSecret });
  made.reversed = await makePayment(florin, admin, channelId, { metadata: { sandbox: 'refund:returned' } });
  const statusOf = async (path: string) => dataOf(await florin.get(path, admin)).status;
  await eventually(
    'it is paid',
    async () => (await statusOf(`/api/transaction/detail?id=${made.reversed}`)) === 'SUCCESS',
  );
  const { id } = dataOf(await florin.post('/api/refund/create', { transactionId: made.reversed }, admin));
  made.reversedRefund = id;
  await time.pass(db);
  await eventually('it has come back', async () => (await statusOf(`/api/refund/detail?id=${id}`)) === 'FAILED');
}

/** Two invoices, one that is paid after a payment failed, and one that is paid in part. */
async function makeInvoices(): Promise<void> {
  const byHand = await makeChannel(florin, admin);
  const customerId = await makeCustomer(florin, admin, { defaultChannelId: byHand });
  const lines = [{ description: 'x', quantity: 3, unitAmount: 333, taxRate: 1900 }];
  const pay = async (id: number, status: string, amount?: number) => {
    const { transactionId } = dataOf(await florin.post('/api/invoice/pay', { id, amount }, admin));
    dataOf(await florin.post('/api/transaction/update', { id: transactionId, status }, admin));
    await settledInvoice(florin, admin, id, db);
    return transactionId;
  };
  const paid = await makeInvoice(florin, admin, customerId, { lines });
  await pay(paid, 'FAILED');
  made.invoicePayment = await pay(paid, 'SUCCESS');
  const open = await makeInvoice(florin, admin, customerId, { lines });
  await pay(open, 'SUCCESS', 100);
  made.invoice = `tenant 0 invoice ${paid}`;
  made.openInvoice = `tenant 0 invoice ${open}`;
}

/** A subscription of another tenant: changed in its first period, and past due in its second. */
async function makeSubscription(): Promise<void> {
  const { as } = await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId: 1 });
  const post = async (path: string, body: object) => dataOf(await florin.post(`/api/${path}`, body, as));
  const channel = channelInput();
  const { id: channelId } = await post('channel/modify', channel);
  const { id: clockId } = await post('clock/create', {
    name: 'Two months',
    nowTime: '2027-01-01T00:00:00Z',
    livemode: true,
  });
  const customerId = await makeCustomer(florin, as, { defaultChannelId: channelId, clockId });
  const plan = { name: 'Gold', currency: 'USD', amount: 3100, interval: 'month', state: true };
  const { id: planId } = await post('plan/modify', plan);
  const { id } = await post('subscription/create', { customerId, planId });
  await post('clock/advance', { id: clockId, toTime: '2027-01-16T00:00:00Z' });
  await post('subscription/update', { id, quantity: 2 });
  await post('channel/modify', { ...channel, id: channelId, state: false });
  await post('clock/advance', { id: clockId, toTime: '2027-02-01T00:00:00Z' });
  const { state } = dataOf(await florin.get(`/api/subscription/detail?id=${id}`, as));
  expect(state).toBe('PAST_DUE');
  made.subscription = `subscription ${id}`;
}

/** Totals of a day in several buckets, with some changes that have not been rolled up yet. */
async function haveABusyDay(): Promise<void> {
  await arrangeChannels(db);
  let nowMs = Date.parse('2026-01-31T12:00:00Z');
  const node = await paymentsNode(db, () => {
    nowMs += 500;
    return nowMs;
  });
  for (let i = 0; i < 30; i++) {
    const caller = principalOf(1 + (i % 2), 7 + (i % 3));
    const { answer } = await node.create({ amount: 5 + i, currency: 'JPY', channelId: 11 + (i % 2) }, caller);
    if (i % 4 === 0) await node.update({ id: answer.id, status: 'SUCCESS' }, caller);
    if (i % 3 === 0 && i < 25) await rollUpTransactionTotals(db.database, 4);
  }
  await node.stop();
  expect(await db.query('select 1 from transaction_bucket')).toHaveLength(7);
}

/** Runs `work` in a transaction and rolls it back. */
async function within(work: (transaction: Snapshot) => Promise<void>): Promise<void> {
  const undone = new Error('undone');
  await db.database
    .transaction(async (transaction) => {
      await work(transaction);
      throw undone;
    })
    .catch((error) => {
      if (error !== undone) throw error;
    });
}

test('a database with every kind of history satisfies every claim', async () => {
  expect(await brokenClaims(db.database)).toEqual([]);
});

test(
  'every claim holds at all times while payments are created, charged, refunded and rolled up',
  campaign,
  async () => {
    const channelId = await makeChannel(florin, admin, { provider: 'sandbox' });
    let writing = true;
    const writers = Promise.all(
      Array.from({ length: 8 }, async (_, worker) => {
        for (let i = 0; writing && i < 200; i++) {
          const transactionId = await makePayment(florin, admin, channelId);
          await florin.post('/api/refund/create', { transactionId, amount: 1 + i }, admin);
          if (worker === 0)
            await florin.post('/api/transaction/update', { id: transactionId, status: 'CANCELLED' }, admin);
        }
      }),
    );
    try {
      for (let i = 0; i < cases(10); i++) {
        expect(await brokenClaims(db.database)).toEqual([]);
      }
    } finally {
      writing = false;
      await writers;
    }
  },
);

/** The claim that a defect breaks, a description, the SQL that plants it, and the offender that is named. */
type Plant = [claim: RegExp, what: string, sql: string, offender: () => string | RegExp];

const uuid = (name: string) => `'${uuidOfPublicId((made[name] as string).slice(0, 3), made[name] as string)}'`;
const ofPayment = (name: string) => () => made[name] as string;
/** The event that a payment was created: it has the payment's own id. */
const ofEvent = (name: string) => () => (made[name] as string).replace('txn_', 'evt_');

/** SQL in which `{name}` stands for the UUID of the record with that name. */
const filled = (sql: string) => sql.replaceAll(/\{(\w+)\}/g, (_all, name) => uuid(name));

const freely = 'alter table ledger_transfer disable trigger user;';
const bookAs = (
  source: string,
  payment: string,
  changes: { leg?: number; debit?: string; credit?: string; amount?: number },
) => {
  const { leg = 1, debit = 'PROVIDER_RECEIVABLE', credit = 'MERCHANT_PAYABLE', amount = 1999 } = changes;
  return `insert into ledger_transfer
         values (0, ${source}, ${leg}, ${payment}, 1, '${debit}', '${credit}', 'USD', ${amount}, now())`;
};

const aCheckout = `
  insert into checkout (tenant_id, id, livemode, token_hash, token_sealed, amount, currency, channel_ids, user_id,
      expires_at,
                        created_at, updated_at)
  select 0, 5, true, 'hash', 'sealed', 1999, 'USD', array[]::bigint[], min(id), now(), now(), now() from app_user`;
const paidBy = (payment: string, number: number) =>
  `insert into checkout_payment values (0, 5, ${number}, {${payment}}, 'hash ${number}', now())`;

const plants: Plant[] = [
  [
    /at most one default payment method/,
    'a second default',
    `drop index payment_method_default;
     insert into payment_method (tenant_id, id, livemode, customer_id, channel_id, provider, type, agreement, status,
                                 is_default, reference_sealed, created_at, updated_at)
     select tenant_id, gen_random_uuid(), livemode, customer_id, channel_id, provider, type, agreement, status, true,
            reference_sealed, created_at, updated_at
       from payment_method where id = {method}`,
    () => /^mtd_/,
  ],
  [
    /payment method that was attached has its reference sealed/,
    'a method whose event is gone',
    `delete from event where type = 'payment_method.attached'`,
    ofPayment('method'),
  ],
  [
    /payment method that failed or was detached has exactly one event/,
    'a method detached without an event',
    `update payment_method set status = 'DETACHED', is_default = false where id = {method}`,
    ofPayment('method'),
  ],
  [
    /payment method that waits for its provider has one open setup/,
    'a second setup of a method',
    `insert into payment_method_operation (tenant_id, method_id, number, kind, channel_id, provider, due_at, created_at)
     select tenant_id, id, 9, 'SETUP', channel_id, provider, 'infinity', now() from payment_method where id = {method}`,
    ofPayment('method'),
  ],
  [
    /payment's method is its customer's/,
    "a payment of another customer than its method's",
    'update transaction set customer_id = customer_id + 1 where id = {withMethod}',
    ofPayment('withMethod'),
  ],
  [
    /type and the roles that the audit log says/,
    'a user who was promoted',
    `update app_user set user_type = 'PLATFORM_ADMIN' where user_type = 'MERCHANT_ADMIN'`,
    () => /^user \d+$/,
  ],
  [
    /type and the roles that the audit log says/,
    'a user with another role',
    `update app_user set roles = array['operator'] where user_type = 'MERCHANT_ADMIN'`,
    () => /^user \d+$/,
  ],
  [
    /Every developer key has the scope/,
    'a key whose scope was widened',
    `update developer_key set scope = '*' where id = (select min(id) from developer_key)`,
    () => /^key \d+$/,
  ],
  [
    /Every developer key has the scope/,
    'a widened key that has replaced another one',
    `update developer_key set scope = '*' where id = (select max(id) from developer_key)`,
    () => /^key \d+$/,
  ],
  [
    /Every delivery that succeeded has an attempt/,
    'a delivery marked as succeeded',
    `update delivery set state = 'SUCCEEDED', finished_at = now(), attempts = attempts + 1, lease = null,
         leased_until = null
      where event_id = {paid}`,
    () => /^dlv_/,
  ],
  ...['customer_id = 77', 'invoice_id = 77', 'user_id = 77', `created_at = created_at - interval '1 ms'`].map(
    (change): Plant => [
      /Every payment has the channel, the customer/,
      `a payment with ${change}`,
      `update transaction set ${change} where id = {failed}`,
      ofPayment('failed'),
    ],
  ),
  ...[`description = 'Another'`, `metadata = '{"order":3}'`, `provider_reference = 'another'`].map(
    (change): Plant => [
      /Every payment has a description, metadata/,
      `a payment with ${change}`,
      `update transaction set ${change} where id = {paid}`,
      ofPayment('paid'),
    ],
  ),
  ...[`reason = 'Another'`, 'user_id = 77', `created_at = created_at - interval '1 ms'`].map(
    (change): Plant => [
      /Every refund has the payment, the amount, the reason/,
      `a refund with ${change}`,
      `update refund set ${change} where id = {refundOfCharge}`,
      ofPayment('refundOfCharge'),
    ],
  ),
  ...[`description = 'Another'`, `due_date = '2031-01-31'`, `seller = '{"name":"Another"}'`].map(
    (change): Plant => [
      /Every invoice has the customer, the due date/,
      `an invoice with ${change}`,
      `update invoice set ${change} where tenant_id = 0 and status = 'PAID'`,
      ofPayment('invoice'),
    ],
  ),
  [
    /Every invoice has the customer, the due date/,
    'another text of a line',
    `update invoice_line set description = 'Another' where tenant_id = 0`,
    ofPayment('invoice'),
  ],
  [
    /login needs a second step/,
    'a user whose second factor no longer guards the login',
    `insert into second_factor (user_id, secret_sealed, created_at, confirmed_at)
       select id, '', now(), now() from app_user where user_name = 'admin'`,
    () => /^user \d+$/,
  ],
  [
    /unbroken chain/,
    'an entry of the audit log that was changed',
    `update audit_entry set body = replace(body, 'channel.update', 'channel.create') where action = 'channel.update'`,
    () => /^tenant 1 entry \d+$/,
  ],
  [
    /repeat what its body says/,
    'an entry of the audit log that a filter no longer finds',
    `update audit_entry set action = 'plan.update' where action = 'channel.update'`,
    () => /^tenant 1 entry \d+$/,
  ],
  [
    /ends with the entry that was chained last/,
    'a removed end of the audit log',
    `delete from audit_entry where seq = (select max(seq) from audit_entry where tenant_id = 1) and tenant_id = 1`,
    () => /^tenant 1 after entry \d+$/,
  ],
  [
    /Every audit log begins/,
    'a removed beginning of the audit log',
    `delete from audit_entry where tenant_id = 1 and seq = 1`,
    () => 'tenant 1 entry 2',
  ],
  [
    /more than an hour after its own time/,
    'an entry of the audit log that was chained late',
    `update audit_entry set chained_at = chained_at + interval '2 hours' where tenant_id = 1 and seq = 2`,
    () => 'tenant 1 entry 2',
  ],
  [
    /has no time of chaining/,
    'an entry of the audit log whose link has no time',
    `update audit_entry set chained_at = null where tenant_id = 1 and seq = 2`,
    () => 'tenant 1 entry 2',
  ],
  [
    /body of every event/,
    'one letter changed in an event whose digest was made without a key',
    `update event set digest = substring(sha256(convert_to(body, 'UTF8')) for 8),
                      body = replace(body, '"version":1', '"version":2') where id = {paid}`,
    ofEvent('paid'),
  ],
  [
    /body of every event/,
    'a body of another event, from before there were digests',
    `update event set digest = null, body = (select body from event where id = {failed}) where id = {paid}`,
    ofEvent('paid'),
  ],
  [
    /body of every event/,
    'a body that is no event',
    `update event set digest = null, body = 'x' where id = {paid}`,
    ofEvent('paid'),
  ],
  [
    /tells its amount and currency/,
    'another amount, reported with its own digest',
    `update event set body = replace(body, '"amount":', '"amount":7') where id = {paid}`,
    ofPayment('paid'),
  ],
  [
    /tells its amount and currency/,
    'another currency',
    `update event set body = replace(body, '"JPY"', '"USD"') where id = {paid}`,
    ofPayment('paid'),
  ],
  [
    /deliveries that were enqueued with it/,
    'a delivery that is gone',
    'delete from delivery where event_id = {paid}',
    ofEvent('paid'),
  ],
  [
    /deliveries that were enqueued with it/,
    'a delivery that was made twice',
    `insert into delivery (tenant_id, id, event_id, endpoint_id, due_at, created_at)
     select tenant_id, gen_random_uuid(), event_id, endpoint_id, due_at, created_at from delivery
         where event_id = {paid}`,
    ofEvent('paid'),
  ],
  [
    /belongs to an event and to an endpoint/,
    'a delivery of an event that is gone',
    'delete from event where id = {paid}',
    () => /^dlv_/,
  ],
  [
    /belongs to an event and to an endpoint/,
    'a delivery to an endpoint of another tenant',
    'update webhook_endpoint set tenant_id = 2',
    () => /^dlv_/,
  ],
  [
    /asked again about what it had contradicted/,
    'a discrepancy that the provider did not settle',
    `insert into discrepancy (tenant_id, transaction_id, number, channel_id, said, state, due_at, opened_at)
     select tenant_id, transaction_id, number, channel_id, 'failed', 'DISAGREES', now(), now() from provider_operation
      where transaction_id = {charged} and number = 1`,
    () => `${made.charged}-1`,
  ],
  [
    /in the sandbox's own books/,
    'a charge that succeeded here and failed there',
    `update sandbox_operation set state = 'FAILED' where key = 'txn_' || replace({charged}, '-', '') || '-1'`,
    () => `${made.charged}-1`,
  ],
  [
    /in the sandbox's own books/,
    'a charge that failed here and succeeded there',
    `update sandbox_operation set state = 'SUCCEEDED' where key = 'txn_' || replace({declined}, '-', '') || '-1'`,
    () => `${made.declined}-1`,
  ],
  [
    /in the sandbox's own books/,
    'a charge of another amount',
    `update sandbox_operation set amount = amount - 1 where key = 'txn_' || replace({charged}, '-', '') || '-1'`,
    () => `${made.charged}-1`,
  ],
  [
    /in the sandbox's own books/,
    'a refund that is not in the books',
    `delete from sandbox_operation where key = 'txn_' || replace({charged}, '-', '') || '-2'`,
    () => `${made.charged}-2`,
  ],
  [
    /asked of it by an operation/,
    'a charge that nobody asked for',
    `update sandbox_operation set key = left(key, -1) || '9' where key = 'txn_' || replace({charged}, '-', '') || '-1'`,
    () => `${made.charged}-9`,
  ],
  [
    /sum to zero/,
    'a credit that leads nowhere',
    `alter table ledger_transfer drop constraint ledger_transfer_credit_check; ${freely}
     update ledger_transfer set credit = 'NOWHERE' where source_id = {paid}`,
    () => 'tenant 0 JPY',
  ],
  [
    /totals of the ledger/,
    'a total that was changed',
    'update ledger_total set amount = amount + 1',
    () => /^tenant 0 /,
  ],
  [/totals of the ledger/, 'a total that is gone', 'delete from ledger_total', () => /^tenant 0 /],
  [
    /totals of the ledger/,
    'a transfer that was not counted',
    bookAs(`gen_random_uuid()`, '{paid}', {}),
    () => /^tenant 0 /,
  ],
  [
    /succeeded is booked once/,
    'a payment without its transfer',
    `${freely} delete from ledger_transfer where source_id = {paid}`,
    ofPayment('paid'),
  ],
  [
    /succeeded is booked once/,
    'a transfer of another amount',
    `${freely} update ledger_transfer set amount = 5 where source_id = {paid}`,
    ofPayment('paid'),
  ],
  [
    /succeeded is booked once/,
    'a transfer in another currency',
    `${freely} update ledger_transfer set currency = 'USD' where source_id = {paid}`,
    ofPayment('paid'),
  ],
  [
    /succeeded is booked once/,
    'a transfer the other way round',
    `${freely} update ledger_transfer set debit = credit, credit = debit where source_id = {paid}`,
    ofPayment('paid'),
  ],
  [
    /succeeded is booked once/,
    'a payment booked again as a third leg',
    bookAs('{paid}', '{paid}', { leg: 3 }),
    ofPayment('paid'),
  ],
  [
    /succeeded is booked once/,
    'a payment that failed, booked',
    bookAs('{failed}', '{failed}', {}),
    ofPayment('failed'),
  ],
  [
    /succeeded is booked once/,
    'a payment that is not there, booked',
    bookAs(`'0198a5b8-7c1f-7000-8000-000000000001'`, `'0198a5b8-7c1f-7000-8000-000000000001'`, {}),
    () => 'txn_0198a5b87c1f70008000000000000001',
  ],
  [
    /succeeded is booked once/,
    'a payment that only says it succeeded',
    `update transaction set status = 'SUCCESS' where id = {pending}`,
    ofPayment('pending'),
  ],
  [
    /the sum of its captures/,
    'a payment that says it has captured more',
    'update transaction set amount_captured = 301, amount_capturable = 1698 where id = {held}',
    ofPayment('held'),
  ],
  [
    /has the amounts of an authorization/,
    'an amount captured of a payment that is captured automatically',
    'update transaction set amount_captured = amount where id = {charged}',
    ofPayment('charged'),
  ],
  [
    /has reserved what its capture/,
    'an amount that nothing has reserved',
    'update transaction set amount_capturable = 1698 where id = {held}',
    ofPayment('held'),
  ],
  [
    /asked for a capture by one operation/,
    'a capture of another amount than was asked for',
    'update provider_operation set amount = 5 where capture_id = {capture}',
    ofPayment('capture'),
  ],
  [
    /that took money is booked once/,
    'a capture without its transfer',
    `${freely} delete from ledger_transfer where source_id = {capture}`,
    ofPayment('capture'),
  ],
  [
    /result of a capture has exactly one event/,
    'a capture that was not reported',
    `delete from event where type = 'transaction.captured'
         and id in (select id from event where object_id = 'txn_' || replace({held}, '-', ''))`,
    ofPayment('held'),
  ],
  [
    /movement of a dispute is booked once/,
    'funds that were withdrawn and are not booked',
    `${freely} delete from ledger_transfer where dispute_id = {dispute}`,
    ofPayment('dispute'),
  ],
  [
    /movement of a dispute is booked once/,
    'a transfer of a dispute that nothing moved',
    `${freely} insert into ledger_transfer
     select tenant_id, gen_random_uuid(), leg, transaction_id, channel_id, credit, debit, currency, amount, created_at,
            dispute_id
       from ledger_transfer where dispute_id = {dispute}`,
    ofPayment('dispute'),
  ],
  [
    /balance of DISPUTED is/,
    'a dispute that says it has withdrawn less',
    `update dispute set amount_withdrawn = 1 where id = {dispute}`,
    ofPayment('dispute'),
  ],
  [
    /shows as disputed the sum/,
    'a payment that does not show what was withdrawn',
    `update transaction set amount_disputed = null where id = {disputed}`,
    ofPayment('disputed'),
  ],
  [
    /file of evidence has its content/,
    'a file without its content',
    `insert into dispute_file (tenant_id, id, dispute_id, name, type, bytes, sha256, user_id, created_at)
     select tenant_id, gen_random_uuid(), id, 'receipt', 'application/pdf', 1, 'a', 1, now() from dispute
      where id = {dispute}`,
    ofPayment('dispute'),
  ],
  [
    /one dispute.created event/,
    'a dispute that was not reported',
    `delete from event where type = 'dispute.created'
         and id in (select id from event where object_id = 'dsp_' || replace({dispute}, '-', ''))`,
    ofPayment('dispute'),
  ],
  [
    /has its event/,
    'a success that was not reported',
    `delete from event where type = 'transaction.succeeded'
         and id in (select id from event where object_id = 'txn_' || replace({paid}, '-', ''))`,
    ofPayment('paid'),
  ],
  [
    /has its event/,
    'a success reported twice',
    `insert into event select tenant_id, gen_random_uuid(), type, object_id, created_at, body from event
         where type = 'transaction.succeeded' and object_id = 'txn_' || replace({paid}, '-', '')`,
    ofPayment('paid'),
  ],
  [/has its event/, 'a creation that was not reported', `delete from event where id = {pending}`, ofPayment('pending')],
  [
    /has its event/,
    'a failure reported as a success',
    `update event set type = 'transaction.succeeded' where type = 'transaction.failed'
         and object_id = 'txn_' || replace({failed}, '-', '')`,
    ofPayment('failed'),
  ],
  [
    /Every transition of a payment has its event/,
    'an event that names no payment',
    `update event set object_id = 'nobody' where type = 'transaction.succeeded'
         and object_id = 'txn_' || replace({paid}, '-', '')`,
    ofPayment('paid'),
  ],
  [
    /has its event/,
    'a payment being processed that was not reported',
    `delete from event where type = 'transaction.processing' and object_id = 'txn_' || replace({processing}, '-', '')`,
    ofPayment('processing'),
  ],
  [
    /has its event/,
    'an event of a payment that is gone',
    'delete from transaction where id = {cancelled}',
    ofPayment('cancelled'),
  ],
  [
    /totals of payments/,
    'a total that was changed',
    `update transaction_total set count = count + 1 where status = 'FAILED' and channel_id = 0 and user_id = 0`,
    () => /channel 0 user 0 FAILED USD$/,
  ],
  [
    /totals of payments/,
    'an amount that was changed',
    `update transaction_total set amount = amount - 1 where status = '*'`,
    () => /\* (USD|JPY)$/,
  ],
  [
    /totals of payments/,
    'a change that was not undone',
    `insert into transaction_total_delta values (0, 1, 1, now(), 1, 'PENDING', 'USD', 5)`,
    () => /channel [01] user [01] (PENDING|\*) USD$/,
  ],
  [
    /totals of payments/,
    'a payment that was not counted',
    `update transaction set status = 'CANCELLED' where id = {pending}`,
    () => /(PENDING|CANCELLED) USD$/,
  ],
  [
    /buckets of busy days/,
    'a bucket that was changed',
    'update transaction_bucket set count = count + 1',
    () => /^tenant [12] /,
  ],
  [
    /buckets of busy days/,
    'a cell that was changed',
    `update transaction_bucket_total set count = count - 1 where channel_id = 0 and user_id = 0 and status = '*'`,
    () => /channel 0 user 0 \*$/,
  ],
  [
    /holds and has given back/,
    'a refund that its payment knows nothing of',
    `update transaction set amount_refunded = 100, amount_refund_held = 100 where id = {refunded}`,
    ofPayment('refunded'),
  ],
  [
    /holds and has given back/,
    'money held for no refund',
    'update transaction set amount_refund_held = 1 where id = {paid}',
    ofPayment('paid'),
  ],
  [
    /holds and has given back/,
    'more held than was paid',
    `alter table transaction drop constraint transaction_amounts_and_status;
     update transaction set amount_refund_held = amount + 1 where id = {refunded};
     update refund set amount = 1900 where id = {refund}`,
    ofPayment('refunded'),
  ],
  [
    /holds and has given back/,
    'a refund in another currency',
    `update refund set currency = 'JPY' where id = {refund}`,
    ofPayment('refunded'),
  ],
  [
    /holds and has given back/,
    'a payment that only says it was refunded',
    `update transaction set status = 'REFUNDED' where id = {paid}`,
    ofPayment('paid'),
  ],
  [
    /refund that succeeded is booked/,
    'a refund without its transfer',
    `${freely} delete from ledger_transfer where source_id = {refund}`,
    ofPayment('refund'),
  ],
  [
    /refund that succeeded is booked/,
    'a refund booked for another amount',
    `${freely} update ledger_transfer set amount = 1 where source_id = {refund}`,
    ofPayment('refund'),
  ],
  [
    /refund that succeeded is booked/,
    'a refund booked for another payment',
    `${freely} update ledger_transfer set transaction_id = {paid} where source_id = {refund}`,
    ofPayment('refund'),
  ],
  [
    /refund that succeeded is booked/,
    'a refund that failed, booked',
    bookAs('{refusedRefund}', '{stubborn}', { debit: 'REFUNDS', credit: 'PROVIDER_RECEIVABLE' }),
    ofPayment('refusedRefund'),
  ],
  [
    /refund that succeeded is booked/,
    'a refund that came back, without the transfer that reverses it',
    `${freely} delete from ledger_transfer where source_id = {reversedRefund} and leg = 2`,
    ofPayment('reversedRefund'),
  ],
  [
    /refund that succeeded is booked/,
    'a refund that stands, reversed',
    `${freely} insert into ledger_transfer
     select tenant_id, source_id, 2, transaction_id, channel_id, credit, debit, currency, amount, created_at
       from ledger_transfer where source_id = {refund}`,
    ofPayment('refund'),
  ],
  [
    /payment holds and has given back/,
    'a payment that still counts a refund that came back',
    `update transaction set status = 'REFUNDED', amount_refunded = amount, amount_refund_held = amount
         where id = {reversed}`,
    ofPayment('reversed'),
  ],
  [
    /one refund.failed/,
    'a refund that failed afterwards, not reported',
    `delete from event where type = 'refund.failed' and object_id = 'ref_' || replace({reversedRefund}, '-', '')`,
    ofPayment('reversedRefund'),
  ],
  [
    /one refund.failed/,
    'a refund that failed, reported twice',
    `insert into event select tenant_id, gen_random_uuid(), type, object_id, created_at, body from event
      where type = 'refund.failed' and object_id = 'ref_' || replace({refusedRefund}, '-', '')`,
    ofPayment('refusedRefund'),
  ],
  [
    /one refund.failed/,
    'a refund that succeeded, reported as failed',
    `update event set object_id = 'ref_' || replace({refund}, '-', '') where type = 'refund.failed'`,
    ofPayment('refund'),
  ],
  [
    /exactly one refund.created/,
    'a refund whose creation was not reported',
    `delete from event where type = 'refund.created' and object_id = 'ref_' || replace({refund}, '-', '')`,
    ofPayment('refund'),
  ],
  [
    /exactly one refund.created/,
    'a refund whose success was reported twice',
    `insert into event select tenant_id, gen_random_uuid(), type, object_id, created_at, body from event
      where type = 'refund.succeeded' and object_id = 'ref_' || replace({refund}, '-', '')`,
    ofPayment('refund'),
  ],
  [
    /exactly one customer.created/,
    'a customer whose creation was not reported',
    `delete from event where type = 'customer.created'`,
    () => /^cus_\d+$/,
  ],
  [
    /one invoice.paid event for each time/,
    'an invoice whose number was not reported',
    `delete from event where type = 'invoice.finalized'`,
    () => /^tenant 0 inv_\d+$/,
  ],
  [
    /no other transaction.refunded/,
    'a refund that was not reported',
    `delete from event where type = 'transaction.refunded' and object_id = 'txn_' || replace({charged}, '-', '')`,
    ofPayment('charged'),
  ],
  [
    /no other transaction.refunded/,
    'a refund reported for a payment that has none',
    `update event set object_id = 'txn_' || replace({paid}, '-', '')
         where type = 'transaction.refunded' and object_id = 'txn_' || replace({charged}, '-', '')`,
    ofPayment('paid'),
  ],
  [
    /at most one charge/,
    'two charges of one payment',
    `drop index provider_operation_one_charge;
     insert into provider_operation (tenant_id, transaction_id, number, kind, channel_id, provider, amount, due_at,
         created_at)
     select tenant_id, transaction_id, 9, kind, channel_id, provider, amount, now(), now() from provider_operation
         where transaction_id = {charged} and number = 1`,
    ofPayment('charged'),
  ],
  [
    /no charge under way/,
    'a payment that ended while its charge is under way',
    `update transaction set status = 'FAILED' where id = {waiting}`,
    ofPayment('waiting'),
  ],
  [
    /no charge under way/,
    'a payment cancelled while its charge is under way',
    `update transaction set status = 'CANCELLED' where id = {waiting}`,
    ofPayment('waiting'),
  ],
  [
    /only by a charge that did/,
    'a success that no provider said',
    `update transaction set status = 'SUCCESS' where id = {waiting}`,
    ofPayment('waiting'),
  ],
  [
    /only by a charge that did/,
    'a charge of another amount',
    `update provider_operation set amount = 5 where transaction_id = {charged} and kind = 'CHARGE'`,
    ofPayment('charged'),
  ],
  [
    /asked for a refund/,
    'a refund that no provider was asked for',
    `delete from provider_operation where refund_id = {refundOfCharge}`,
    ofPayment('refundOfCharge'),
  ],
  [
    /asked for a refund/,
    'a refund that failed at its provider and says that it succeeded',
    `update refund set status = 'SUCCESS' where id = {refusedRefund}`,
    ofPayment('refusedRefund'),
  ],
  [
    /asked for a refund/,
    'a refund that is done and still says that it waits',
    `update refund set status = 'PENDING' where id = {refundOfCharge}`,
    ofPayment('refundOfCharge'),
  ],
  [
    /totals of charges/,
    'a charge counted twice',
    'insert into charge_total_delta select * from charge_total limit 1',
    () => /^tenant 0 /,
  ],
  [
    /totals of charges/,
    'charges that were not counted',
    'delete from charge_total; delete from charge_total_delta',
    () => /^tenant 0 /,
  ],
  [
    /every invoice equal its lines/,
    'a line that is gone',
    'delete from invoice_line where invoice_id = (select id from invoice where tenant_id = 0 and number = 1)',
    ofPayment('invoice'),
  ],
  [
    /every invoice equal its lines/,
    'a tax that was changed',
    'update invoice_line set tax_amount = tax_amount + 1',
    ofPayment('openInvoice'),
  ],
  [
    /paid amount of every invoice/,
    'a payment that was not counted',
    'update invoice set amount_paid = 0 where number = 2',
    ofPayment('openInvoice'),
  ],
  [
    /paid amount of every invoice/,
    'a part of a payment that counts as excess',
    'update invoice_payment set excess = 1 where transaction_id = {invoicePayment}',
    ofPayment('invoice'),
  ],
  [
    /Money is UNAPPLIED exactly as far as payments took more/,
    'money of a payment that pays nothing and is not booked so',
    'update invoice_payment set excess = 1 where transaction_id = {invoicePayment}',
    () => /^txn_/,
  ],
  [
    /has the state, amount and currency of its transaction/,
    'a payment that failed and counts as paid',
    `update transaction set status = 'FAILED' where id = {invoicePayment}`,
    () => /^tenant 0 invoice \d+ payment 2$/,
  ],
  [
    /has the state, amount and currency of its transaction/,
    'a payment of another invoice',
    `update transaction set invoice_id = invoice_id + 1 where id = {invoicePayment}`,
    () => /^tenant 0 invoice \d+ payment 2$/,
  ],
  [
    /mode of its channel/,
    'a payment that crossed over',
    'update transaction set livemode = not livemode where id = {paid}',
    ofPayment('paid'),
  ],
  [
    /mode of its channel/,
    'an event that crossed over',
    `update event set livemode = not livemode where object_id = 'txn_' || replace({paid}, '-', '')`,
    ofPayment('paid'),
  ],
  [
    /mode of its channel/,
    'a channel that crossed over, with its ledger transfers',
    'update channel set livemode = not livemode',
    () => /^txn_/,
  ],
  [
    /endpoint of the mode of its event/,
    'an endpoint that crossed over',
    'update webhook_endpoint set livemode = not livemode',
    () => /^dlv_/,
  ],
  [
    /every invoice have its mode/,
    'an invoice that crossed over',
    'update invoice set livemode = not livemode',
    () => /^tenant 0 invoice \d+$/,
  ],
  [
    /every invoice have its mode/,
    'a payment of an invoice in the other mode',
    'update transaction set livemode = not livemode where id = {invoicePayment}',
    () => made.invoice as string,
  ],
  [
    /every invoice have its mode/,
    'an event of an invoice in the other mode',
    `update event set livemode = not livemode where type = 'invoice.paid'`,
    () => made.invoice as string,
  ],
  [
    /no gaps/,
    'a number that is missing',
    'update invoice set number = 3 where number = 1',
    () => /^tenant 0 INV: 2 numbers up to 3/,
  ],
  [
    /no gaps/,
    'a number that was not counted',
    'update invoice_counter set last = 1',
    () => /^tenant 0 INV: 2 numbers up to 2/,
  ],
  [
    /one invoice.paid event for each time/,
    'a payment that was not reported',
    `delete from event where type = 'invoice.paid'`,
    () => /^tenant 0 inv_\d+$/,
  ],
  [
    /one invoice.paid event for each time/,
    'a failure reported twice',
    `insert into event select tenant_id, gen_random_uuid(), type, object_id, created_at, body from event
      where type = 'invoice.payment_failed'`,
    () => /^tenant 0 inv_\d+$/,
  ],
  [
    /periods of every subscription are contiguous/,
    'a period that ends too early',
    `update subscription_period set end_at = end_at - interval '1 second' where start_at < '2027-01-02'`,
    ofPayment('subscription'),
  ],
  [
    /periods of every subscription are contiguous/,
    'a current period that is no row',
    `update subscription set period_end = period_end + interval '1 day'`,
    ofPayment('subscription'),
  ],
  [
    /taxed on its invoice at its own rate/,
    'a charge that is not taxed',
    `insert into subscription_line (tenant_id, subscription_id, description, amount, tax_rate, created_at, invoice_id)
     select tenant_id, subscription_id, 'A charge', line.amount, line.tax_rate, now(), id
       from invoice cross join (values (5, 700), (-5, null)) as line (amount, tax_rate)
      where id = (select min(id) from invoice where subscription_id is not null)`,
    () => /^invoice \d+$/,
  ],
  [
    /has its own invoice/,
    'an invoice of a period that is gone',
    'delete from subscription_period',
    () => /^subscription \d+ at 2027-01-01/,
  ],
  [
    /has its own invoice/,
    "an invoice of another period's time",
    `update invoice set period_end = period_end + interval '1 day' where period_end is not null`,
    () => /^subscription \d+ at 2027-02-01/,
  ],
  [
    /to the minor unit/,
    'a credit that grew',
    'update subscription_line set amount = amount - 1 where amount < 0',
    () => /^invoice \d+$/,
  ],
  [
    /PAST_DUE exactly/,
    'a failure that nobody minds',
    `update subscription set state = 'ACTIVE'`,
    ofPayment('subscription'),
  ],
  [
    /PAST_DUE exactly/,
    'a failure that is none',
    `update invoice_collection set state = 'DUE'`,
    ofPayment('subscription'),
  ],
  [
    /A collection is settled exactly/,
    'a charge settled by nothing',
    `update invoice_collection set state = 'SETTLED', due_at = null`,
    () => /^invoice \d+$/,
  ],
  [
    /A collection is settled exactly/,
    'a charge that outlived its invoice',
    `update invoice set status = 'UNCOLLECTIBLE', closed_at = now() where status = 'OPEN'`,
    () => /^invoice \d+$/,
  ],
  [
    /latest event of every subscription/,
    'a change that was not reported',
    'update subscription set version = version + 1',
    ofPayment('subscription'),
  ],
  [
    /latest event of every subscription/,
    'a change reported twice',
    `insert into event select tenant_id, gen_random_uuid(), type, object_id, created_at, body from event
      where type = 'subscription.created'`,
    () => /^sub_\d+ version 1$/,
  ],
  [
    /checkout is paid at most once/,
    'a payment after one that succeeded',
    `${aCheckout}; ${paidBy('refunded', 1)}; ${paidBy('failed', 2)}`,
    () => /^tenant 0 checkout 5$/,
  ],
  [
    /checkout is paid at most once/,
    'two payments beside each other that both pay it',
    `${aCheckout}; ${paidBy('refunded', 1)}; ${paidBy('paid', 2)};
     update checkout_payment set is_contested = true, judged_at = now()`,
    () => /^tenant 0 checkout 5$/,
  ],
  [
    /Every payment of a checkout exists/,
    'a payment in another currency',
    `${aCheckout}; ${paidBy('paid', 1)}`,
    () => /^tenant 0 checkout 5 payment 1$/,
  ],
];

/** Claims and findings, by their text. */
const verified = [...checks, ...findings.map(({ finding, offenders }) => ({ claim: finding, offenders }))];

describe('a planted defect is found, with the name of its offender', () => {
  test.each(plants)('%s: %s', async (claim, _what, sql, offender) => {
    const check = verified.find((one) => claim.test(one.claim));
    if (check === undefined) throw new Error(`No check claims ${claim}.`);
    await within(async (transaction) => {
      expect(await offendersOf(transaction, check, 11)).toEqual([]);
      for (const part of filled(sql).split(';')) await transaction.run({ name: '', text: part });
      const named = offender();
      expect(await offendersOf(transaction, check, 11)).toContainEqual(
        typeof named === 'string' ? named : expect.stringMatching(named),
      );
    });
  });

  test('claims that are checked in one statement are each told their own offenders', async () => {
    const sharing = Map.groupBy(
      checks.filter((check) => check.with !== undefined),
      (check) => check.with,
    );
    expect(sharing.size).toBeGreaterThan(0);
    for (const group of sharing.values()) {
      expect(group.length).toBeGreaterThan(1);
      await within(async (transaction) => {
        for (const [claim, , sql] of plants) {
          if (!group.some((check) => claim.test(check.claim))) continue;
          for (const part of filled(sql).split(';')) await transaction.run({ name: '', text: part });
        }
        const together = await offendersOfEach(transaction, group, 1_000);
        for (const [i, check] of group.entries()) {
          expect(together[i]?.length).toBeGreaterThan(0);
          expect(together[i]?.toSorted()).toEqual((await offendersOf(transaction, check, 1_000)).toSorted());
        }
        expect((await offendersOfEach(transaction, group, 1)).map((offenders) => offenders.length)).toEqual(
          group.map(() => 1),
        );
      });
    }
  });

  test('every claim and every finding is tested', () => {
    const untested = verified.filter(({ claim }) => !plants.some(([planted]) => planted.test(claim)));
    expect(untested).toEqual([]);
  });
});

/** As `plants`, of the claims that take the encryption keys. */
const keyedPlants: Plant[] = [
  [
    /Every event is as the service wrote it/,
    'an amount changed in what is sent',
    `update event set body = replace(body, '"amount":1999', '"amount":1998') where id = {paid}`,
    ofEvent('paid'),
  ],
  [
    /Every event is as the service wrote it/,
    'the digest of another event',
    `update event set digest = (select digest from event where id = {failed}) where id = {paid}`,
    ofEvent('paid'),
  ],
  [
    /Every event is as the service wrote it/,
    'an event given to another tenant',
    `update event set tenant_id = 2 where id = {paid}`,
    ofEvent('paid'),
  ],
  [
    /Every event is as the service wrote it/,
    'a digest under a key that there never was',
    `update event set digest = overlay(digest placing 'none' from 2 for 4) where id = {paid}`,
    ofEvent('paid'),
  ],
  [
    /Every sealed value opens where it is stored/,
    'a secret copied to another column',
    `update channel set api_key_sealed = webhook_secret_sealed where webhook_secret_sealed is not null`,
    () => /^channel.api_key_sealed of \d+/,
  ],
];

describe('a planted defect is found with the keys', () => {
  const found = (database: Snapshot, claim: RegExp, keys: string) => {
    const check = keyedChecks.find((one) => claim.test(one.claim));
    if (check === undefined) throw new Error(`No check claims ${claim}.`);
    return check.check(database, checkKeysOf(parseKeyring(keys)), 11);
  };

  test.each(keyedPlants)('%s: %s', async (claim, _what, sql, offender) => {
    await within(async (transaction) => {
      expect(await found(transaction, claim, encryptionKeys)).toMatchObject({ offenders: [], unchecked: 0 });
      for (const part of filled(sql).split(';')) await transaction.run({ name: '', text: part });
      const named = offender();
      expect((await found(transaction, claim, encryptionKeys)).offenders).toContainEqual(
        typeof named === 'string' ? named : expect.stringMatching(named),
      );
    });
  });

  test('every claim that takes a key is tested', () => {
    expect(keyedChecks.filter(({ claim }) => !keyedPlants.some(([planted]) => planted.test(claim)))).toEqual([]);
  });

  test('with a lost key nothing is false: the claims are not checkable', async () => {
    for (const keys of [freshKeyring(), undefined]) {
      const results: Record<string, string | undefined> = {};
      const broken = await verify(
        db.database,
        ({ claim, notCheckable }) => {
          results[claim] = notCheckable;
        },
        { keys: keys === undefined ? undefined : parseKeyring(keys) },
      );
      expect(broken).toBe(0);
      for (const { claim } of keyedChecks) expect(results[claim]).toMatch(/keys? /);
    }
  });

  test('older digests stay valid and are counted', async () => {
    const { note } = await db.database.snapshot((snapshot) => found(snapshot, /Every event is as/, encryptionKeys));
    expect(note).toMatch(/^[1-9]\d* events, and [1-9]\d* older ones without a key$/);
  });
});

test('at most ten offenders are named', async () => {
  const [first] = checks;
  const offenders = `select 'txn_' || n as offender from generate_series(1, 25) as n`;
  expect(await offendersOf(db.database, { ...(first as (typeof checks)[number]), offenders }, 11)).toHaveLength(11);
});
