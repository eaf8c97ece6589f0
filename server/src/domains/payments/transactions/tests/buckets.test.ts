import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  arrangeChannels,
  listTransactions,
  paymentsNode,
  principalOf,
} from '../../../../../tests/support/payments/payments.ts';
import { databaseFromTemplate, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { minuteMs, secondMs } from '../../../../core/clock.ts';
import { publicId } from '../../../../core/id.ts';
import type { Principal } from '../../../../core/principal.ts';
import type { Database, Queryable, Snapshot } from '../../../../platform/postgres/database.ts';
import { relation, same } from '../../../../platform/postgres/relation.ts';
import { rollUpTransactionTotals, rowsPerBucket } from '../totals/rollup.ts';
import { countTotals } from '../totals/totals.cte.ts';

type Query = Parameters<typeof listTransactions>[1];

const merchants = [principalOf(1, 7), principalOf(1, 8), principalOf(2, 9)] as const;
const administrator = principalOf(0, 1, 'PLATFORM_ADMIN');

let db: TestDatabase;
beforeAll(async () => {
  db = await databaseFromTemplate();
  await arrangeChannels(db);
});
afterAll(() => db.drop());

const queries = fc.record(
  {
    page: fc.integer({ min: 1, max: 60 }),
    pageSize: fc.constantFrom(1, 3, 7, 20, 100),
    status: fc.constantFrom('PENDING', 'SUCCESS', 'FAILED'),
    channelId: fc.constantFrom(11, 12, 21),
    userId: fc.constantFrom(7, 8, 9),
    startDate: fc.constantFrom('2026-01-30', '2026-01-31'),
    endDate: fc.constantFrom('2026-01-31', '2026-02-01'),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<Query>;

test('every page equals a recount during concurrent writes and rollups by nodes with wandering clocks', async () => {
  let writing = true;
  const nodes = await Promise.all([
    paymentsNode(db, wanderingClock('2026-01-30T23:20:00Z', 1)),
    paymentsNode(db, wanderingClock('2026-01-30T23:20:05Z', 2)),
  ]);
  const writers = nodes.flatMap((node) =>
    merchants.map(async (caller, i) => {
      for (let n = 0; writing && n < 300; n++) {
        const channelId = caller.tenantId === 2 ? 12 : n % 3 === 0 ? 21 : 11;
        const { answer } = await node.create({ amount: 100 + n, currency: 'USD', channelId }, caller);
        const { id } = answer;
        if ((n + i) % 3 === 0) await node.update({ id, status: n % 2 === 0 ? 'SUCCESS' : 'FAILED' }, caller);
      }
    }),
  );
  const rollups = [0, 1].map(async () => {
    while (writing) await rollUpTransactionTotals(db.database, 7);
  });
  const seen = new Set<string>();
  try {
    await fc.assert(
      fc.asyncProperty(queries, fc.constantFrom(...merchants, administrator), async (query, caller) => {
        const { page, recount } = await listedAndCounted(query, caller, 7, (_, { name }) => {
          seen.add(name);
        });
        expect(page.data.map((row) => row.id)).toEqual(recount.ids);
        expect(page.pagination.total).toBe(recount.total);
      }),
      { numRuns: 200 },
    );
  } finally {
    writing = false;
    await Promise.all([...writers, ...rollups]);
    await Promise.all(nodes.map((node) => node.stop()));
  }
  expect(seen).toContain('transactions.locate_buckets');
});

/** Mostly runs forward, sometimes far; sometimes runs back, while the node's ids do not. */
function wanderingClock(start: string, seed: number): () => number {
  let [nowMs, random] = [Date.parse(start), seed];
  return () => {
    random = (random * 48_271) % 2_147_483_647;
    const kind = random % 100;
    nowMs += kind === 0 ? 5 * minuteMs : kind === 1 ? -5 * minuteMs : kind < 60 ? 2 * secondMs : 100;
    return nowMs;
  };
}

/** A page, and a recount in the snapshot from which it was read. */
async function listedAndCounted(
  query: Query,
  caller: Principal,
  bucketSize: number,
  observe: (snapshot: Queryable, ...ran: Parameters<Queryable['run']>) => Promise<void> | void,
) {
  let recount = { total: 0, ids: [] as string[] };
  const snapshot: Database['snapshot'] = (work) =>
    db.database.snapshot(async (moment) => {
      const observed: Snapshot = {
        copyOut: (text) => moment.copyOut(text),
        run: async (statement, values) => {
          await observe(moment, statement, values);
          return moment.run(statement, values);
        },
      };
      const page = await work(observed);
      recount = await counted(moment, query, caller);
      return page;
    });
  const page = await listTransactions({ database: { snapshot }, listDatabase: db.database }, query, caller, bucketSize);
  return { page, recount };
}

async function counted(moment: Queryable, query: Query, caller: Principal) {
  const pageSize = query.pageSize ?? 20;
  const [row] = await moment.run<{ total: number; ids: string[] }>(
    {
      name: '',
      text: `with found as materialized (
               select id from transaction
                where ($1::bigint is null or tenant_id = $1) and ($2::text is null or status = $2)
                  and ($3::bigint is null or channel_id = $3) and ($4::bigint is null or user_id = $4)
                  and (created_at at time zone 'UTC')::date between coalesce($5::date, '-infinity')
                  and coalesce($6::date, 'infinity')
             )
             select (select count(*) from found) as total,
                    array(select id::text from found order by id desc offset $7 limit $8) as ids`,
    },
    [
      caller.userType === 'PLATFORM_ADMIN' ? null : caller.tenantId,
      query.status,
      query.channelId,
      query.userId,
      query.startDate,
      query.endDate,
      ((query.page ?? 1) - 1) * pageSize,
      pageSize,
    ],
  );
  const { total, ids } = row as { total: number; ids: string[] };
  return { total, ids: ids.map((id) => publicId('txn', id)) };
}

test('rolled-up buckets equal a recount in all their combinations', async () => {
  await rollUpTransactionTotals(db.database, 7);
  expect(await db.query('select tenant_id from transaction_bucket group by 1 having count(*) > 10')).toHaveLength(2);
  expect(await differingBuckets()).toEqual([]);
});

async function differingBuckets() {
  return db.query(`
    with payment as (
      select t.*, date_trunc('day', t.created_at, 'UTC') as day,
             (select max(started_at) from transaction_bucket
               where tenant_id = t.tenant_id and started_at between date_trunc('day', t.created_at, 'UTC')
                   and t.created_at
             ) as started_at
        from transaction t
    ),
    cell as (
      select tenant_id, coalesce(channel_id, 0) as channel_id, coalesce(user_id, 0) as user_id,
             coalesce(status, '*') as status, started_at, count(*) as count
        from payment
       where started_at > day
       group by tenant_id, started_at, cube (channel_id, user_id, status)
    ),
    bucket as (
      select tenant_id, started_at, date_trunc('second', max(created_at)) as newest_second, count(*) as count
        from payment group by 1, 2
    )
    select tenant_id, started_at
      from cell full join (select * from transaction_bucket_total where count <> 0) as kept
     using (tenant_id, channel_id, user_id, status, started_at)
     where cell.count is distinct from kept.count
     union all
    select tenant_id, started_at
      from bucket full join transaction_bucket as kept using (tenant_id, started_at)
     where (bucket.count, bucket.newest_second) is distinct from (kept.count, kept.newest_second)`);
}

test('a page in a burst reads about one bucket, under every filter, also after updates', async () => {
  const [caller] = merchants;
  const perSecond = 400;
  for (let part = 0; part < 4; part++) {
    await insertBurst('2026-03-10T09:00:00Z', part * 12_000, 12_000, perSecond);
    await rollUpTransactionTotals(db.database);
  }
  await succeedSome(0);
  await rollUpTransactionTotals(db.database);
  await succeedSome(1);
  const filters: Query[] = [{}, { status: 'SUCCESS' }, { channelId: 21 }, { userId: 8, status: 'PENDING' }];
  const readPages = async (who: Principal, depths: number[]) => {
    for (const filter of filters) {
      const query: Query = { ...filter, startDate: '2026-03-10', endDate: '2026-03-10', pageSize: 50 };
      const deps = { database: db.database, listDatabase: db.database };
      const { total = 0 } = (await listTransactions(deps, query, who)).pagination;
      expect(total).toBeGreaterThan(3 * rowsPerBucket);
      for (const depth of depths) {
        const { page, recount, read } = await listedAndRead({ ...query, page: Math.ceil((total * depth) / 50) }, who);
        expect(page.data.map((row) => row.id)).toEqual(recount.ids);
        expect(page.pagination.total).toBe(recount.total);
        expect(read).toBeGreaterThanOrEqual(50);
        expect(read).toBeLessThan(rowsPerBucket + 2 * perSecond);
      }
    }
  };
  await readPages(caller, [0.25, 0.5, 0.77]);
  await db.query('vacuum analyze transaction');
  await readPages(administrator, [0.6]);
});

async function listedAndRead(query: Query, who: Principal) {
  let read = 0;
  const listed = await listedAndCounted(query, who, rowsPerBucket, async (moment, { text }, values) => {
    read += await rowsRead(moment, text, values);
  });
  return { ...listed, read };
}

const entering = relation(
  'change',
  {
    ...same(['tenant_id', 'livemode', 'channel_id', 'user_id', 'status', 'created_at', 'currency', 'amount']),
    count: '1',
  },
  'from created',
);

const succeeding = relation(
  'change',
  {
    ...same(['tenant_id', 'livemode', 'channel_id', 'user_id', 'created_at', 'currency']),
    ...{ status: 'side.status', count: 'sign', amount: 'sign * amount' },
  },
  `from changed cross join (values ('PENDING', -1), ('SUCCESS', 1)) as side (status, sign)`,
);

/** Writes payments with their deltas at an even pace, as batches do. */
async function insertBurst(start: string, first: number, rows: number, perSecond: number): Promise<void> {
  await db.query(
    `with payment as (
       select number, lpad(to_hex($1::bigint + number * 1000 / $4::bigint), 12, '0') as ms,
              to_timestamp(($1::bigint + number * 1000 / $4::bigint) / 1000.0) as created_at
         from generate_series($2::bigint, $2::bigint + $3::bigint - 1) as number
     ),
     created as (
       insert into transaction (tenant_id, id, amount, currency, status, channel_id, user_id, created_at, updated_at)
       select 1, (left(ms, 8) || '-' || right(ms, 4) || '-7' || lpad(to_hex(number % 4096), 3, '0') || '-8'
                  || right(gen_random_uuid()::text, 16))::uuid,
              1 + number, 'USD', 'PENDING', case number % 3 when 0 then 11 else 21 end, 7 + number % 2, created_at,
                  created_at
         from payment
       returning *
     ),
     ${entering.cte},
     ${countTotals(entering)}
     select 1`,
    [Date.parse(start), first, rows, perSecond],
  );
}

/** Every fifth PENDING payment succeeds. */
async function succeedSome(remainder: number): Promise<void> {
  await db.query(
    `with changed as (
       update transaction set status = 'SUCCESS' where status = 'PENDING' and amount % 5 = $1
           and created_at > '2026-03-01'
       returning *
     ),
     ${succeeding.cte},
     ${countTotals(succeeding)}
     select 1`,
    [remainder],
  );
}

interface PlanNode {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

/** Rows of `transaction` that a statement reads from its indexes or the table, including those filtered out. */
async function rowsRead(moment: Queryable, text: string, values: readonly unknown[] = []): Promise<number> {
  const explain = { name: '', text: `explain (analyze, timing off, format json) ${text}` };
  const [row] = await moment.run<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(explain, values);
  const count = (node: PlanNode): number => {
    const own =
      node['Relation Name'] === 'transaction' ? node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) : 0;
    return own * node['Actual Loops'] + (node.Plans ?? []).reduce((sum, below) => sum + count(below), 0);
  };
  return count(row?.['QUERY PLAN'][0]?.Plan as PlanNode);
}
