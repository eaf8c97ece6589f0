import { afterAll, beforeAll, expect, test } from 'vitest';
import { brokenClaims } from '../../../../../tests/support/broken-claims.ts';
import { administratorOf, dataOf, makeChannel, makePayment } from '../../../../../tests/support/factories.ts';
import { sandboxTime } from '../../../../../tests/support/payments/sandbox.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../../../../tests/support/service/florin.ts';
import { uuidOfPublicId } from '../../../../core/id.ts';

/** Two nodes on one database, which race for the captures of the same payments. */
const time = sandboxTime();
let db: TestDatabase;
let nodes: [TestFlorin, TestFlorin];
let as: [string, string];
let channelId: number;

const payments = 12;

beforeAll(async () => {
  db = await databaseFromTemplate();
  const node = () => florinOn(db, time.settings, time.clock);
  const first = await node();
  nodes = [first, await node()];
  as = [await administratorOf(nodes[0]), await administratorOf(nodes[1])];
  const sandbox = { provider: 'sandbox', webhookSecret: 'a secret between two', capture: 'MULTIPLE' };
  channelId = await makeChannel(first, as[0], sandbox);
});

afterAll(async () => {
  for (const node of nodes) await node.stop();
  await db.drop();
});

// Runs before the one above.
afterAll(async () => {
  expect(await brokenClaims(db.database)).toEqual([]);
});

type Node = 0 | 1;
const post = (node: Node, path: string, body: object) => nodes[node].post(path, body, as[node]);
const detail = async (id: string) => dataOf(await nodes[0].get(`/api/transaction/detail?id=${id}`, as[0]));
const capture = (node: Node, id: string, amount?: number, final?: boolean) =>
  post(node, '/api/transaction/capture', { id, ...(amount && { amount }), ...(final !== undefined && { final }) });
const cancel = (node: Node, id: string) => post(node, '/api/transaction/update', { id, status: 'CANCELLED' });

async function authorized(word?: string): Promise<string> {
  const metadata = word === undefined ? {} : { metadata: { sandbox: word } };
  const id = await makePayment(nodes[0], as[0], channelId, { amount: 1000, captureMethod: 'MANUAL', ...metadata });
  await eventually('it is authorized', async () => (await detail(id)).amountAuthorized === 1000);
  return id;
}

/** What the sandbox has captured of a payment. */
async function takenOf(id: string): Promise<number> {
  const [charge] = await db.query<{ captured: number }>(`select captured from sandbox_operation where key = $1`, [
    `${id}-1`,
  ]);
  return Number(charge?.captured);
}

/** The payment when nothing of it is under way, after its money is compared with the sandbox's books. */
async function settled(id: string) {
  const payment = await eventually('nothing is under way', async () => {
    const one = await detail(id);
    const isWaiting = one.status === 'PROCESSING' && one.waitingFor === null && one.amountCapturable > 0;
    return (isWaiting || !['PENDING', 'PROCESSING'].includes(one.status)) && one;
  });
  expect(payment.amountCaptured).toBe(await takenOf(id));
  return payment;
}

const each = <Made>(run: (index: number) => Promise<Made>) =>
  Promise.all(Array.from({ length: payments }, (_, i) => run(i)));

test('of a capture and a void, one happens', async () => {
  await each(async (index) => {
    const id = await authorized();
    const node = (index % 2) as Node;
    await Promise.all([capture(node, id), cancel((1 - node) as Node, id)]);
    await eventually('it ends', async () => (await detail(id)).status !== 'PROCESSING');
    const { status, amountCaptured } = await settled(id);
    expect([status, amountCaptured]).toEqual(amountCaptured === 0 ? ['CANCELLED', 0] : ['SUCCESS', 1000]);
  });
});

test('captures of two nodes never take more than was authorized, and each is made once', async () => {
  await each(async () => {
    const id = await authorized();
    for (let round = 0; round < 4; round++) {
      await Promise.all([capture(0, id, 400, false), capture(1, id, 400, false), capture(0, id, 300, false)]);
    }
    const { amountCaptured, captures } = await settled(id);
    expect(amountCaptured).toBeLessThanOrEqual(1000);
    const taken = captures.filter((one: { status: string }) => one.status === 'SUCCESS');
    expect(taken.reduce((sum: number, { amount }: { amount: number }) => sum + amount, 0)).toBe(amountCaptured);
  });
});

test('a capture against the end of its authorization takes the money or fails, and the payment tells', async () => {
  const ids = await each(() => authorized('authorize:expires'));
  // As after a week, in which the charge was looked up every day.
  await db.query(`update provider_operation set look_ups = 7 where transaction_id = any ($1)`, [
    ids.map((id) => uuidOfPublicId('txn', id)),
  ]);
  const ends = await Promise.all(ids.map(async (id) => Date.parse((await detail(id)).captureBefore)));
  time.moveTo(Math.min(...ends) - (payments / 2) * 20);
  await each(async (index) => {
    const id = ids[index] as string;
    const waitMs = (ends[index] as number) - time.clock() + (index - payments / 2) * 20;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, waitMs)));
    await capture((index % 2) as Node, id, 400, false);
  });
  // What is looked up 5 s after it was called is due.
  await time.pass(db);
  await each(async (index) => {
    const id = ids[index] as string;
    const ended = await eventually('it ends', async () => {
      const one = await detail(id);
      return one.status !== 'PROCESSING' && one;
    });
    expect(ended.amountCaptured).toBe(await takenOf(id));
    expect(ended.status).toBe(ended.amountCaptured > 0 ? 'SUCCESS' : 'CANCELLED');
  });
});

test('a capture that two callbacks and a look-up report is booked once', async () => {
  const ids = await each(async () => {
    const id = await authorized('capture:late');
    dataOf(await capture(0, id));
    return id;
  });
  await time.pass(db);
  await each(async (index) => {
    const { status, amountCaptured } = await settled(ids[index] as string);
    expect([status, amountCaptured]).toEqual(['SUCCESS', 1000]);
  });
});
