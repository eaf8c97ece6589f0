import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { campaign, cases } from '../../../../tests/support/campaign.ts';
import { operationsNode } from '../../../../tests/support/payments/operations-node.ts';
import { arrangeChannels, principalOf } from '../../../../tests/support/payments/payments.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../tests/support/postgres/database.ts';
import { dayMs, hourMs, utcDay } from '../../../core/clock.ts';
import type { Principal } from '../../../core/principal.ts';
import { rollUpCharges } from '../operation-queue/statements.ts';
import { failure } from '../providers/failures.ts';
import { rollUpTransactionTotals } from '../transactions/totals/rollup.ts';
import { recentOf } from './recent.ts';
import { seriesOf } from './series.ts';
import { summaryOf } from './summary.ts';

let db: TestDatabase;
let node: Awaited<ReturnType<typeof operationsNode>>;
let nowMs = Date.parse('2026-01-30T01:00:00Z');
let payments: Payment[];
let charges: Charge[];
const merchants = [principalOf(1, 7), principalOf(1, 8), principalOf(2, 9)] as const;
const administrator = principalOf(0, 1, 'PLATFORM_ADMIN');

interface Payment {
  tenant_id: number;
  channel_id: number;
  user_id: number;
  status: string;
  currency: string;
  amount: number;
  day: string;
}

interface Charge {
  tenant_id: number;
  channel_id: number;
  currency: string;
  state: 'SUCCEEDED' | 'FAILED' | 'CANCELLED';
  day: string;
  finished_at: string;
}

beforeAll(async () => {
  db = await databaseFromTemplate();
  await arrangeChannels(db);
  await db.query(`update channel set provider = 'sandbox' where id in (10, 11, 12)`);
  await db.query(`update channel set fallback_channel_ids = '{10}' where id = 11`);
  node = await operationsNode(db, { clock: () => nowMs });
  // By amount: a third succeeds, a third succeeds on the fallback channel if there is one, a third is declined.
  node.provider.answer = (_verb, { key, amount }) => {
    if (amount % 3 === 1 || (amount % 3 === 2 && key.endsWith('-2'))) return { kind: 'succeeded', reference: key };
    return { kind: 'failed', failure: failure(amount % 3 === 2 ? 'processing_error' : 'expired_card') };
  };
  node.dispatcher.start();
  // Four days of payments by three users in two tenants, half of the totals rolled up.
  for (let day = 0; day < 4; day++) {
    await Promise.all(Array.from({ length: 36 }, (_, i) => paySomehow(i)));
    await settled();
    if (day === 1) await Promise.all([rollUpTransactionTotals(db.database, 5), rollUpCharges(db.database)]);
    nowMs += dayMs;
  }
  await readBack();
});

afterAll(async () => {
  await node.stop();
  expect(node.errors).toEqual([]);
  await db.drop();
});

async function paySomehow(i: number): Promise<void> {
  const caller = merchants[i % 3] as Principal;
  const channelId = caller.tenantId === 2 ? 12 : ([11, 21, 10][i % 4] ?? 11);
  const currency = channelId !== 21 && i % 5 === 0 ? 'JPY' : 'USD';
  // Sums that exceed 2^53.
  const amount = currency === 'JPY' ? Number.MAX_SAFE_INTEGER - i : 100 + i;
  const id = await node.create({ amount, currency, channelId }, caller);
  if (channelId === 21) await node.update({ id, status: i % 2 === 0 ? 'SUCCESS' : 'CANCELLED' }, caller);
}

/** Resolves when no operation is open. */
async function settled(): Promise<void> {
  const open = 'select 1 from provider_operation where finished_at is null limit 1';
  await eventually('no operation is open', async () => {
    node.dispatcher.wake();
    return (await db.query(open)).length === 0;
  });
}

async function readBack(): Promise<void> {
  payments = await db.query(
    `select tenant_id, channel_id, user_id, status, currency, amount, (created_at at time zone 'UTC')::date as day
       from transaction`,
  );
  charges = await db.query(
    `select o.tenant_id, o.channel_id, t.currency, o.state, o.finished_at,
            (o.finished_at at time zone 'UTC')::date as day
       from provider_operation o join transaction t on t.tenant_id = o.tenant_id and t.id = o.transaction_id
      where o.kind = 'CHARGE' and o.finished_at is not null`,
  );
}

