import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { campaign, cases } from '../../../../../tests/support/campaign.ts';
import {
  arrangeChannels,
  listTransactions,
  paymentsNode,
  principalOf,
} from '../../../../../tests/support/payments/payments.ts';
import { databaseFromTemplate, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { dayMs } from '../../../../core/clock.ts';
import { publicId } from '../../../../core/id.ts';
import type { Principal } from '../../../../core/principal.ts';
import type { ListDeps } from '../../../../platform/lists/list.ts';

type Query = Parameters<typeof listTransactions>[1];

let db: TestDatabase;
let deps: ListDeps;
let node: Awaited<ReturnType<typeof paymentsNode>>;
let nowMs = Date.parse('2026-03-27T00:00:00Z');
const merchants = [principalOf(1, 7), principalOf(1, 8), principalOf(2, 9)] as [Principal, Principal, Principal];
const [merchant] = merchants;
const administrator = principalOf(0, 1, 'PLATFORM_ADMIN');

beforeAll(async () => {
  db = await databaseFromTemplate();
  deps = { database: db.database, listDatabase: db.database };
  await arrangeChannels(db);
  node = await paymentsNode(db, () => nowMs);
  // Four days around a change of clocks in Zurich.
  for (let i = 0; i < 240; i++) {
    nowMs += (4 * dayMs) / 240;
    const caller = merchants[i % 3] as Principal;
    const input = {
      amount: 100 + (i % 50),
      currency: i % 3 !== 2 && i % 5 === 0 ? 'JPY' : 'USD',
      channelId: caller.tenantId === 2 ? 12 : 11,
      ...(i % 2 === 0 && { customerId: 500 + (i % 4) }),
      ...(i % 7 === 0 && { invoiceId: 9_000_000 + (i % 3) }),
      ...(i % 4 === 1 && { metadata: { order: `A-${i % 9}`, count: i % 5 } }),
      ...(i % 6 === 0 && { description: `Order ${i}: 100%_off` }),
    };
    const { answer } = await node.create(input, caller, i % 10 === 0 ? `key-${i}` : undefined);
    if (i % 4 === 1) await node.update({ id: answer.id, status: 'SUCCESS' }, caller);
  }
});

afterAll(async () => {
  await node.stop();
  await db.drop();
});

const maybe = <Value>(...values: Value[]) => fc.option(fc.constantFrom(...values), { nil: undefined, freq: 2 });

const queries = fc.record({
  status: maybe('PENDING', 'SUCCESS', 'FAILED'),
  channelId: maybe(11, 12),
  userId: maybe(7, 9),
  customerId: maybe(500, 502, 999),
  invoiceId: maybe(9_000_000, 9_000_002),
  currency: maybe('USD', 'JPY'),
  amountFrom: maybe(100, 120),
  amountTo: maybe(120, 140),
  metadata: maybe({ order: 'A-1' }, { order: 'A-5', count: '4' }, { none: 'x' }),
  startDate: maybe('2026-03-28', '2026-03-29', '2026-03-28T10:00:00+02:00'),
  endDate: maybe('2026-03-29', '2026-03-30', '2026-03-30T12:00:00Z'),
  timeZone: maybe('UTC', 'Europe/Zurich'),
  search: maybe('order', 'ORDER 60', 'Order 6:', '502', 'key-60', 'no such'),
  pageSize: maybe(1, 7, 100),
});

test(
  'a walk by cursor under any filters has exactly the rows of a recount, newest first, each once',
  campaign,
  async () => {
    await fc.assert(
      fc.asyncProperty(queries, fc.constantFrom(...merchants, administrator), async (query, caller) => {
        const given = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined)) as Query;
        expect(await walk(given, caller)).toEqual(await recount(given, caller));
      }),
      { numRuns: cases(150) },
    );
  },
);

