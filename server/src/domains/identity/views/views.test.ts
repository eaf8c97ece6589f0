import { afterAll, beforeAll, expect, test } from 'vitest';
import { administratorOf, dataOf, makeMember, makeTenant } from '../../../../tests/support/factories.ts';
import { databaseFromTemplate, type TestDatabase } from '../../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin, untilTaken } from '../../../../tests/support/service/florin.ts';

let db: TestDatabase;
let florin: TestFlorin;
let admin: string;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db);
  admin = await administratorOf(florin);
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

const save = (input: object, as = admin) =>
  florin.post('/api/view/modify', { listName: 'payments', query: '', ...input }, as);
const remove = (input: object, as = admin) => florin.post('/api/view/remove', { listName: 'payments', ...input }, as);
const viewsOf = async (as: string, listName = 'payments'): Promise<{ name: string | null; query: string }[]> =>
  dataOf(await florin.get(`/api/view/list?listName=${listName}`, as));

test('a saved view is visible in every session of its user, and to no other user', async () => {
  const query = 'status=FAILED&columns=id%2Camount';
  expect((await save({ name: 'Failed', query })).status).toBe(200);
  await save({ query: 'columns=id' });
  const elsewhere = await administratorOf(florin);
  expect(dataOf(await florin.get('/api/view/list', elsewhere))).toMatchObject([
    { listName: 'payments', name: 'Failed', query },
    { listName: 'payments', name: null, query: 'columns=id' },
  ]);
  expect(await viewsOf(elsewhere, 'invoices')).toEqual([]);

  const tenantId = await makeTenant(florin, admin);
  const member = await makeMember(florin, admin, { userType: 'MERCHANT_USER', tenantId });
  expect(await viewsOf(member.as)).toEqual([]);
  expect((await remove({ name: 'Failed' }, member.as)).status).toBe(200);
  await save({ name: 'Failed', query: 'status=PENDING' }, member.as);
  expect(await viewsOf(admin)).toMatchObject([{ query }, { name: null }]);
});

test('saving under the same name replaces the view, and removing it leaves the others', async () => {
  await save({ listName: 'refunds', name: 'Mine', query: 'status=PENDING' });
  await save({ listName: 'refunds', name: 'Other', query: '' });
  const replaced = dataOf(await save({ listName: 'refunds', name: 'Mine', query: 'status=FAILED' }));
  expect(replaced.query).toBe('status=FAILED');
  expect(await viewsOf(admin, 'refunds')).toMatchObject([{ name: 'Mine' }, { name: 'Other' }]);
  for (const _twice of [1, 2]) expect(dataOf(await remove({ listName: 'refunds', name: 'Mine' }))).toBeNull();
  expect(await viewsOf(admin, 'refunds')).toMatchObject([{ name: 'Other' }]);
});

test('of many concurrent saves none is lost, and together they do not exceed the limit', async () => {
  const { as } = await makeMember(florin, admin, { userType: 'PLATFORM_ADMIN', tenantId: null });
  const replies = await Promise.all(
    Array.from({ length: 205 }, (_, i) => untilTaken(() => save({ name: `View ${i}` }, as))),
  );
  const refused = replies.filter(({ status }) => status !== 200);
  expect(refused.map(({ status, body }) => [status, body.error?.type])).toEqual(
    Array.from({ length: 5 }, () => [409, 'view_limit_reached']),
  );
  const saved = await viewsOf(as);
  expect(saved).toHaveLength(200);
  // One that exists can still be replaced.
  expect((await save({ name: saved[0]?.name as string, query: 'status=FAILED' }, as)).status).toBe(200);
});

test.each([
  [{ listName: 'Payments' }, 'listName'],
  [{ name: '' }, 'name'],
  [{ name: 'n'.repeat(61) }, 'name'],
  [{ name: 'with \0 in it' }, 'name'],
  [{ query: 'q'.repeat(2_001) }, 'query'],
  [{ userId: 1 }, 'userId'],
])('%j is refused, and the refusal names the field %s', async (input, field) => {
  const { status, body } = await save(input);
  expect([status, body.error?.field]).toEqual([400, field]);
});
