import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hourMs, minuteMs } from '../../src/core/clock.ts';
import { behaviours } from '../../src/domains/payments/providers/sandbox/behaviours.ts';
import { Database } from '../../src/platform/postgres/database.ts';
import { type FlorinPostgres, startFlorinPostgres } from '../../src/platform/postgres/embedded/florin-postgres.ts';
import { brokenClaims } from '../support/broken-claims.ts';
import { makeChannel } from '../support/factories.ts';
import { seededRandom } from '../support/faults/kills.ts';
import { databaseAt, eventually, type TestDatabase } from '../support/postgres/database.ts';
import { urlOf } from '../support/service/florin.ts';
import { type TestNodes, testNodes } from '../support/service/nodes.ts';
import type { ReadyService } from '../support/service/service-process.ts';

/**
 * Payments with every behaviour of the sandbox on two nodes, while the nodes and PostgreSQL are killed one after the
 * other: in the end every operation has the state that the sandbox recorded. `DRILL_SEED` and `DRILL_PAYMENTS` change
 * the run.
 */
const seed = Number(process.env.DRILL_SEED ?? 23);
const payments = Number(process.env.DRILL_PAYMENTS ?? 5_000);
const kills = 9;
/** Creates in flight at once, over both nodes. */
const payers = 12;

/** Without behaviours that never end by themselves, or only after an hour, at the third lookup. */
const words = behaviours
  .filter(({ kind, finalState, effectiveCall, answer }) => {
    const isEndless = finalState === 'PENDING' || finalState === 'UNDECIDED' || effectiveCall === 'none';
    return kind === 'CHARGE' && !isEndless && answer !== 'slow';
  })
  .map(({ word, fee }) => word.replace('<n>', String(fee)));
/** Half of the payments have one of these, so that enough callbacks arrive. */
const calling = behaviours
  .filter(({ kind, callbacks }) => kind === 'CHARGE' && callbacks !== undefined)
  .map(({ word }) => word);

let dataDir: string;
let postgres: FlorinPostgres;
let db: TestDatabase;
let nodes: TestNodes;
const running: ReadyService[] = [];
let isOver = false;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'florin-order-'));
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  postgres = await startFlorinPostgres({ dataDir, log });
  db = databaseAt(postgres.connection);
  nodes = await testNodes(db);
});

