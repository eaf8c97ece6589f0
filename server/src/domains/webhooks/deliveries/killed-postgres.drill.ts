import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseAt, eventually, type TestDatabase } from '../../../../tests/support/postgres/database.ts';
import { changedPosts, postsOf, type TestNodes, testNodes } from '../../../../tests/support/service/nodes.ts';
import type { ReadyService } from '../../../../tests/support/service/service-process.ts';
import { heldAnswers } from '../../../../tests/support/webhooks/deliveries.ts';
import type { Answering, Receiver } from '../../../../tests/support/webhooks/receiver.ts';
import { minuteMs } from '../../../core/clock.ts';
import { florinNames } from '../../../platform/postgres/embedded/florin-postgres.ts';
import { serviceRole } from '../../../platform/postgres/embedded/service-role.ts';

/** Kills the embedded PostgreSQL of a node in the middle of deliveries, alone or together with the node. */
let dataDir: string;
let db: TestDatabase;
let nodes: TestNodes;
let node: ReadyService;
let receiver: Receiver;
let total = 0;

const delayedAnswer: Answering = (_received, _request, response) => {
  setTimeout(() => response.writeHead(200).end(), 20);
};

const start = async () => {
  node = await nodes.start({ DATABASE_URL: '', APP_DATA_DIR: dataDir, APP_DEPLOYMENT_MODE: 'STANDALONE' });
};

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'florin-killed-'));
  const host = join(dataDir, 'postgres', 'socket');
  db = databaseAt({ host, port: florinNames.port, user: serviceRole, database: florinNames.database });
  nodes = await testNodes(db);
  receiver = await nodes.startReceiver(delayedAnswer);
  await start();
  await nodes.registerEndpoint(node, receiver.url);
});

afterAll(async () => {
  // Gracefully, because it has to stop its PostgreSQL.
  await node.end('SIGTERM');
  await nodes.close();
  await db.drop();
  await rm(dataDir, { recursive: true, force: true });
});

const postmaster = () =>
  Number(readFileSync(join(dataDir, 'postgres', 'cluster', 'postmaster.pid'), 'utf8').split('\n')[0]);

test("the next start sends a killed sender's deliveries at once", async () => {
  const held = heldAnswers();
  receiver.answering = held.answering;
  await nodes.recordEvents(1);
  total++;
  await eventually('the request', () => held.waiting === 1);
  const [lease] = await db.query<{ leased_until: string }>(`select leased_until from delivery where state = 'OPEN'`);
  await node.end('SIGKILL');
  receiver.answering = 200;
  await start();
  await nodes.allDelivered(minuteMs);
  // Under a new lease, before the lease of the killed sender has run out.
  const [done] = await db.query<{ finished_at: string; claims: number }>('select finished_at, claims from delivery');
  expect(done?.claims).toBe(2);
  expect(Date.parse(done?.finished_at ?? '')).toBeLessThan(Date.parse(lease?.leased_until ?? ''));
  receiver.answering = delayedAnswer;
});

const kills: [string, () => Promise<unknown>][] = [
  ['PostgreSQL', async () => process.kill(postmaster(), 'SIGKILL')],
  [
    'the PostgreSQL session that writes results',
    async () => {
      const [session] = await db.query<{ pid: number }>(
        `select pid from pg_stat_activity where application_name = 'florin worker'
          order by query like '%result as (%' desc limit 1`,
      );
      process.kill(session?.pid as number, 'SIGKILL');
    },
  ],
  [
    'PostgreSQL and then the sender',
    async () => {
      process.kill(postmaster(), 'SIGKILL');
      await node.end('SIGKILL');
      await start();
    },
  ],
  [
    'the sender and then PostgreSQL',
    async () => {
      await node.end('SIGKILL');
      process.kill(postmaster(), 'SIGKILL');
      await start();
    },
  ],
];

test.each(kills)(
  'after kill -9 of %s every event is delivered with the same bytes, and no attempt is lost',
  async (_what, kill) => {
    const before = receiver.received.length;
    await nodes.recordEvents(3_000);
    total += 3_000;
    await eventually('deliveries are in progress', () => receiver.received.length >= before + 500, minuteMs);
    await kill();
    await nodes.allDelivered(2 * minuteMs);
    expect(postsOf(receiver.received).size).toBe(total);
    expect(changedPosts(receiver.received)).toEqual([]);
    expect(receiver.received.length).toBeLessThanOrEqual(await nodes.claims());
    const counts = await nodes.deliveryCounts();
    expect(counts.filter(({ state, attempts }) => state !== 'SUCCEEDED' || attempts !== 1)).toEqual([]);
  },
);
