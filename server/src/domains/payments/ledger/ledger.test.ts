import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operationsNode } from '../../../../tests/support/payments/operations-node.ts';
import { arrangeChannels, principalOf } from '../../../../tests/support/payments/payments.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../tests/support/postgres/database.ts';
import { dayMs } from '../../../core/clock.ts';
import type { Principal } from '../../../core/principal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { failure } from '../providers/failures.ts';
import type { Outcome } from '../providers/outcome.ts';
import { accounts } from './accounts.ts';
import { balancesOf } from './balance.ts';
import { entriesOf } from './entries.ts';
import { rollUpLedger } from './statements.ts';

const merchants = [principalOf(1, 7), principalOf(2, 8)] as const;
const administrator = principalOf(0, 1, 'PLATFORM_ADMIN');

let db: TestDatabase;

beforeAll(async () => {
  db = await databaseFromTemplate();
  await arrangeChannels(db);
  await db.query(`update channel set provider = 'sandbox'`);
});

afterAll(() => db.drop());

describe('any writer', () => {
  const insert = (changes: Record<string, unknown> = {}) => {
    const row = {
      tenant_id: 9,
      source_id: '0198a5b8-7c1f-7000-8000-000000000001',
      leg: 1,
      transaction_id: '0198a5b8-7c1f-7000-8000-000000000001',
      channel_id: 1,
      debit: 'PROVIDER_RECEIVABLE',
      credit: 'MERCHANT_PAYABLE',
      currency: 'USD',
      amount: 5,
      created_at: '2026-01-01T00:00:00Z',
      ...changes,
    };
    const values = Object.values(row);
    return db.query(
      `insert into ledger_transfer (${Object.keys(row).join(', ')}) values (${values.map((_, i) => `$${i + 1}`)})`,
      values,
    );
  };

  test.each([
    ['a debit without a credit', { credit: null }, '23502'],
    ['a credit without a debit', { debit: null }, '23502'],
    ['one account on both sides', { credit: 'PROVIDER_RECEIVABLE' }, '23514'],
    ['an unknown account', { debit: 'CASH' }, '23514'],
    ['a zero amount', { amount: 0 }, '23514'],
    ['a negative amount', { amount: -5 }, '23514'],
    ['a fractional amount', { amount: '5.5' }, '22P02'],
  ])('%s cannot be booked', async (_what, changes, code) => {
    await expect(insert(changes)).rejects.toMatchObject({ code });
  });

  test('a transfer cannot be changed or deleted', async () => {
    await insert();
    for (const change of [
      'update ledger_transfer set amount = 6',
      'delete from ledger_transfer',
      'truncate ledger_transfer',
    ]) {
      await expect(db.query(change)).rejects.toThrow('append-only');
    }
  });

  test('no transfer is booked twice', async () => {
    await expect(insert()).rejects.toMatchObject({ code: '23505', constraint: 'ledger_transfer_pkey' });
  });
});

/** Balances and one page of entries, and the same computed from the transfers, from one snapshot. */
async function readAndRecount(
  caller: Principal,
  filter: { currency?: string; date?: string },
  query: Parameters<typeof entriesOf>[1],
) {
  return db.database.snapshot(async (snapshot) => ({
    balances: await balancesOf(snapshot, filter, caller),
    recounted: await recount(snapshot, caller, filter),
    page: await entriesOf({ snapshot: (work) => work(snapshot) }, query, caller),
    listed: await relist(snapshot, caller, query),
  }));
}

async function recount(
  snapshot: Queryable,
  caller: Principal,
  { currency, date }: { currency?: string; date?: string },
) {
  return snapshot.run<{ currency: string; account: string; debit: string; credit: string; balance: string }>(
    {
      name: '',
      text: `select currency, account, sum(debited)::text as debit, sum(credited)::text as credit,
                    (sum(debited) - sum(credited))::text as balance, true as livemode
               from ledger_transfer
              cross join lateral (
                values (debit, amount, 0), (credit, 0, amount),
                       ${Object.keys(accounts).map((account) => `('${account}', 0, 0)`)}
              ) as side (account, debited, credited)
              where ($1::bigint is null or tenant_id = $1) and ($2::text is null or currency = $2)
                and ($3::date is null or (created_at at time zone 'UTC')::date <= $3)
              group by 1, 2`,
    },
    [caller.userType === 'PLATFORM_ADMIN' ? null : caller.tenantId, currency, date],
  );
}