afterAll(async () => {
  isOver = true;
  await nodes.close();
  await db.drop();
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const query = <Row>(sql: string): Promise<Row[]> => db.query<Row>(sql);

/** Nodes that were killed on purpose. The end of any other one is printed, with the last lines of its log. */
const killed = new Set<ReadyService>();

async function start(): Promise<ReadyService> {
  const node = await nodes.start({
    DATABASE_URL: urlOf(postgres.connection),
    APP_PROVIDER_TIMEOUT: '2s',
    APP_SANDBOX_ENABLED: 'true',
  });
  node.ended.then(
    (ending) => {
      if (!killed.has(node) && !isOver) console.log('A node ended by itself:', ending, node.stderr.slice(-2_000));
    },
    (error) => console.log('The end of a node could not be observed:', error),
  );
  return node;
}

const postmaster = async () =>
  Number((await readFile(join(dataDir, 'postgres', 'cluster', 'postmaster.pid'), 'utf8')).split('\n')[0]);

test(
  `${payments} payments, ${kills} kills, seed ${seed}: every operation has the state that the provider recorded`,
  async () => {
    const random = seededRandom(seed);
    running.push(await start());
    running.push(await start());
    const as = await nodes.administrator(running[0] as ReadyService);
    const channelId = await makeChannel(running[0] as ReadyService, as, {
      provider: 'sandbox',
      webhookSecret: 'a secret between two',
    });

    const planned = Array.from({ length: payments }, (_, i) => {
      const list = random() < 0.5 ? calling : words;
      return { key: `order-${i}`, word: list[Math.floor(random() * list.length)] as string };
    });
    const killAt = Array.from({ length: kills }, (_, i) => Math.floor(((i + 0.2 + 0.6 * random()) * payments) / kills));
    const targets = Array.from({ length: kills }, (_, i) => (i % 3 === 2 ? 'PostgreSQL' : Math.floor(random() * 2)));

    let next = 0;
    let done = 0;
    const pay = async (payer: number): Promise<void> => {
      for (let one = planned[next++]; one !== undefined; one = planned[next++]) {
        const { key, word } = one;
        const body = { amount: 1999, currency: 'USD', channelId, metadata: { sandbox: word } };
        await eventually(
          `${key} is taken`,
          async () => {
            const node = running[payer % 2] as ReadyService;
            const headers = { 'idempotency-key': key };
            const reply = await node
              .call('POST', '/api/transaction/create', { as, body, headers })
              .catch(() => ({ status: 0 }));
            return reply.status === 200;
          },
          2 * minuteMs,
        );
        done++;
      }
    };
    const paying = Promise.all(Array.from({ length: payers }, (_, payer) => pay(payer)));
    for (const [i, at] of killAt.entries()) {
      await Promise.race([paying, eventually(`${at} payments`, () => done >= at, 10 * minuteMs)]);
      const target = targets[i];
      if (target === 'PostgreSQL') {
        const before = await postmaster();
        process.kill(before, 'SIGKILL');
        await eventually('another PostgreSQL runs', async () => {
          const pid = await postmaster().catch(() => before);
          return pid !== before;
        });
      } else {
        const node = running[target as number] as ReadyService;
        killed.add(node);
        await node.end('SIGKILL');
        running[target as number] = await start();
      }
    }
    await paying;

    await eventually(
      'everything has ended and every callback is settled',
      async () => {
        const [left] = await query<{ operations: number; callbacks: number; owed: number; discrepancies: number }>(
          `select (select count(*)::int from provider_operation where finished_at is null) as operations,
                  (select count(*)::int from provider_callback where state = 'RECEIVED') as callbacks,
                  (select count(*)::int from sandbox_operation where callback_due_at is not null) as owed,
                  (select count(*)::int from discrepancy where state = 'OPEN') as discrepancies`,
        ).catch(() => []);
        return left !== undefined && Object.values(left).every((count) => count === 0);
      },
      12 * minuteMs,
    );

    const [made] = await query<{ count: number }>('select count(*)::int as count from transaction');
    expect(made?.count).toBe(payments);
    const disagreeing = await query<{ key: string; behaviour: string | null; ours: string; theirs: string }>(
      `select s.key, s.behaviour, o.state as ours, s.state as theirs
         from provider_operation o
         left join sandbox_operation s on s.key = 'txn_' || replace(o.transaction_id::text, '-', '') || '-' || o.number
        where o.state is distinct from s.state`,
    );
    const overtaken = await query(
      `select later.event_id from provider_callback later
         join provider_callback earlier on earlier.channel_id = later.channel_id
          and earlier.notice ->> 'key' = later.notice ->> 'key' and earlier.position < later.position
        where earlier.settled_at > later.settled_at`,
    );
    const [figures] = await query<Record<string, number>>(
      `select count(*)::int as callbacks,
              (select count(*)::int from discrepancy) as discrepancies,
              (select count(*)::int from sandbox_operation where behaviour = 'callback:contradiction') as contradictions
         from provider_callback`,
    );
    console.log(`seed ${seed}:`, { ...figures, disagreeing: disagreeing.length, overtaken: overtaken.length });
    expect({ disagreeing, overtaken }).toEqual({ disagreeing: [], overtaken: [] });

    const database = new Database({
      connection: postgres.connection,
      connections: 1,
      name: 'drill verify',
      statementTimeoutMs: hourMs,
    });
    const broken = await brokenClaims(database);
    await database.close();
    expect(broken).toEqual([]);
  },
  30 * minuteMs,
);
