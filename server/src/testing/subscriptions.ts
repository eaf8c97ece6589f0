import { payInvoices } from '../domains/invoices/payments.ts';
import { InvoiceSettler } from '../domains/invoices/settle.ts';
import { collectDue, followPayments } from '../domains/subscriptions/collect.ts';
import { createSubscription } from '../domains/subscriptions/create.ts';
import type { SubscriptionRecord } from '../domains/subscriptions/record.ts';
import { renewDue } from '../domains/subscriptions/renew.ts';
import { Database, type Queryable } from '../platform/postgres/database.ts';
import { noFailPoint } from '../platform/process/fail-point.ts';
import { dayMs } from '../vocabulary/clock.ts';
import type { Principal } from '../vocabulary/principal.ts';
import type { TestDatabase } from './database.ts';
import { paymentsNode } from './payments.ts';

/** One node's subscriptions on a test database, worked off when the test says so; two of these are two nodes. */
export async function subscriptionsNode(db: TestDatabase, startMs: number) {
  let nowMs = startMs;
  const payments = await paymentsNode(db);
  const { creator, channels, drawUuid } = payments;
  const statements: string[] = [];
  const troubles: unknown[] = [];
  const working = new Database({
    connection: db.connection,
    connections: 2,
    name: 'test subscriptions',
    plans: 'indexed',
  });
  const database = watched(working, statements);
  const retryIntervalsMs = [2 * dayMs, 5 * dayMs];
  const woken = { onDue: () => {}, onDeliveries: () => {}, onPayments: () => {} };
  const deps = {
    ...woken,
    database,
    channels,
    drawUuid,
    clock: () => nowMs,
    retryIntervalsMs,
    failPoint: noFailPoint,
    onTrouble: (error: unknown) => troubles.push(error),
    payInvoices: (transaction: Queryable, wanted: Parameters<typeof payInvoices>[1], atMs: number) =>
      payInvoices(transaction, wanted, atMs, {
        writePayments: (within, requests) => creator.createWithin(within, requests),
        drawUuid,
      }),
  };
  const settler = new InvoiceSettler({
    ...woken,
    database: working,
    drawUuid,
    onSettled: (transaction, settled) => followPayments(transaction, settled, deps),
    onTrouble: (error) => troubles.push(error),
  });
  return {
    ...payments,
    deps,
    /** The names of all statements run by subscriptions so far, and where transactions begin. */
    statements,
    troubles,
    settler,
    moveTo: (atMs: number) => {
      nowMs = atMs;
    },
    subscribe: async (
      input: Parameters<typeof createSubscription>[0],
      principal: Principal,
    ): Promise<SubscriptionRecord> => (await createSubscription(input, principal, deps)).record,
    renew: () => renewDue(0, nowMs, deps),
    collect: () => collectDue(0, nowMs, deps),
    /** Until nothing is due any more. */
    renewAll: async () => {
      while ((await renewDue(0, nowMs, deps)) > 0);
    },
    stop: async () => {
      await settler.stop();
      await payments.stop();
      await working.close();
    },
  };
}

/** The same database, with the names of what is run on it kept. */
function watched(database: Database, statements: string[]): Database {
  const watching = (queryable: Queryable): Queryable => ({
    run: (statement, values) => {
      statements.push(statement.name);
      return queryable.run(statement, values);
    },
  });
  return Object.assign(Object.create(database) as Database, {
    run: watching(database).run,
    transaction: <Result>(work: (transaction: Queryable) => Promise<Result>) => {
      statements.push('begin');
      return database.transaction((transaction) => work(watching(transaction)));
    },
    snapshot: <Result>(work: (moment: Queryable) => Promise<Result>) => database.snapshot(work),
  });
}