async function walk(query: Query, caller: Principal): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const { data, pagination } = await listTransactions(deps, { ...query, ...(cursor && { cursor }) }, caller);
    if (pagination.total !== undefined) expect(pagination.total).toBe((await recount(query, caller)).length);
    ids.push(...data.map(({ id }) => id));
    cursor = pagination.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return ids;
}

async function recount(query: Query, caller: Principal): Promise<string[]> {
  const { startDate = '2000-01-01', endDate = '2100-01-01', timeZone = 'UTC', metadata = {}, search = '' } = query;
  const start = startDate.includes('T') ? `'${startDate}'` : `'${startDate}'::timestamp at time zone '${timeZone}'`;
  const end = endDate.includes('T') ? `'${endDate}'` : `('${endDate}'::date + 1)::timestamp at time zone '${timeZone}'`;
  const equal = {
    status: 'status',
    channelId: 'channel_id',
    userId: 'user_id',
    customerId: 'customer_id',
    invoiceId: 'invoice_id',
    currency: 'currency',
  };
  const where = [
    caller.userType === 'PLATFORM_ADMIN' ? 'true' : `tenant_id = ${caller.tenantId}`,
    ...Object.entries(equal).flatMap(([name, column]) => {
      const value = query[name as keyof Query];
      return value === undefined ? [] : [`${column} = '${value}'`];
    }),
    `amount between ${query.amountFrom ?? 0} and ${query.amountTo ?? 1_000_000}`,
    ...Object.entries(metadata).map(([key, value]) => `metadata ->> '${key}' = '${value}'`),
    `created_at >= ${start} and created_at < ${end}`,
    search === ''
      ? 'true'
      : `(starts_with(lower(description), lower('${search}')) or idempotency_key = '${search}' or ` +
        `customer_id::text = '${search}')`,
  ];
  const rows = await db.query<{ id: string }>(
    `select id from transaction where ${where.join(' and ')} order by id desc`,
  );
  return rows.map(({ id }) => publicId('txn', id));
}

test('the rows that exist when a walk begins are each seen once while others are inserted', async () => {
  await db.query(`
    insert into transaction (tenant_id, id, amount, currency, status, channel_id, user_id, created_at, updated_at)
    select 2, overlay(gen_random_uuid()::text placing '01960000-' || lpad(to_hex(n / 3), 4, '0') || '-7'
        from 1 for 15)::uuid,
           1, 'USD', 'PENDING', 12, 9, '2025-04-04', '2025-04-04'
      from generate_series(1, 10000) as n`);
  const caller = merchants[2];
  const before = new Set(await recount({}, caller));
  let done = false;
  const inserting = (async () => {
    while (!done) await node.create({ amount: 1, currency: 'USD', channelId: 12 }, caller);
  })();
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const query: Query = { pageSize: 100, currency: 'USD', ...(cursor !== null && { cursor }) };
    const { data, pagination } = await listTransactions(deps, query, caller);
    seen.push(...data.map(({ id }) => id));
    cursor = pagination.nextCursor;
  } while (cursor !== null);
  done = true;
  await inserting;
  expect(new Set(seen).size).toBe(seen.length);
  expect([...before].filter((id) => !seen.includes(id))).toEqual([]);
  expect(before.size).toBeGreaterThan(10_000);
}, 180_000);

test('a page by number leads into a walk, and a cursor belongs to its filters and its list', async () => {
  const all = await recount({}, merchant);
  const second = await listTransactions(deps, { page: 2, pageSize: 10 }, merchant);
  expect(second.pagination).toMatchObject({ page: 2, total: all.length });
  const cursor = second.pagination.nextCursor as string;
  const third = await listTransactions(deps, { cursor, pageSize: 5 }, merchant);
  expect(third.data.map(({ id }) => id)).toEqual(all.slice(20, 25));
  expect(third.pagination).toEqual({ pageSize: 5, nextCursor: expect.any(String) });
  const refused = { type: 'invalid_request', field: 'cursor' };
  await expect(listTransactions(deps, { cursor, currency: 'USD' }, merchant)).rejects.toMatchObject(refused);
  await expect(listTransactions(deps, { cursor, status: 'SUCCESS' }, merchant)).rejects.toMatchObject(refused);
  await expect(listTransactions(deps, { cursor: `${cursor}=` }, merchant)).rejects.toMatchObject(refused);
  await expect(listTransactions(deps, { cursor, page: 2 }, merchant)).rejects.toMatchObject({ field: 'page' });
});