async function relist(snapshot: Queryable, caller: Principal, query: Parameters<typeof entriesOf>[1]) {
  const rows = await snapshot.run<{ line: string }>(
    {
      name: '',
      text: `select concat_ws(' ', 'txn_' || replace(transaction_id::text, '-', ''), side.kind, side.account, amount)
          as line
               from ledger_transfer
              cross join lateral (values (1, 'DEBIT', debit), (2, 'CREDIT', credit)) as side (turn, kind, account)
              where ($1::bigint is null or tenant_id = $1) and ($2::text is null or currency = $2)
                and ($3::text is null or account = $3)
                and (created_at at time zone 'UTC')::date between coalesce($4::date, '-infinity')
                    and coalesce($5::date, 'infinity')
              order by created_at desc, source_id desc, leg, turn`,
    },
    [
      caller.userType === 'PLATFORM_ADMIN' ? null : caller.tenantId,
      query.currency,
      query.account,
      query.startDate,
      query.endDate,
    ],
  );
  const pageSize = query.pageSize ?? 20;
  const from = ((query.page ?? 1) - 1) * pageSize;
  return { total: rows.length, lines: rows.slice(from, from + pageSize).map(({ line }) => line) };
}

const optional = <Value>(...values: Value[]) => fc.constantFrom(undefined, ...values);
const days = ['2026-01-30', '2026-01-31', '2026-02-01', '2026-02-02'];

test('balances and pages always equal a recount while two nodes settle, refund and roll up concurrently', async () => {
  await db.query('alter table ledger_transfer disable trigger user');
  await db.query('delete from ledger_transfer');
  await db.query('alter table ledger_transfer enable trigger user');
  let nowMs = Date.parse('2026-01-30T20:00:00Z');
  const clock = () => {
    nowMs += dayMs / 400;
    return nowMs;
  };
  const nodes = await Promise.all([operationsNode(db, { clock }), operationsNode(db, { clock })]);
  let answered = 0;
  const answer = (
    verb: string,
    { key, amount, currency }: { key: string; amount: number; currency: string },
  ): Outcome => {
    if (++answered % 7 === 0)
      return { kind: 'failed', failure: failure(verb === 'refund' ? 'refund_refused' : 'card_declined') };
    return {
      kind: 'succeeded',
      reference: key,
      ...(answered % 3 === 0 && { fee: { amount: Math.ceil(amount / 50), currency } }),
    };
  };
  for (const { provider, dispatcher } of nodes) {
    provider.answer = answer;
    dispatcher.start();
  }
  let writing = true;
  const writers = nodes.flatMap((node) =>
    merchants.map(async (caller, i) => {
      for (let n = 0; writing && n < 150; n++) {
        const currency = n % 4 === 0 ? 'JPY' : 'USD';
        const id = await node.create({ amount: 1_000_000 + n, currency, channelId: 11 + i }, caller);
        const row = await eventually('the payment has ended', async () => {
          const found = await node.find(id, caller);
          return found.status !== 'PENDING' && found.status !== 'PROCESSING' && found;
        });
        if (row.status === 'SUCCESS' && n % 2 === 0) {
          await Promise.all([1, 2].map((part) => node.refund({ transactionId: id, amount: n + part }, caller)));
        }
      }
    }),
  );
  const rollingUp = (async () => {
    while (writing) await Promise.all([rollUpLedger(db.database), rollUpLedger(db.database)]);
  })();
  const queries = fc.record({
    page: optional(1, 2, 3, 10),
    pageSize: optional(1, 3, 7, 100),
    account: optional(...(Object.keys(accounts) as (keyof typeof accounts)[])),
    currency: optional('USD', 'JPY', 'EUR'),
    startDate: optional(...days.slice(0, 2)),
    endDate: optional(...days.slice(1)),
  });
  try {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...merchants, administrator),
        fc.record({ currency: optional('USD', 'JPY'), date: optional(...days) }),
        queries,
        async (caller, filter, query) => {
          const { balances, recounted, page, listed } = await readAndRecount(caller, filter as never, query as never);
          expect(sorted(balances)).toEqual(sorted(recounted));
          expect(page.pagination.total).toBe(listed.total);
          expect(page.data.map((one) => `${one.transactionId} ${one.side} ${one.account} ${one.amount}`)).toEqual(
            listed.lines,
          );
          const sums = Map.groupBy(balances, (balance) => balance.currency);
          for (const ofCurrency of sums.values()) {
            expect(ofCurrency.reduce((sum, { balance }) => sum + BigInt(balance), 0n)).toBe(0n);
          }
        },
      ),
      { numRuns: 60 },
    );
  } finally {
    writing = false;
    await Promise.all([...writers, rollingUp]);
    await Promise.all(nodes.map((node) => node.stop()));
  }
  await rollUpLedger(db.database);
  expect(await db.query('select 1 from ledger_total_delta')).toEqual([]);
  const { balances, recounted } = await readAndRecount(administrator, {}, {});
  expect(sorted(balances)).toEqual(sorted(recounted));
  expect(balances.find(({ account }) => account === 'PROVIDER_FEES')?.debit).not.toBe('0');
  expect(balances.find(({ account }) => account === 'REFUNDS')?.debit).not.toBe('0');
});

function sorted(rows: readonly { currency: string; account: string }[]) {
  return rows.toSorted((a, b) => (a.currency + a.account < b.currency + b.account ? -1 : 1));
}