const deps = () => ({ database: db.database, channels: node.channels, clock: () => nowMs });
const summary = (query: object, caller: Principal) => summaryOf(query, caller, deps());
const series = (query: object, caller: Principal) => seriesOf(query, caller, deps());

type Query = Partial<Record<'startDate' | 'endDate' | 'status' | 'currency', string>> &
  Partial<Record<'channelId' | 'userId', number>>;

const days = ['2026-01-29', '2026-01-30', '2026-01-31', '2026-02-01', '2026-02-02', '2026-02-03'];
const queries: fc.Arbitrary<Query> = fc
  .record(
    {
      startDate: fc.constantFrom(...days),
      endDate: fc.constantFrom(...days),
      status: fc.constantFrom('PENDING', 'SUCCESS', 'FAILED', 'CANCELLED', 'REFUNDED'),
      channelId: fc.constantFrom(10, 11, 12, 21, Number.MAX_SAFE_INTEGER),
      userId: fc.constantFrom(7, 8, 9, Number.MAX_SAFE_INTEGER),
      currency: fc.constantFrom('USD', 'JPY', 'EUR'),
    },
    { requiredKeys: [] },
  )
  .filter(({ startDate, endDate }) => startDate === undefined || endDate === undefined || startDate <= endDate);

/** The payments and charges that match the query. */
function matching(query: Query, caller: Principal) {
  const endDate = query.endDate ?? utcDay(nowMs);
  const startDate = query.startDate ?? utcDay(Date.parse(endDate) - 29 * dayMs);
  const seen = (row: Charge | Payment) =>
    (caller === administrator || row.tenant_id === caller.tenantId) &&
    row.day >= startDate &&
    row.day <= endDate &&
    (query.channelId === undefined || row.channel_id === query.channelId) &&
    (query.currency === undefined || row.currency === query.currency);
  const isNarrowed = query.userId !== undefined || query.status !== undefined;
  return {
    startDate,
    endDate,
    payments: payments
      .filter(seen)
      .filter(({ user_id }) => query.userId === undefined || user_id === query.userId)
      .filter(({ status }) => query.status === undefined || status === query.status),
    charges: isNarrowed ? undefined : charges.filter(seen),
  };
}

function sumsOf(rows: readonly Payment[]) {
  const currencies = [...new Set(rows.map(({ currency }) => currency))].sort();
  return {
    count: rows.length,
    amounts: currencies.map((currency) => {
      const own = rows.filter((row) => row.currency === currency);
      return { currency, count: own.length, amount: String(own.reduce((sum, row) => sum + BigInt(row.amount), 0n)) };
    }),
  };
}

function ratesOf(rows: readonly Charge[] | undefined) {
  if (rows === undefined) return { charges: null, successRate: null };
  const of = (state: string) => rows.filter((row) => row.state === state).length;
  const [succeeded, failed, cancelled] = [of('SUCCEEDED'), of('FAILED'), of('CANCELLED')];
  const successRate = succeeded + failed === 0 ? null : expect.closeTo(succeeded / (succeeded + failed), 4);
  return { charges: { succeeded, failed, cancelled }, successRate };
}

/** Nobody disputes anything here. */
function disputeRateOf(rows: readonly Charge[] | undefined) {
  if (rows === undefined) return { disputes: null, disputeRate: null };
  return { disputes: 0, disputeRate: rows.some(({ state }) => state === 'SUCCEEDED') ? 0 : null };
}

const names: Record<number, string> = {
  10: 'Platform cards',
  11: 'Cards of One',
  12: 'Cards of Two',
  21: 'Wire of One',
};
const distinct = <Value extends string | number>(values: Value[]): Value[] =>
  [...new Set(values)].sort((a, b) => (a < b ? -1 : 1));

