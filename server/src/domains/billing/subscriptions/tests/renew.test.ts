import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  arrangeSubscribers,
  brokenClaims,
  deleteSubscriptions,
  subscriptionsNode,
} from '../../../../../tests/support/billing/subscriptions.ts';
import { principalOf } from '../../../../../tests/support/payments/payments.ts';
import { databaseFromTemplate, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { dayMs } from '../../../../core/clock.ts';

const start = Date.UTC(2027, 0, 31, 9, 30);
const merchant = principalOf(1, 1);

let db: TestDatabase;
let node: Awaited<ReturnType<typeof subscriptionsNode>>;

beforeAll(async () => {
  db = await databaseFromTemplate();
  await arrangeSubscribers(db);
  node = await subscriptionsNode(db, start);
});

beforeEach(async () => {
  node.setTime(start);
  await deleteSubscriptions(db);
});

afterAll(async () => {
  await node.stop();
  await db.drop();
});

const after = (days: number) => start + days * dayMs;

const broken = () => brokenClaims(db);

const periods = () =>
  db.query<{ day: string; number: number }>(
    `select (period_start at time zone 'UTC')::date::text as day, number from invoice order by number`,
  );

test('after three missed periods, each is invoiced once and in order', async () => {
  await node.subscribe({ customerId: 1, planId: 1 }, merchant);
  node.setTime(after(100));
  await node.renewAll();
  expect(await periods()).toEqual([
    { day: '2027-01-31', number: 1 },
    { day: '2027-02-28', number: 2 },
    { day: '2027-03-31', number: 3 },
    { day: '2027-04-30', number: 4 },
  ]);
  await node.renewAll();
  expect(await periods()).toHaveLength(4);
  expect(await broken()).toEqual([]);
});

test('concurrent workers invoice each period once and open one payment for each invoice', async () => {
  const other = await subscriptionsNode(db, after(5));
  for (let i = 0; i < 40; i++) await node.subscribe({ customerId: 1 + (i % 2), planId: 2 }, merchant);
  node.setTime(after(5));
  await Promise.all([node.renewAll(), other.renewAll(), node.renewAll(), other.renewAll()]);
  // Subscriptions that one worker skipped while another had locked them are still due.
  await node.renewAll();
  await Promise.all([node.collect(), other.collect(), node.collect()]);
  const [made] = await db.query(
    `select count(*)::int as invoices, count(distinct (subscription_id, period_start))::int as periods from invoice`,
  );
  expect(made).toEqual({ invoices: 240, periods: 240 });
  const [paid] = await db.query(
    `select count(*)::int as payments, count(distinct invoice_id)::int as invoices from transaction`,
  );
  expect(paid).toEqual({ payments: 240, invoices: 240 });
  expect([...node.errors, ...other.errors]).toEqual([]);
  expect(await broken()).toEqual([]);
  await other.stop();
});

test('five hundred due subscriptions are renewed with the same statements as one', async () => {
  await node.subscribe({ customerId: 1, planId: 1 }, merchant);
  await db.query(
    `insert into subscription select (json_populate_record(s, json_build_object('id', s.id + n))).*
         from subscription s, generate_series(1, 499) n`,
  );
  node.setTime(after(30));
  node.statements.length = 0;
  expect(await node.renew()).toBe(500);
  expect(node.statements).toEqual([
    'begin',
    'subscriptions.claim_due',
    'plans.forget',
    'plans.keep',
    'subscriptions.find_pending_lines',
    'invoices.advance_counters',
    'sellers.find_many',
    'invoices.insert_many',
    'events.insert_many',
    'subscriptions.save',
    'events.insert_many',
  ]);
  expect(await node.renew()).toBe(0);
  node.statements.length = 0;
  await node.collect();
  expect(node.statements.length).toBeLessThan(12);
});

test('after a batch is rolled back, all its subscriptions are still due and no invoice number is lost', async () => {
  await node.subscribe({ customerId: 1, planId: 1 }, merchant);
  await node.subscribe({ customerId: 2, planId: 1 }, merchant);
  node.setTime(after(30));
  await db.query('alter table invoice_collection add constraint drill check (invoice_id < 0) not valid');
  expect(await node.renew()).toBe(2);
  expect(node.errors.splice(0)).toHaveLength(2);
  await db.query('alter table invoice_collection drop constraint drill');
  expect(await periods()).toHaveLength(2);
  node.setTime(after(31));
  await node.renewAll();
  expect((await periods()).map(({ number }) => number)).toEqual([1, 2, 3, 4]);
  expect(await broken()).toEqual([]);
});

test('a subscription that cannot be renewed is postponed, and the others of its batch are renewed', async () => {
  const good = await node.subscribe({ customerId: 1, planId: 1 }, merchant);
  const bad = await node.subscribe({ customerId: 2, planId: 3 }, merchant);
  await db.query('update subscription set quantity = 2 where id = $1', [bad.id]);
  node.setTime(after(30));
  await node.renewAll();
  expect(node.errors.splice(0)).toHaveLength(1);
  const ends = await db.query<{ id: number; day: string }>(
    `select id, (period_end at time zone 'UTC')::date::text as day from subscription order by id`,
  );
  expect(ends).toEqual([
    { id: good.id, day: '2027-03-31' },
    { id: bad.id, day: '2027-02-28' },
  ]);
});

test('a collection whose payment cannot be opened is postponed, and the others of its batch are paid', async () => {
  await node.subscribe({ customerId: 1, planId: 1 }, merchant);
  await node.subscribe({ customerId: 2, planId: 1 }, merchant);
  await db.query(
    'alter table invoice_payment add constraint drill check (invoice_id <> (' +
      `${(await db.query<{ id: number }>('select min(id) as id from invoice'))[0]?.id})) not valid`,
  );
  expect(await node.collect()).toBe(2);
  await db.query('alter table invoice_payment drop constraint drill');
  expect(node.errors.splice(0)).toHaveLength(1);
  expect(await db.query('select 1 from transaction')).toHaveLength(1);
  expect(await node.collect()).toBe(0);
  node.setTime(start + dayMs / 12);
  await node.collect();
  expect(await db.query('select 1 from transaction')).toHaveLength(2);
});

test("another tenant's customers and plans are not found", async () => {
  await expect(node.subscribe({ customerId: 3, planId: 1 }, merchant)).rejects.toThrow('There is no customer 3.');
  await expect(node.subscribe({ customerId: 1, planId: 4 }, merchant)).rejects.toThrow('There is no plan 4.');
});
