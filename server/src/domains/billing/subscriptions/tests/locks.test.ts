import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  arrangeSubscribers,
  brokenClaims,
  deleteSubscriptions,
  subscriptionsNode,
} from '../../../../../tests/support/billing/subscriptions.ts';
import { principalOf } from '../../../../../tests/support/payments/payments.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { dayMs } from '../../../../core/clock.ts';
import { collectDue } from '../collections/collect.ts';
import { findDueCollections } from '../collections/statements.ts';

const start = Date.UTC(2027, 0, 31, 9, 30);
const merchant = principalOf(1, 1);

let db: TestDatabase;
let node: Awaited<ReturnType<typeof subscriptionsNode>>;
let other: Awaited<ReturnType<typeof subscriptionsNode>>;

beforeAll(async () => {
  db = await databaseFromTemplate();
  await arrangeSubscribers(db);
  node = await subscriptionsNode(db, start);
  other = await subscriptionsNode(db, start);
});

beforeEach(async () => {
  for (const each of [node, other]) each.setTime(start);
  await deleteSubscriptions(db);
});

afterEach(async () => {
  expect([...node.errors.splice(0), ...other.errors.splice(0)]).toEqual([]);
  expect(await brokenClaims(db)).toEqual([]);
});

afterAll(async () => {
  await node.stop();
  await other.stop();
  await db.drop();
});

/** Waits until `count` transactions wait for a lock. */
const waitForBlocked = (count: number) =>
  eventually(`${count} wait for a lock`, async () => {
    const blocked = await db.query(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return blocked.length === count;
  });

/** Locks rows in a separate transaction until `release`. */
async function lockRows(sql: string): Promise<{ release: () => Promise<void> }> {
  const released = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  const ended = db.database.transaction(async (transaction) => {
    await transaction.run({ name: '', text: sql });
    locked.resolve();
    await released.promise;
  });
  await locked.promise;
  return {
    release: async () => {
      released.resolve();
      await ended;
    },
  };
}

const failOpenPayment = async (each: typeof node) => {
  const [{ id }] = (await db.query<{ id: string }>(
    `select 'txn_' || replace(id::text, '-', '') as id from transaction where status = 'PENDING'`,
  )) as [{ id: string }];
  await each.update({ id, status: 'FAILED', failureCode: 'card_declined' }, merchant);
};

test("renewing and collecting never deadlock, whatever the order of a subscription's collections", async () => {
  const { id } = await node.subscribe({ customerId: 1, planId: 2 }, merchant);
  node.setTime(start + dayMs);
  await node.renew();
  // Both invoices have failed and are due for a retry, the later one first; and the last period has ended.
  await db.query(
    `update invoice_collection c
        set state = 'FAILED', failures = 1, due_at = $1::timestamptz - i.number * interval '1 hour'
       from invoice i where i.id = c.invoice_id`,
    [new Date(start + 2 * dayMs)],
  );
  await db.query(
    `update subscription set state = 'PAST_DUE', cancel_at_period_end = true, due_at = period_end where id = $1`,
    [id],
  );
  for (const each of [node, other]) each.setTime(start + 2 * dayMs);
  // A transaction that writes the first collection now waits for this lock.
  const lock = await lockRows(
    'select 1 from invoice_collection where invoice_id = (select min(id) from invoice) for update',
  );
  const renewed = node.renew();
  await waitForBlocked(1);
  const collected = other.collect();
  await waitForBlocked(2);
  await lock.release();
  expect(await Promise.all([renewed, collected])).toEqual([1, 2]);
  // The subscription ended first, so its failed collections are not retried.
  expect(await other.collect()).toBe(0);
  expect(await db.query('select state, due_at from invoice_collection')).toEqual([
    { state: 'FAILED', due_at: null },
    { state: 'FAILED', due_at: null },
  ]);
  expect(await db.query('select 1 from transaction')).toEqual([]);
});

test('a collection that another node has attempted and that has failed since is not retried early', async () => {
  await node.subscribe({ customerId: 1, planId: 1 }, merchant);
  const { database } = other.deps;
  const slow = Object.assign(Object.create(database) as typeof database, {
    run: async (statement: typeof findDueCollections, values: unknown[]) => {
      const seen = await database.run(statement, values);
      if (statement === findDueCollections && seen.length > 0) {
        await node.collect();
        await failOpenPayment(node);
      }
      return seen;
    },
  });
  expect(await collectDue(0, start, { ...other.deps, database: slow })).toBe(1);
  expect(await db.query('select status from transaction')).toEqual([{ status: 'FAILED' }]);
  const [collection] = await db.query<{ failures: number; due_at: string }>(
    'select failures, due_at from invoice_collection',
  );
  expect(collection).toEqual({ failures: 1, due_at: new Date(start + 2 * dayMs).toISOString() });
});
