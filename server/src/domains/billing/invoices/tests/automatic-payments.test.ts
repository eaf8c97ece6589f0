import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { insertDefaultMethod, paymentEventsOfInvoice } from '../../../../../tests/support/billing/invoices.ts';
import { arrangeChannels, paymentsNode, principalOf } from '../../../../../tests/support/payments/payments.ts';
import { databaseFromTemplate, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { publicId, uuidGenerator } from '../../../../core/id.ts';
import { offendersOf } from '../../../../platform/postgres/check.ts';
import type { Transaction } from '../../../../platform/postgres/database.ts';
import { invoiceChecks } from '../integrity.ts';
import { type InvoiceDraft, issueInvoices } from '../issue/issue.ts';
import { type InvoiceKey, keyOfRow, lockInvoices } from '../lock.ts';
import { appendFailureEvents, type PaymentAttempt, payInvoices } from '../settlement/automatic-payments.ts';
import type { SettledPayment } from '../settlement/followers.ts';

let db: TestDatabase;
let node: Awaited<ReturnType<typeof paymentsNode>>;
let customerId: number;
const nowMs = Date.UTC(2027, 0, 31, 9);
const generateUuid = uuidGenerator(Date.now);
const merchant = principalOf(1, 7);

beforeAll(async () => {
  db = await databaseFromTemplate();
  await arrangeChannels(db);
  await db.query(`update channel set provider = 'sandbox' where id = 11`);
  node = await paymentsNode(db);
});

beforeEach(async () => {
  const [row] = await db.query<{ id: number }>(
    `insert into customer (tenant_id, name, default_channel_id, created_at) values (1, 'One', 21, now()) returning id`,
  );
  customerId = row?.id ?? 0;
});

afterEach(async () => {
  for (const check of invoiceChecks) expect(await offendersOf(db.database, check, 5), check.claim).toEqual([]);
});

afterAll(async () => {
  await node.stop();
  await db.drop();
});

function draft(changes: Partial<InvoiceDraft> = {}): InvoiceDraft {
  return {
    tenantId: 1,
    livemode: true,
    customerId,
    userId: 7,
    currency: 'USD',
    channelId: null,
    subscriptionId: null,
    clockId: 0,
    periodStartMs: null,
    periodEndMs: null,
    dueMs: nowMs,
    issuedMs: nowMs,
    description: null,
    metadata: null,
    lines: [{ description: 'Gold', quantity: 2, unitAmount: 500 }],
    ...changes,
  };
}

const issue = (drafts: readonly InvoiceDraft[]) =>
  db.database.transaction((transaction) => issueInvoices(transaction, drafts, generateUuid));

const pay = (wanted: readonly InvoiceKey[], through: (transaction: Transaction) => Transaction = (one) => one) =>
  db.database.transaction(async (transaction) => {
    const database = through(transaction);
    const deps = { payments: node.payments, generateUuid };
    const attempts = await payInvoices(database, wanted, await lockInvoices(database, wanted), nowMs, deps);
    await appendFailureEvents(database, attempts, generateUuid);
    return attempts;
  });

const keysOf = (rows: readonly { tenant_id: number; id: number }[]): InvoiceKey[] => rows.map(keyOfRow);

const end = (attempt: PaymentAttempt | undefined, status: 'SUCCESS' | 'FAILED' | 'CANCELLED') => {
  if (attempt?.outcome !== 'opened') throw new Error(`It was not opened: ${JSON.stringify(attempt)}`);
  return node.update({ id: publicId('txn', attempt.transactionId), status }, merchant);
};

const outcomes = (attempts: readonly PaymentAttempt[]) => attempts.map(({ outcome }) => outcome);

/** The payments that followers got, from now on. */
function reportedPayments(): SettledPayment[] {
  const reported: SettledPayment[] = [];
  node.followers.settled = async (_transaction, settled) => {
    reported.push(...settled);
  };
  return reported;
}

const eventsOf = (id: number) => paymentEventsOfInvoice(db, id);

describe('issueInvoices', () => {
  test('gives each of many invoices of several tenants the next number of its tenant', async () => {
    await db.query(`insert into customer (tenant_id, id, name, created_at) values (2, 5000, 'Two', now())`);
    const drafts = Array.from({ length: 30 }, (_, i) =>
      i % 3 === 0 ? draft({ tenantId: 2, customerId: 5000 }) : draft(),
    );
    const before = Number((await db.query('select max(number) from invoice where tenant_id = 1'))[0]?.max ?? 0);
    const rows = await issue(drafts);
    const numbers = (tenant: number) => rows.filter((row) => row.tenant_id === tenant).map((row) => row.number);
    expect(numbers(1)).toEqual(Array.from({ length: 20 }, (_, i) => before + i + 1));
    expect(numbers(2)).toEqual(Array.from({ length: 10 }, (_, i) => i + 1));
    // Fields that are read from other tables are not columns.
    for (const { amount_refunded: _, amount_under_way: __, amount_to_return: ___, ...read } of rows) {
      const { next_payment_attempt: ____, ...row } = read;
      const [stored] = await db.query('select * from invoice where id = $1', [row.id]);
      expect(stored).toMatchObject({ ...row, metadata: row.metadata });
    }
  });

  test('the database refuses a second invoice for a period of a subscription, and no number is used', async () => {
    const period = { subscriptionId: 9, periodStartMs: nowMs, periodEndMs: nowMs + 1 };
    await issue([draft(period)]);
    const [before] = await db.query('select last from invoice_counter where tenant_id = 1');
    await expect(issue([draft(), draft(period)])).rejects.toMatchObject({ code: '23505' });
    expect(await db.query('select last from invoice_counter where tenant_id = 1')).toEqual([before]);
  });

  test('an invoice with a total of 0 is PAID at once, with its event', async () => {
    const [row] = await issue([draft({ lines: [{ description: 'Trial', quantity: 1, unitAmount: 0 }] })]);
    expect(row).toMatchObject({ status: 'PAID', total: 0 });
    expect(await eventsOf(row?.id ?? 0)).toEqual(['invoice.paid']);
    expect(outcomes(await pay(keysOf(row ? [row] : [])))).toEqual(['not_payable']);
  });
});

describe('payInvoices', () => {
  test('takes the same number of statements for one invoice and for many', async () => {
    const statementsFor = async (many: number, channelId: number): Promise<number> => {
      const rows = await issue(Array.from({ length: many }, () => draft({ channelId })));
      let statements = 0;
      const counted = (transaction: Transaction): Transaction => ({
        ...transaction,
        run: (statement, values) => {
          statements++;
          return transaction.run(statement, values);
        },
      });
      expect(new Set(outcomes(await pay(keysOf(rows), counted)))).toEqual(new Set(['opened']));
      return statements;
    };
    // Locks, payments and their records, and the channel, which is read for the first payment. A bank transfer is
    // mailed as well; of a payment method, attempts are counted under a lock.
    for (const [channelId, most] of [
      [21, 5],
      [11, 6],
    ] as const) {
      if (channelId === 11) await insertDefaultMethod(db, customerId, channelId);
      const one = await statementsFor(1, channelId);
      const many = await statementsFor(40, channelId);
      expect(many).toBeLessThanOrEqual(one);
      expect(many).toBeLessThanOrEqual(most);
    }
  });

  test('opens charges that stay behind those of payers', async () => {
    await db.query(`insert into channel (tenant_id, id, name, code, type, currencies, country, state, provider)
                    values (1, 41, 'Sandbox of One', 'sandbox', 'ONLINE', '{USD}', 'US', true, 'sandbox')`);
    await insertDefaultMethod(db, customerId, 41);
    const [attempt] = await pay(keysOf(await issue([draft({ channelId: 41 })])));
    if (attempt?.outcome !== 'opened') throw new Error(`It was not opened: ${JSON.stringify(attempt)}`);
    const charges = await db.query('select background from provider_operation where transaction_id = $1', [
      attempt.transactionId,
    ]);
    expect(charges).toEqual([{ background: true }]);
  });

  test('creates one payment when ten callers pay an invoice at the same time', async () => {
    const [row] = await issue([draft()]);
    const attempts = (await Promise.all(Array.from({ length: 10 }, () => pay(keysOf(row ? [row] : []))))).flat();
    expect(outcomes(attempts).toSorted()).toEqual(['opened', ...Array.from({ length: 9 }, () => 'under_way')]);
    const [payment] = await db.query('select count(*) from transaction where invoice_id = $1', [row?.id]);
    expect(payment).toEqual({ count: 1 });
  });

  test('leads to one event per payment: a failure releases the invoice, a success pays it', async () => {
    const rows = await issue(Array.from({ length: 12 }, () => draft()));
    const first = await pay(keysOf(rows));
    const reported = reportedPayments();
    await Promise.all(first.map((attempt, i) => end(attempt, i % 3 === 0 ? 'FAILED' : 'SUCCESS')));
    expect(reported).toHaveLength(12);
    for (const [i, { id }] of rows.entries()) {
      expect(await eventsOf(id)).toEqual([i % 3 === 0 ? 'invoice.payment_failed' : 'invoice.paid']);
      const ofInvoice = reported.filter(({ invoiceId }) => invoiceId === id);
      expect(ofInvoice).toMatchObject([
        i % 3 === 0
          ? { state: 'FAILED', invoiceStatus: 'OPEN', automatic: true }
          : { state: 'SUCCEEDED', invoiceStatus: 'PAID', automatic: true },
      ]);
    }
    const second = await pay(keysOf(rows));
    expect(outcomes(second)).toEqual(rows.map((_, i) => (i % 3 === 0 ? 'opened' : 'not_payable')));
    for (const attempt of second) if (attempt.outcome === 'opened') await end(attempt, 'CANCELLED');
    expect(await eventsOf(rows[0]?.id ?? 0)).toEqual(['invoice.payment_failed']);
  });

  test('waits for a payment in progress, and then pays the remaining amount', async () => {
    const [row] = await issue([draft()]);
    const id = row?.id ?? 0;
    const input = { amount: 400, currency: 'USD', channelId: 21, invoiceId: id };
    const part = (await node.create(input, merchant)).answer.id;
    // A provider charges it.
    await db.query(`update transaction set provider = 'sandbox' where invoice_id = $1`, [id]);
    expect(outcomes(await pay([{ tenantId: 1, invoiceId: id }]))).toEqual(['under_way']);
    await db.query('update transaction set provider = null where invoice_id = $1', [id]);
    await node.update({ id: part, status: 'SUCCESS' }, merchant);
    const [attempt] = await pay([{ tenantId: 1, invoiceId: id }]);
    expect(await end(attempt, 'SUCCESS')).toMatchObject({ amount: 600, status: 'SUCCESS' });
    expect(await eventsOf(id)).toEqual(['invoice.paid']);
  });

  test('records a failed payment with its event when no payment can be created, and reserves nothing', async () => {
    const rows = await issue([draft({ channelId: 31 }), draft({ channelId: 987_654 }), draft({ currency: 'JPY' })]);
    const attempts = await pay([
      ...keysOf(rows),
      { tenantId: 1, invoiceId: 987_654 },
      { tenantId: 2, invoiceId: rows[0]?.id ?? 0 },
    ]);
    expect(outcomes(attempts)).toEqual(['failed', 'failed', 'failed', 'not_payable', 'not_payable']);
    const types = attempts.flatMap((attempt) => (attempt.outcome === 'failed' ? [attempt.failure.code] : []));
    expect(types).toEqual(['channel_inactive', 'record_not_found', 'currency_not_supported']);
    for (const { id } of rows) {
      expect(await eventsOf(id)).toEqual(['invoice.payment_failed']);
      const [stored] = await db.query('select payments, version from invoice where id = $1', [id]);
      expect(stored).toEqual({ payments: 1, version: 2 });
      const [event] = await db.query<{ body: string }>(
        `select body from event where object_id = $1 and type = 'invoice.payment_failed'`,
        [`inv_${id}`],
      );
      expect(JSON.parse(event?.body ?? '').data.object).toMatchObject({ id, version: 2, transactionId: null });
    }
  });
});

test('constraints refuse amounts and statuses that contradict the total, even from a direct statement', async () => {
  const [row] = await issue([draft()]);
  for (const set of ['amount_paid = 1001', 'amount_paid = -1', `status = 'PAID'`, `status = 'DRAFT'`, 'total = 1001']) {
    await expect(db.query(`update invoice set ${set} where id = $1`, [row?.id])).rejects.toMatchObject({
      code: '23514',
    });
  }
});