test('page numbers are refused under a filter that is not counted', async () => {
  for (const [name, value] of Object.entries({
    currency: 'USD',
    amountTo: 5,
    timeZone: 'Europe/Zurich',
    metadata: { a: 'b' },
  })) {
    const query = { page: 2, [name]: value } as Query;
    await expect(listTransactions(deps, query, merchant)).rejects.toMatchObject({
      field: 'page',
      message: expect.stringContaining(name),
    });
  }
});

test('a provider’s reference finds the payment, in the caller’s tenant alone', async () => {
  const [own, foreign] = (
    await db.query<{ tenant_id: number; id: string }>(
      `select distinct on (tenant_id) tenant_id, id from transaction where tenant_id in (1, 2) order by tenant_id, id`,
    )
  ).map(({ id }) => id) as [string, string];
  await db.query(
    `insert into provider_operation (tenant_id, transaction_id, number, kind, channel_id, provider, amount, due_at,
         provider_reference, created_at)
     values (1, $1, 1, 'CHARGE', 11, 'stripe', 1, now(), 'pi_7', now()),
         (2, $2, 1, 'CHARGE', 10, 'stripe', 1, now(), 'pi_7', now())`,
    [own, foreign],
  );
  const found = async (query: Query, caller: Principal) =>
    (await listTransactions(deps, query, caller)).data.map(({ id }) => id);
  expect(await found({ providerReference: 'pi_7' }, merchant)).toEqual([publicId('txn', own)]);
  expect(await found({ search: 'pi_7' }, merchants[2])).toEqual([publicId('txn', foreign)]);
  expect(await found({ providerReference: 'pi_7', search: publicId('txn', own) }, administrator)).toEqual([
    publicId('txn', own),
  ]);
  expect(await found({ providerReference: 'pi_8' }, administrator)).toEqual([]);
});

test('a search that matches too many payments is refused', async () => {
  await db.query(`
    insert into transaction (tenant_id, id, amount, currency, status, channel_id, user_id, customer_id, created_at,
        updated_at)
    select 1, gen_random_uuid(), 1, 'USD', 'PENDING', 11, 7, 777777, now(), now() from generate_series(1, 1001)`);
  await expect(listTransactions(deps, { search: '777777' }, merchant)).rejects.toMatchObject({ field: 'search' });
});

test('only a platform administrator filters by tenant and sees it in the rows', async () => {
  const { data } = await listTransactions(deps, { tenantId: 2, pageSize: 3 }, administrator);
  expect(data.map(({ tenantId }) => tenantId)).toEqual(['2', '2', '2']);
  expect((await listTransactions(deps, { tenantId: 987 }, administrator)).pagination.total).toBe(0);
  await expect(listTransactions(deps, { tenantId: 1 }, merchant)).rejects.toMatchObject({
    type: 'role_missing',
    field: 'tenantId',
  });
  const [row] = (await listTransactions(deps, { pageSize: 1 }, merchant)).data;
  expect(row).not.toHaveProperty('tenantId');
});

test('further fields are in the rows on request alone', async () => {
  const query: Query = { metadata: { order: 'A-1' }, pageSize: 1 };
  const [plain] = (await listTransactions(deps, query, merchant)).data;
  expect(plain).not.toHaveProperty('metadata');
  const [row] = (await listTransactions(deps, { ...query, fields: 'metadata,version,updatedTime' }, merchant)).data;
  expect(row).toMatchObject({ metadata: { order: 'A-1' }, version: 2 });
});
