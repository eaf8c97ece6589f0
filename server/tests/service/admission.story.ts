import { afterAll, beforeAll, expect, test } from 'vitest';
import { allRoutes } from '../../src/app/routes.ts';
import { administratorOf, channelInput, dataOf } from '../support/factories.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../support/postgres/database.ts';
import { florinOn, type Reply, type TestFlorin, untilTaken } from '../support/service/florin.ts';

let db: TestDatabase;
let florin: TestFlorin;
let as: string;
let channelId: number;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db);
  as = await administratorOf(florin);
  channelId = dataOf(await florin.post('/api/channel/modify', channelInput({ provider: 'sandbox' }), as)).id;
});

afterAll(async () => {
  await florin?.stop();
  await db?.drop();
});

const create = () => florin.post('/api/transaction/create', { amount: 1_000, currency: 'USD', channelId }, as);
const createMany = (count: number) => Promise.all(Array.from({ length: count }, create));
const ids = (replies: readonly Reply[]) =>
  replies.filter(({ status }) => status === 200).map((reply) => dataOf(reply).id);

test('while charges cannot be settled, creates are refused, reads go on, and the accepted settles later', async () => {
  const accepted: string[] = [];
  await db.database.transaction(async (transaction) => {
    // Every settlement writes the ledger; no create does.
    await transaction.run({ name: '', text: 'lock table ledger_transfer in exclusive mode' });
    const refused = await eventually('a create is refused', async () => {
      const replies = await createMany(400);
      accepted.push(...ids(replies));
      // On a full machine some find no connection to the database, which is another 503.
      return replies.find(({ body }) => body.error?.type === 'overloaded');
    });
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect((await untilTaken(() => florin.get('/api/transaction/list', as))).status).toBe(200);
    expect((await florin.post('/api/user/modify', { id: 1 }, as)).body.error.type).not.toBe('overloaded');
  });
  await eventually('creates are accepted again', async () => {
    // Not as many as a full machine refuses by itself.
    const replies = await createMany(20);
    accepted.push(...ids(replies));
    return replies.every(({ status }) => status === 200);
  });
  const open = await eventually('all are settled', async () => {
    const rows = await db.query<{ status: string; count: number }>(
      'select status, count(*)::int as count from transaction group by status',
    );
    return rows.every(({ status }) => status === 'SUCCESS') && rows;
  });
  expect(open).toEqual([{ status: 'SUCCESS', count: accepted.length }]);
});

/**
 * Routes of callers with a key or a session that make no event of a payment, an invoice, a subscription or a customer.
 */
const makeNoEvents = [
  '/api/checkout/create',
  '/api/checkout/expire',
  '/api/clock/advance',
  '/api/clock/create',
  '/api/customer/portal',
  '/api/discrepancy/close',
  '/api/dispute/evidence',
  '/api/dispute/file',
  '/api/inbox/create',
  '/api/invoice/modify',
  '/api/invoice/send',
  '/api/plan/modify',
  '/api/user/modify',
  '/api/webhook/modify',
  '/api/webhook/register',
  '/api/webhook/remove',
  '/api/webhook/replay',
  '/api/webhook/rotate',
];

test('every route that writes says how many events it makes, or is known to make none', () => {
  const writing = allRoutes.filter(({ method, needs }) => method === 'POST' && /_(write|refund)$/.test(String(needs)));
  const silent = writing.filter(({ endpoint }) => endpoint.events === undefined).map(({ path }) => path);
  expect(silent.toSorted()).toEqual(makeNoEvents);
});