function expectedSummary(query: Query, caller: Principal) {
  const { startDate, endDate, payments: own, charges: tried } = matching(query, caller);
  const ids = distinct([...own, ...(tried ?? [])].map(({ channel_id }) => channel_id));
  return {
    livemode: true,
    startDate,
    endDate,
    ...sumsOf(own),
    ...ratesOf(tried),
    ...disputeRateOf(tried),
    statuses: expect.toSatisfy((statuses: { status: string }[]) => {
      const expected = distinct(own.map(({ status }) => status)).map((status) => ({
        status,
        ...sumsOf(own.filter((row) => row.status === status)),
      }));
      expect(statuses.toSorted((a, b) => (a.status < b.status ? -1 : 1))).toEqual(expected);
      return true;
    }),
    channels: ids.map((id) => ({
      channelId: id,
      channelName: names[id],
      ...sumsOf(own.filter(({ channel_id }) => channel_id === id)),
      ...ratesOf(tried?.filter(({ channel_id }) => channel_id === id)),
      ...disputeRateOf(tried?.filter(({ channel_id }) => channel_id === id)),
    })),
  };
}

function expectedSeries(query: Query, caller: Principal, groupBy: 'channel' | 'status' | 'currency' | undefined) {
  const { startDate, endDate, payments: own, charges: all } = matching(query, caller);
  const tried = groupBy === 'status' ? undefined : all;
  const groupOf = (row: Payment | Charge) => {
    if (groupBy === 'channel') return { channelId: row.channel_id, channelName: names[row.channel_id] };
    if (groupBy === 'currency') return { currency: row.currency };
    return groupBy === 'status' && 'status' in row ? { status: row.status } : {};
  };
  const rows = [];
  for (let at = Date.parse(startDate); at <= Date.parse(endDate); at += dayMs) {
    const day = utcDay(at);
    const here = [...own, ...(tried ?? [])].filter((row) => row.day === day);
    const groups = groupBy === undefined ? ['{}'] : distinct(here.map((row) => JSON.stringify(groupOf(row))));
    for (const group of groups) {
      const isHere = (row: Payment | Charge) => row.day === day && JSON.stringify(groupOf(row)) === group;
      rows.push({
        day,
        ...JSON.parse(group),
        ...sumsOf(own.filter(isHere)),
        ...ratesOf(tried?.filter(isHere)),
      });
    }
  }
  return rows;
}

test('every summary under every filter equals a recount of payments and charges', campaign, async () => {
  expect(payments.some(({ amount }) => amount > 2 ** 52)).toBe(true);
  expect(distinct(charges.map(({ state }) => state))).toEqual(['FAILED', 'SUCCEEDED']);
  await fc.assert(
    fc.asyncProperty(queries, fc.constantFrom(...merchants, administrator), async (query, caller) => {
      expect(await summary(query, caller)).toEqual(expectedSummary(query, caller));
    }),
    { numRuns: cases(150) },
  );
});

test('every series under every filter and grouping equals a recount', campaign, async () => {
  const groups = fc.constantFrom(undefined, 'channel' as const, 'status' as const, 'currency' as const);
  await fc.assert(
    fc.asyncProperty(queries, fc.constantFrom(...merchants, administrator), groups, async (query, caller, groupBy) => {
      const rows = await series({ ...query, ...(groupBy && { groupBy }) }, caller);
      expect(rows).toEqual(expectedSeries(query, caller, groupBy));
    }),
    { numRuns: cases(150) },
  );
});

test('the charges of the last 24 hours and of the seven days before equal a recount, at every hour', async () => {
  const firstMs = Date.parse('2026-01-30T00:30:00Z');
  for (let askedMs = firstMs; askedMs < firstMs + 14 * dayMs; askedMs += 5 * hourMs) {
    for (const caller of [merchants[0], administrator]) {
      const recentMs = Math.floor(askedMs / hourMs) * hourMs - 23 * hourMs;
      const own = charges.filter(
        ({ tenant_id, finished_at }) =>
          (caller === administrator || tenant_id === caller.tenantId) &&
          Date.parse(finished_at) >= recentMs - 7 * dayMs,
      );
      const isRecent = ({ finished_at }: Charge) => Date.parse(finished_at) >= recentMs;
      const expected = distinct(own.map(({ channel_id }) => channel_id)).map((id) => {
        const ofChannel = own.filter(({ channel_id }) => channel_id === id);
        return {
          channelId: id,
          channelName: names[id],
          recent: ratesOf(ofChannel.filter(isRecent)),
          before: ratesOf(ofChannel.filter((charge) => !isRecent(charge))),
        };
      });
      expect(await recentOf({}, caller, { ...deps(), clock: () => askedMs })).toEqual(expected);
    }
  }
});

