import { dayMs } from '../../../src/core/clock.ts';
import type { Principal } from '../../../src/core/principal.ts';
import type { BillingApp } from '../../../src/domains/billing/app.ts';
import { invoiceChecks } from '../../../src/domains/billing/invoices/integrity.ts';
import { collectDue } from '../../../src/domains/billing/subscriptions/collections/collect.ts';
import { followPayments } from '../../../src/domains/billing/subscriptions/collections/follow.ts';
import { type CreateInput, createSubscription } from '../../../src/domains/billing/subscriptions/create.ts';
import { subscriptionChecks } from '../../../src/domains/billing/subscriptions/integrity.ts';
import type { SubscriptionRecord } from '../../../src/domains/billing/subscriptions/record.ts';
import { renewDue } from '../../../src/domains/billing/subscriptions/renewal/renew.ts';
import type { Call } from '../../../src/platform/http/route.ts';
import { offendersOf } from '../../../src/platform/postgres/check.ts';
import { Database, type Queryable, type Transaction } from '../../../src/platform/postgres/database.ts';
import { noFailPoint } from '../../../src/platform/process/fail-point.ts';
import { arrangeChannels, paymentsNode } from '../payments/payments.ts';
import type { TestDatabase } from '../postgres/database.ts';

/**
 * One node's subscriptions on a test database; the test decides when due work is processed. Two of these are two nodes.
 */
export async function subscriptionsNode(db: TestDatabase, startMs: number) {
  let nowMs = startMs;
  const node = await paymentsNode(db, () => nowMs);
  const { payments, channels, generateUuid } = node;
  const statements: string[] = [];
  const errors: unknown[] = [];
  const workerDatabase = new Database({
    connection: db.connection,
    connections: 2,
    name: 'test subscriptions',
    plans: 'indexed',
  });
  const database = recordingStatements(workerDatabase, statements);
  const retryIntervalsMs = [2 * dayMs, 5 * dayMs];
  const deps = {
    database,
    channels,
    generateUuid,
    clock: () => nowMs,
    retryIntervalsMs,
    debitNoticeMs: dayMs,
    failPoint: noFailPoint,
    onError: (error: unknown) => errors.push(error),
    payments,
  };
  node.followers.settled = (transaction, settled) => followPayments(transaction, settled, deps);
  return {
    ...node,
    deps,
    /** The names of all statements run by subscriptions so far, and `begin` for each transaction. */
    statements,
    errors,
    setTime: (atMs: number) => {
      nowMs = atMs;
    },
    subscribe: async (input: CreateInput, principal: Principal): Promise<SubscriptionRecord> => {
      const call = { body: input, principal } as Call<CreateInput>;
      return (await createSubscription(call, deps as Partial<BillingApp> as BillingApp)).answer;
    },
    renew: () => renewDue(0, nowMs, deps),
    collect: () => collectDue(0, nowMs, deps),
    /** Renews until nothing is due. */
    renewAll: async () => {
      while ((await renewDue(0, nowMs, deps)) > 0);
    },
    stop: async () => {
      await node.stop();
      await workerDatabase.close();
    },
  };
}

/**
 * Creates channels (`arrangeChannels`), customers 1 and 2 and plans 1 to 3 of tenant 1, customer 3 and plan 4 of tenant
 * 2.
 */
export async function arrangeSubscribers(db: TestDatabase): Promise<void> {
  await arrangeChannels(db);
  await db.query(`insert into customer (tenant_id, id, name, default_channel_id, created_at)
                  values (1, 1, 'Ada', 11, now()), (1, 2, 'Bob', 11, now()), (2, 3, 'Cyd', 12, now())`);
  await db.query(`insert into plan (tenant_id, id, name, currency, amount, interval_unit, interval_count, trial_days,
      state, created_at)
                  values (1, 1, 'Gold', 'USD', 3100, 'month', 1, 0, true, now()),
                         (1, 2, 'Daily', 'USD', 100, 'day', 1, 0, true, now()),
                         (1, 3, 'Huge', 'USD', 5000000000000000, 'month', 1, 0, true, now()),
                         (2, 4, 'Theirs', 'USD', 100, 'month', 1, 0, true, now())`);
}

/** Deletes all subscriptions with their invoices, payments and events. */
export async function deleteSubscriptions({ query }: TestDatabase): Promise<void> {
  await query(`truncate subscription, subscription_period, subscription_line, invoice_collection, invoice, invoice_line,
                 invoice_payment, invoice_counter, event, delivery, transaction cascade`);
}

/** The broken integrity claims about subscriptions and invoices. */
export async function brokenClaims({ database }: TestDatabase): Promise<string[]> {
  const found = [];
  for (const check of [...subscriptionChecks, ...invoiceChecks]) {
    const offenders = await offendersOf(database, check, 5);
    if (offenders.length > 0) found.push(`${check.claim}: ${offenders}`);
  }
  return found;
}

/** The same database; records the names of the statements that run on it. */
function recordingStatements(database: Database, statements: string[]): Database {
  const recording = (queryable: Queryable): Queryable => ({
    run: (statement, values) => {
      statements.push(statement.name);
      return queryable.run(statement, values);
    },
  });
  return Object.assign(Object.create(database) as Database, {
    run: recording(database).run,
    transaction: <Result>(work: (transaction: Transaction) => Promise<Result>) => {
      statements.push('begin');
      return database.transaction((transaction) =>
        work({
          ...recording(transaction),
          copyOut: (text) => transaction.copyOut(text),
          afterCommit: (effect) => transaction.afterCommit(effect),
        }),
      );
    },
    snapshot: <Result>(work: (snapshot: Queryable) => Promise<Result>) => database.snapshot(work),
  });
}
