import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeCustomer } from '../support/billing/invoices.ts';
import {
  administratorOf,
  dataOf,
  makeChannel,
  makeKey,
  makeMember,
  makePaid,
  makePayment,
  makeTenant,
} from '../support/factories.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../support/service/florin.ts';
import { aRefusal } from '../support/shapes.ts';

let db: TestDatabase;
let florin: TestFlorin;
let admin: string;
let as: string;
let tenantId: number;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db);
  admin = await administratorOf(florin);
  tenantId = await makeTenant(florin, admin);
  ({ as } = await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId }));
  const channelId = await makeChannel(florin, as);
  const customerId = await makeCustomer(florin, as, { name: 'Zoë', externalId: '=cmd' });
  for (let i = 0; i < 3; i++)
    await makePayment(florin, as, channelId, { amount: 100 + i, customerId, description: '=1+1' });
  const transactionId = await makePaid(florin, as, channelId, { amount: 999, metadata: { order: 'A,"1"' } });
  dataOf(await florin.post('/api/refund/create', { transactionId, amount: 9 }, as));
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

const exported = (path: string, accept: string, who = as) => florin.call('GET', path, { as: who, headers: { accept } });
const rowsOf = (ndjson: string) =>
  ndjson
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

const lists = [
  ['/api/transaction/list', 'transaction.export', 4],
  ['/api/refund/list', 'refund.export', 1],
  ['/api/customer/list', 'customer.export', 1],
  ['/api/invoice/list', 'invoice.export', 0],
  ['/api/subscription/list', 'subscription.export', 0],
  ['/api/event/list', 'event.export', 6],
  ['/api/webhook/delivery/list', 'delivery.export', 0],
] as const;

test.each(lists)('%s is exported with exactly its rows, and the export is recorded', async (path, action, least) => {
  const { data } = (await florin.get(path, as)).body;
  const count = data.length;
  expect(count).toBeGreaterThanOrEqual(least);
  const ndjson = await exported(path, 'application/x-ndjson');
  expect(ndjson.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
  expect(count === 0 ? [] : rowsOf(ndjson.body)).toEqual(data);
  const csv = await exported(`${path}?startDate=2020-01-01`, 'text/csv');
  expect(csv.headers.get('content-disposition')).toMatch(/^attachment; filename="[a-z]+\.csv"$/);
  const lines = csv.body.split('\r\n');
  expect(lines).toHaveLength(count + 2);
  if (count > 0) expect(lines[0]).toBe(Object.keys(data[0]).join(','));
  const pagesHaveTotal = (await florin.get(path, as)).body.pagination.total;
  expect(csv.headers.get('x-total-count')).toBe(pagesHaveTotal === undefined ? null : String(pagesHaveTotal));
  const audited = dataOf(await florin.get(`/api/audit/list?action=${action}`, as));
  expect(audited.map(({ details }: { details: unknown }) => details)).toEqual([
    { format: 'csv', filters: { startDate: '2020-01-01' } },
    { format: 'ndjson', filters: {} },
  ]);
});

test('an export has the rows under the filters, the fields asked for, and no formulas', async () => {
  const { body } = await exported('/api/transaction/list?amountFrom=500&fields=metadata', 'text/csv');
  const [header, row, end] = body.split('\r\n');
  expect(header).toMatch(/^id,livemode,amount,.*,createdTime,metadata$/);
  expect(row).toMatch(/^txn_[0-9a-f]{32},true,999,.*,"\{""order"":""A,\\""1\\""""\}"$/);
  expect(end).toBe('');
  const described = await exported('/api/transaction/list?amountTo=500', 'text/csv');
  expect(described.body).toContain(",'=1+1,");
  const ofTenant = await exported(`/api/transaction/list?tenantId=${tenantId}`, 'text/csv', admin);
  expect(ofTenant.body.split('\r\n')[1]).toMatch(new RegExp(`^txn_[0-9a-f]{32},true,${tenantId},`));
});

test.each(['/api/transaction/list', '/api/event/list', '/api/customer/list', '/api/audit/export'])(
  'an export of %s that broke off goes on after the last whole row',
  async (path) => {
    if (path.includes('customer')) await makeCustomer(florin, as);
    // An entry of the audit log changes once more, when it is chained.
    await eventually('every entry is chained', async () => {
      const [open] = await db.query<{ n: number }>('select count(*)::int as n from audit_entry where hash is null');
      return open?.n === 0;
    });
    const whole = (await exported(`${path}?endDate=2999-12-31`, 'application/x-ndjson')).body;
    const [first] = rowsOf(whole) as [{ id: string }];
    const rest = await exported(`${path}?endDate=2999-12-31&after=${first.id}`, 'application/x-ndjson');
    // The export of the audit log is in the audit log, above the row.
    expect(`${whole.slice(0, whole.indexOf('\n') + 1)}${rest.body}`).toBe(whole);
    expect(rest.headers.get('x-total-count')).toBeNull();
    const csv = path.includes('audit') ? `${path}?format=csv&after=` : `${path}?after=`;
    const lines = (await exported(`${csv}${first.id}`, 'text/csv')).body.trimEnd().split('\r\n');
    expect(lines).toHaveLength(rowsOf(whole).length - 1);
    expect((await exported(`${path}?after=nothing`, 'text/csv')).body).toEqual(
      aRefusal(400, { type: 'invalid_request', field: 'after' }),
    );
  },
);

test('an export needs the permission of the list, and takes no paging', async () => {
  const { as: key } = await makeKey(florin, as, 'invoice_read');
  expect((await exported('/api/transaction/list', 'text/csv', key)).status).toBe(403);
  for (const [query, field] of [
    ['page=2', 'page'],
    ['pageSize=5', 'pageSize'],
    ['tenantId=1', 'tenantId'],
  ] as const) {
    const { status, body } = await exported(`/api/transaction/list?${query}`, 'text/csv');
    expect(body).toEqual(aRefusal(status, { type: field === 'tenantId' ? 'role_missing' : 'invalid_request', field }));
  }
  const { pagination } = (await florin.get('/api/transaction/list?pageSize=1', as)).body;
  expect((await exported(`/api/transaction/list?cursor=${pagination.nextCursor}`, 'text/csv')).status).toBe(400);
});

test.each([
  '/api/channel/list',
  '/api/user/list',
  '/api/webhook/list',
  '/api/plan/list',
  '/api/discrepancy/list',
  '/api/transaction/list',
  '/api/statistics/summary',
  '/api/statistics/series',
  '/api/statistics/recent',
  '/api/ledger/balance',
  '/api/ledger/entries',
])('%s shows a platform administrator one tenant, and no one else may ask', async (path) => {
  const [of, all] = await Promise.all([`${path}?tenantId=${tenantId}`, path].map((one) => florin.get(one, admin)));
  const own = await florin.get(path, as);
  expect(of?.body.data).toEqual(path === '/api/transaction/list' ? all?.body.data : own.body.data);
  const empty = dataOf(await florin.get(`${path}?tenantId=0`, admin));
  expect(JSON.stringify(empty)).not.toContain('"amount":"999"');
  const refused = await florin.get(`${path}?tenantId=0`, as);
  expect(refused.body).toEqual(aRefusal(403, { type: 'role_missing', field: 'tenantId' }));
});