test('rolled-up charges equal a recount', async () => {
  await rollUpCharges(db.database);
  const differing = await db.query(`
    with recount as (
      select o.tenant_id, (o.finished_at at time zone 'UTC')::date as day, o.channel_id, t.currency, o.state as outcome,
             count(*) as count
        from provider_operation o join transaction t on t.tenant_id = o.tenant_id and t.id = o.transaction_id
       where o.kind = 'CHARGE' and o.finished_at is not null
       group by 1, 2, 3, 4, 5
    )
    select * from recount full join charge_total as kept using (tenant_id, day, channel_id, currency, outcome)
     where recount.count is distinct from kept.count`);
  expect(differing).toEqual([]);
  expect(await db.query('select 1 from charge_total_delta')).toEqual([]);
  const atHour = await db.query(`
    with recount as (
      select tenant_id, (finished_at at time zone 'UTC')::date as day,
             date_part('hour', finished_at at time zone 'UTC')::smallint as hour, channel_id, state as outcome,
             count(*) as count
        from provider_operation where kind = 'CHARGE' and finished_at is not null
       group by 1, 2, 3, 4, 5
    )
    select * from recount full join charge_hour_total as kept using (tenant_id, day, hour, channel_id, outcome)
     where recount.count is distinct from kept.count`);
  expect(atHour).toEqual([]);
});

test('a summary is one exact snapshot during concurrent creates, charges and rollups', async () => {
  const caller = merchants[2];
  const before = (await summary({}, caller)).count;
  let acknowledged = 0;
  let done = false;
  const writing = Promise.all(
    Array.from({ length: 10 }, async (_, worker) => {
      for (let i = 0; i < 20; i++) {
        await node.create({ amount: 100 + worker + i, currency: 'USD', channelId: 12 }, caller);
        acknowledged++;
      }
    }),
  )
    .then(settled)
    .finally(() => {
      done = true;
    });
  const rollingUp = Promise.all(
    [rollUpTransactionTotals, rollUpCharges, rollUpCharges].map(async (rollUp) => {
      while (!done) await rollUp(db.database);
    }),
  );
  while (!done) {
    const atLeast = before + acknowledged;
    const found = await summary({}, caller);
    expect(found.count).toBeGreaterThanOrEqual(atLeast);
    expect(found.count).toBeLessThanOrEqual(before + 200);
    const countOf = (status: string) => found.statuses.find((one) => one.status === status)?.count ?? 0;
    // Every payment of this tenant has one charge, because its channel has no fallback: both end in the same way.
    expect(found.charges).toEqual({ succeeded: countOf('SUCCESS'), failed: countOf('FAILED'), cancelled: 0 });
    expect(found.statuses.reduce((sum, { count }) => sum + count, 0)).toBe(found.count);
    expect(found.channels.map(({ count }) => count)).toEqual([found.count]);
  }
  await Promise.all([writing, rollingUp]);
  await readBack();
  expect(await summary({}, caller)).toEqual(expectedSummary({}, caller));
  expect((await summary({}, caller)).count).toBe(before + 200);
});

