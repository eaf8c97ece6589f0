import { afterEach, beforeEach, expect, test } from 'vitest';
import { databaseFromTemplate, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { postsOf, type TestNodes, testNodes } from '../../../../../tests/support/service/nodes.ts';
import type { ReadyService } from '../../../../../tests/support/service/service-process.ts';
import { minuteMs } from '../../../../core/clock.ts';

let db: TestDatabase;
let nodes: TestNodes;

beforeEach(async () => {
  db = await databaseFromTemplate();
  nodes = await testNodes(db);
});

afterEach(async () => {
  await nodes.close();
  await db.drop();
});

const total = 10_000;

test.each([2, 3])('%i senders on one queue of 10,000 deliveries make exactly 10,000 requests', async (senders) => {
  const receiver = await nodes.startReceiver();
  const api = await nodes.start({ APP_ROLE: 'api' });
  await nodes.registerEndpoint(api, receiver.url);
  const workers = await Promise.all(Array.from({ length: senders }, () => nodes.start({ APP_ROLE: 'worker' })));
  // Half of the events occur while the senders work.
  await nodes.recordEvents(total);
  await nodes.allDelivered(2 * minuteMs);
  expect(receiver.received).toHaveLength(total);
  expect(postsOf(receiver.received).size).toBe(total);
  expect(await nodes.deliveryCounts()).toEqual([{ state: 'SUCCEEDED', attempts: 1, claims: 1, count: total }]);
  const posts = await Promise.all(workers.map(postsBy));
  expect(posts.reduce((sum, count) => sum + count, 0)).toBe(total);
  expect(posts.filter((count) => count > 0)).toHaveLength(senders);
});

async function postsBy(worker: ReadyService): Promise<number> {
  const { body } = await worker.get('/metrics');
  return Number(/^florin_delivery_attempts_total\{outcome="ok"\} (\d+)/m.exec(body)?.[1]);
}
