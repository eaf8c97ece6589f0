import { afterEach, beforeEach, expect, test } from 'vitest';
import { dataOf } from '../../../../../tests/support/factories.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { changedPosts, postsOf, type TestNodes, testNodes } from '../../../../../tests/support/service/nodes.ts';
import { minuteMs, secondMs } from '../../../../core/clock.ts';

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

test('a replay whose node is killed twice sends each event once, under its id', async () => {
  const receiver = await nodes.startReceiver();
  const api = await nodes.start({ APP_ROLE: 'api' });
  const endpointId = await nodes.registerEndpoint(api, receiver.url);
  const as = await nodes.administrator(api);
  const since = new Date(Date.now() - secondMs).toISOString();
  await nodes.recordEvents(total);
  let worker = await nodes.start({ APP_ROLE: 'worker' });
  await nodes.allDelivered(2 * minuteMs);
  const first = postsOf(receiver.received.splice(0));
  expect(first.size).toBe(total);

  const { replayId } = dataOf(await api.post('/api/webhook/replay', { endpointId, since }, as));
  const readReplay = async () => dataOf(await api.get(`/api/webhook/replay/detail?id=${replayId}`, as));
  for (const reached of [total / 5, total / 2]) {
    await eventually(`${reached} are examined`, async () => (await readReplay()).eventCount >= reached, 2 * minuteMs);
    await worker.end('SIGKILL');
    const { state, eventCount } = await readReplay();
    expect(state).toBe('RUNNING');
    expect(eventCount).toBeLessThan(total);
    worker = await nodes.start({ APP_ROLE: 'worker' });
  }
  const done = await eventually(
    'the replay is done',
    async () => {
      const replay = await readReplay();
      return replay.state === 'DONE' && replay;
    },
    3 * minuteMs,
  );
  expect(done).toMatchObject({ eventCount: total, deliveryCount: total });
  await nodes.allDelivered(2 * minuteMs);
  const again = await db.query('select event_id from delivery where replay_of is not null');
  expect(again).toHaveLength(total);
  expect(new Set(again.map(({ event_id }) => event_id)).size).toBe(total);

  // Deliveries in flight at a kill may arrive again; nothing arrives under another id or with other bytes.
  const second = postsOf(receiver.received);
  expect(second.size).toBe(total);
  expect(changedPosts(receiver.received)).toEqual([]);
  const formsOf = (posts: typeof first) => [...posts.values()].flatMap(({ forms }) => [...forms]).toSorted();
  expect([...second.keys()].filter((delivery) => !first.has(delivery))).toEqual([]);
  expect(formsOf(second)).toEqual(formsOf(first));
  expect(receiver.received.length + total).toBeLessThanOrEqual(await nodes.claims());
});