describe('the success rate of a channel', () => {
  const caller = merchants[0];
  const today = () => ({ startDate: utcDay(nowMs), endDate: utcDay(nowMs) });
  const rates = async () =>
    (await summary(today(), caller)).channels.map(({ channelId, count, charges: tried, successRate }) => ({
      channelId,
      count,
      ...tried,
      successRate,
    }));

  test('counts a charge as failed for its channel, and as succeeded for the fallback', async () => {
    nowMs += 30 * dayMs;
    for (const amount of [101, 104, 107, 100]) await node.create({ amount, currency: 'USD', channelId: 11 }, caller);
    await settled();
    expect(await rates()).toEqual([
      { channelId: 10, count: 0, succeeded: 3, failed: 0, cancelled: 0, successRate: 1 },
      { channelId: 11, count: 4, succeeded: 1, failed: 3, cancelled: 0, successRate: 0.25 },
    ]);
    const [row] = await series({ ...today(), groupBy: 'channel' }, caller);
    expect(row).toMatchObject({ channelId: 10, channelName: 'Platform cards', count: 0, successRate: 1 });
  });

  test('ignores cancelled charges, and is null without others', async () => {
    nowMs += dayMs;
    node.provider.answer = (verb) => (verb === 'cancel' ? { kind: 'cancelled' } : { kind: 'pending', reference: 'r' });
    const id = await node.create({ amount: 100, currency: 'USD', channelId: 11 }, caller);
    const stateOf = async () => (await node.operationsOf(1, id))[0]?.state;
    await eventually('the charge waits', async () => {
      node.dispatcher.wake();
      return (await stateOf()) === 'WAITING';
    });
    await node.update({ id, status: 'CANCELLED' }, caller);
    await settled();
    await node.create({ amount: 100, currency: 'USD', channelId: 21 }, caller);
    expect(await rates()).toEqual([
      { channelId: 11, count: 1, succeeded: 0, failed: 0, cancelled: 1, successRate: null },
      { channelId: 21, count: 1, succeeded: 0, failed: 0, cancelled: 0, successRate: null },
    ]);
  });
});

test("another tenant's payments, channels and users look like ones that do not exist", async () => {
  const all = { startDate: '2026-01-01', endDate: '2026-12-31' };
  const { channels } = await summary(all, merchants[2]);
  expect(channels.map(({ channelId }) => channelId)).toEqual([12]);
  for (const filter of ['channelId', 'userId']) {
    const foreign = await summary({ ...all, [filter]: filter === 'channelId' ? 11 : 7 }, merchants[2]);
    const absent = await summary({ ...all, [filter]: 987_654 }, merchants[2]);
    expect(foreign).toEqual(absent);
    expect(foreign.count).toBe(0);
  }
});

test('without a mode, the figures have that of a channel that the caller may see', async () => {
  await db.query(`update channel set livemode = false where id = 31`);
  expect((await summary({ channelId: 31 }, merchants[0])).livemode).toBe(false);
  expect((await summary({ channelId: 31 }, administrator)).livemode).toBe(false);
  expect((await summary({ channelId: 31 }, merchants[2])).livemode).toBe(true);
});

test('the default is the last 30 days; invalid ranges, and series of more than 366 days, are refused', async () => {
  nowMs = Date.parse('2026-03-31T23:59:59.999Z');
  expect(await summary({}, merchants[0])).toMatchObject({ startDate: '2026-03-02', endDate: '2026-03-31' });
  expect(await summary({ endDate: '2026-02-28' }, merchants[0])).toMatchObject({ startDate: '2026-01-30' });
  expect(await summary({ endDate: '0001-01-02' }, merchants[0])).toMatchObject({ startDate: '0001-01-01', count: 0 });
  expect(await summary({ startDate: '0001-01-01', endDate: '9999-12-31' }, merchants[0])).toMatchObject({
    count: payments.filter(({ tenant_id }) => tenant_id === 1).length + 6,
  });
  expect(await series({ startDate: '2024-01-01', endDate: '2024-12-31' }, merchants[0])).toHaveLength(366);
  for (const query of [{ startDate: '2026-04-01' }, { startDate: '2026-02-02', endDate: '2026-02-01' }]) {
    const refused = { type: 'invalid_request', field: 'startDate' };
    await expect(summary(query, merchants[0])).rejects.toMatchObject(refused);
    await expect(series(query, merchants[0])).rejects.toMatchObject(refused);
  }
  await expect(series({ startDate: '2025-03-30' }, merchants[0])).rejects.toMatchObject({ field: 'startDate' });
});
