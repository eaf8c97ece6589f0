import type pg from 'pg';
import { expect } from 'vitest';
import { dataOf, makeChannel, makePayment } from '../../factories.ts';
import { type PayingNode, payingNode } from '../../payments/paying-node.ts';
import { eventually } from '../../postgres/database.ts';

/**
 * A breaker is open for 30 s, an endpoint is paused for 30 s, and a lease that was lost with the database lasts for 12
 * s.
 */
const endsWithinMs = 120_000;

/** How the claims of all workers begin; `pg_stat_activity` shows no more than the first 1,023 bytes. */
const claim = /^\s*with (recursive channel_with_work|due as materialized|picked as materialized)/;

/** The pools that only requests use. */
const requestPools = ['florin main', 'florin writer'];

export type Scenario = Awaited<ReturnType<typeof startScenario>>;

/** A service process whose PostgreSQL is killed, with the steps and checks before and after. */
export async function startScenario() {
  const node: PayingNode = await payingNode({
    APP_PROVIDER_TIMEOUT: '1s',
    APP_WEBHOOK_TIMEOUT: '3s',
    APP_WEBHOOK_RETRY_INTERVALS: '2s,5s,5s',
  });
  let { pid } = node.service;
  let kills = 0;

  const locks: pg.Client[] = [];

  const post = async (path: string, body: unknown) => dataOf(await node.service.post(`/api/${path}`, body, node.as));
  const get = async (path: string) => dataOf(await node.service.get(`/api/${path}`, node.as));
  const count = async (from: string): Promise<number> =>
    (await node.query<{ n: number }>(`select count(*)::int as n from ${from}`))[0]?.n ?? 0;
  const reaches = (what: string, from: string, least = 1) =>
    eventually(what, async () => (await count(from)) >= least, endsWithinMs);
  const isNone = (what: string, from: string) => eventually(what, async () => (await count(from)) === 0, endsWithinMs);

  /** Kills PostgreSQL, and waits until the service serves again; it must be the same process. */
  async function killPostgres(): Promise<void> {
    await kill();
    await serves();
  }

  async function kill(): Promise<void> {
    const killed = node.postmaster() as number;
    process.kill(killed, 'SIGKILL');
    kills++;
    await eventually('another PostgreSQL runs', () => ![undefined, killed].includes(node.postmaster()));
  }

  async function serves(): Promise<void> {
    // Readiness tolerates an outage under 20 s, so only a request shows that the database is back.
    await eventually('it serves', async () => (await node.service.get('/api/channel/list', node.as)).status === 200);
    expect(node.service.pid).toBe(pid);
    expect(node.service.stderr).not.toContain('A defect');
  }

  /** The distinct statements of the service that wait for the lock of a table. */
  const waitersOf = (table: string) =>
    node.query<{ query: string; pool: string }>(
      `select distinct a.query, a.application_name as pool from pg_locks l join pg_stat_activity a using (pid)
        where l.relation = $1::regclass and not l.granted and a.application_name like 'florin %'`,
      [table],
    );
  const waits = (table: string, statements = 1) =>
    eventually(
      `${statements} statements wait for ${table}`,
      async () => (await waitersOf(table)).length >= statements,
      endsWithinMs,
    );
  /** Waits for a statement that is not a worker's claim. */
  const waitsBesideClaims = (table: string) =>
    eventually(`a statement that is no claim waits for ${table}`, async () =>
      (await waitersOf(table)).some(({ query }) => !claim.test(query)),
    );
  /** Whether the statement of a request waits. If two statements wait, the other one is the worker's claim. */
  const requestWaits = async (table: string): Promise<boolean> => {
    const waiters = await waitersOf(table);
    return waiters.length >= 2 || waiters.some(({ pool }) => requestPools.includes(pool));
  };

  /** Locks a table against writing; `access exclusive` also against reading. A kill ends it too. */
  async function lock(table: string, mode: 'exclusive' | 'access exclusive' = 'exclusive') {
    const client = await node.connect();
    locks.push(client);
    const granted = client.query(`begin; lock table ${table} in ${mode} mode`);
    granted.catch(() => {});
    return {
      granted,
      release: async () => {
        await client.query('commit');
        await client.end();
      },
    };
  }

  async function locked(table: string, mode?: 'access exclusive') {
    const held = await lock(table, mode);
    await held.granted;
    return held;
  }

  /**
   * Does the work, one statement of which writes the table, and returns when the worker's next statement on that table
   * has begun and waits. Locks are granted in the order in which they are requested.
   */
  async function holdAfter<Result>(
    table: string,
    work: () => Promise<Result>,
  ): Promise<{ result: Result; release: () => Promise<void> }> {
    const first = await locked(table);
    const working = work();
    working.catch(() => {});
    await eventually(`the request waits for ${table}`, () => requestWaits(table));
    const second = await lock(table);
    await eventually('the second lock is requested', async () => {
      const [row] = await node.query<{ n: number }>(
        `select count(*)::int as n from pg_locks where relation = $1::regclass and not granted
             and mode = 'ExclusiveLock'`,
        [table],
      );
      return (row?.n ?? 0) >= 1;
    });
    await first.release();
    const result = await working;
    await second.granted;
    await waits(table);
    return { result, release: second.release };
  }

  const pay = (payments: number, sandbox: string, through: number): Promise<string[]> =>
    Promise.all(
      Array.from({ length: payments }, () => makePayment(node.service, node.as, through, { metadata: { sandbox } })),
    );
  const operationsOf = (state: string, through: number) =>
    `provider_operation where channel_id = ${through} and state = '${state}'`;

  /** Each of these payments has succeeded, was charged once by the sandbox, and has one event per step. */
  async function paidOnce(ids: string[], through: number): Promise<void> {
    await isNone('every charge has ended', `provider_operation where channel_id = ${through} and finished_at is null`);
    const payments = `transaction where channel_id = ${through}`;
    expect(await count(`${payments} and status = 'SUCCESS'`)).toBe(ids.length);
    expect(await count(payments)).toBe(ids.length);
    expect(await count(`sandbox_operation where channel_id = ${through} and state = 'SUCCEEDED'`)).toBe(ids.length);
    const list = ids.map((id) => `'${id}'`).join();
    expect(await count(`event where object_id in (${list}) and type = 'transaction.succeeded'`)).toBe(ids.length);
  }

  return {
    node,
    get kills() {
      return kills;
    },
    post,
    get,
    count,
    reaches,
    isNone,
    kill,
    serves,
    killPostgres,
    lock: locked,
    waits,
    waitsBesideClaims,
    holdAfter,
    pay,
    operationsOf,
    paidOnce,
    makeChannel: () => makeChannel(node.service, node.as, { provider: 'sandbox', webhookSecret: 'shared' }),
    /** Releases the locks that a failed test has left. */
    releaseLocks: async () => {
      await Promise.all(locks.splice(0).map((client) => client.end().catch(() => {})));
    },
    /** After the service was started again. */
    restarted: () => {
      ({ pid } = node.service);
    },
  };
}
