import { afterAll, beforeAll, expect, test } from 'vitest';
import { dataOf, makeChannel, makePaid } from '../support/factories.ts';
import { databaseFromTemplate, type TestDatabase } from '../support/postgres/database.ts';
import { type TestNodes, testNodes } from '../support/service/nodes.ts';

let db: TestDatabase;
let nodes: TestNodes;

beforeAll(async () => {
  db = await databaseFromTemplate();
  nodes = await testNodes(db);
});

afterAll(async () => {
  await nodes.close();
  await db.drop();
});

test('fifty refunds at the same moment over two processes never exceed the payment', async () => {
  const [one, other] = await Promise.all([nodes.start(), nodes.start()]);
  const as = await nodes.administrator(one);
  const channelId = await makeChannel(one, as);
  for (let round = 0; round < 10; round++) {
    const transactionId = await makePaid(one, as, channelId, { amount: 1000 });
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        (i % 2 === 0 ? one : other).post('/api/refund/create', { transactionId, amount: 70 }, as),
      ),
    );
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(14);
    expect(replies.filter(({ status }) => status === 409)).toHaveLength(36);
    const payment = dataOf(await other.get(`/api/transaction/detail?id=${transactionId}`, as));
    expect(payment).toMatchObject({ status: 'REFUNDED', amountRefunded: 980 });
  }
});
