import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checks } from '../../src/app/integrity.ts';
import { freshKeyring } from '../../src/platform/crypto/keyring.ts';
import { Database } from '../../src/platform/postgres/database.ts';
import { Replica, type ReplicaOutcome } from '../../src/platform/postgres/replica.ts';
import { administratorOf, dataOf, makeChannel, makeKey, makePayment } from '../support/factories.ts';
import { eventually } from '../support/postgres/database.ts';
import { hasStandbys, type ReplicatedDatabase, replicatedDatabase } from '../support/postgres/streaming-replica.ts';
import { florinOn, type TestFlorin, urlOf } from '../support/service/florin.ts';
import { runProgram } from '../support/service/run-program.ts';

/** Two nodes on one primary, with a streaming standby for their reads. */
describe.skipIf(!hasStandbys)('with a replica', () => {
  let servers: ReplicatedDatabase;
  let nodes: [TestFlorin, TestFlorin];
  let admin: string;
  let channelId: number;

  beforeAll(async () => {
    servers = await replicatedDatabase();
    const environment = {
      APP_JWT_KEYS: freshKeyring(),
      APP_ENCRYPTION_KEYS: freshKeyring(),
      APP_DATABASE_URL: urlOf(servers.primary),
      APP_DATABASE_REPLICA_URL: urlOf(servers.standby),
      // Longer than a busy machine delays the standby.
      APP_DATABASE_REPLICA_WAIT: '30s',
    };
    const at = { connection: servers.primary } as never;
    nodes = [await florinOn(at, environment), await florinOn(at, environment)];
    admin = await administratorOf(nodes[0]);
    channelId = await makeChannel(nodes[0], admin);
  });

  afterAll(async () => {
    for (const node of nodes) await node.stop();
    await servers.close();
  });

  const newest = async (node: TestFlorin, headers: Record<string, string> = {}, as = admin) => {
    const {
      status,
      body,
      headers: answered,
    } = await node.call('GET', '/api/transaction/list?pageSize=1', {
      as,
      headers,
    });
    expect(status).toBe(200);
    return { id: body.data[0]?.id, total: body.pagination.total, from: answered.get('x-read-from') ?? 'primary' };
  };

  test('a session finds what it has just written in a list of the other node, from the replica', async () => {
    for (let i = 1; i <= 20; i++) {
      const id = await makePayment(nodes[0], admin, channelId);
      expect(await newest(nodes[1])).toEqual({ id, total: i, from: 'replica' });
    }
    const { body, headers } = await nodes[1].get('/api/statistics/summary', admin);
    expect(body.data.count).toBe(20);
    expect(headers.get('x-read-from')).toBe('replica');
  });

  test('the lists of a key come from the primary, unless it asks for the replica', async () => {
    const key = await makeKey(nodes[0], admin);
    const id = await makePayment(nodes[0], key.as, channelId);
    expect(await newest(nodes[1], {}, key.as)).toMatchObject({ id, from: 'primary' });
    expect(await newest(nodes[1], { 'x-read-from': 'replica' }, key.as)).toMatchObject({ id, from: 'replica' });
  });

  test('records that changes depend on are read from the primary', async () => {
    const id = await makePayment(nodes[0], admin, channelId);
    const { headers } = await nodes[1].get(`/api/transaction/detail?id=${id}`, admin);
    expect(headers.get('x-read-from')).toBeNull();
  });

  const outcomes: ReplicaOutcome[] = [];
  const withReads = async (waitMs: number, work: (replica: Replica, primary: Database) => Promise<void>) => {
    const primary = new Database({ connection: servers.primary, connections: 3, name: 'test primary' });
    const standby = new Database({ connection: servers.standby, connections: 3, name: 'test standby' });
    outcomes.length = 0;
    const options = { primary, lists: primary, snapshots: primary, replica: standby, waitMs };
    await work(new Replica({ ...options, onRead: (outcome) => outcomes.push(outcome) }), primary);
    await primary.close();
    await standby.close();
  };
  const sql = (text: string) => ({ name: '', text });

  test('while the replica is behind, the primary answers with what was just written', async () => {
    await withReads(0, async (replica, primary) => {
      await primary.run(sql('create table noted (id int)'));
      await servers.query(servers.standby, 'select pg_wal_replay_pause()');
      await primary.run(sql('insert into noted values (1)'));
      const count = sql('select count(*) as count from noted');
      expect(await replica.reads().run(count)).toEqual([{ count: 1 }]);
      expect(await replica.reads().snapshot((snapshot) => snapshot.run(count))).toEqual([{ count: 1 }]);
      expect(outcomes).toEqual(['behind', 'behind']);
      expect(await replica.lagBytes()).toBeGreaterThan(0);
      await servers.query(servers.standby, 'select pg_wal_replay_resume()');
      await eventually('it has caught up', async () => (await replica.lagBytes()) === 0);
      expect(await replica.reads().run(count)).toEqual([{ count: 1 }]);
      expect(outcomes.at(-1)).toBe('replica');
    });
  });

  test('a statement that the replica cancels because of replay goes on at the primary', async () => {
    await servers.query(servers.standby, `alter system set max_standby_streaming_delay = '10ms'`);
    await servers.query(servers.standby, 'select pg_reload_conf()');
    await withReads(30_000, async (replica, primary) => {
      await primary.run(sql('create table removed as select generate_series(1, 9) as n'));
      // Sleeps only on the standby.
      const sleep = 'case when pg_is_in_recovery() then pg_sleep(9) is null end';
      const slow = sql(`select count(*) as count, pg_is_in_recovery() as standby, ${sleep} from removed`);
      const reading = replica.reads().run(slow);
      await eventually('the replica executes it', async () => {
        const text = `select 1 from pg_stat_activity where query like '%pg_sleep(9)%' and wait_event = 'PgSleep'`;
        return (await servers.query(servers.standby, text)).length > 0;
      });
      await primary.run(sql('delete from removed'));
      await eventually('it is cancelled', async () => {
        await servers.query(servers.primary, 'vacuum removed');
        return outcomes.length > 0;
      });
      expect(await reading).toMatchObject([{ count: 0, standby: false }]);
      expect(outcomes).toEqual(['failed']);
    });
  });

  test('a server that is no standby answers nothing', async () => {
    const primary = new Database({ connection: servers.primary, connections: 3, name: 'test primary' });
    outcomes.length = 0;
    const onRead = (outcome: ReplicaOutcome) => outcomes.push(outcome);
    const replica = new Replica({ primary, lists: primary, snapshots: primary, replica: primary, waitMs: 0, onRead });
    expect(await replica.reads().run(sql('select 1 as one'))).toEqual([{ one: 1 }]);
    expect(outcomes).toEqual(['behind']);
    expect(await replica.lagBytes()).toBeUndefined();
    await primary.close();
  });

  test('without the replica the primary answers', async () => {
    await servers.killStandby();
    const id = await makePayment(nodes[0], admin, channelId);
    expect(await newest(nodes[1])).toMatchObject({ id, from: 'primary' });
    expect(dataOf(await nodes[1].get('/api/statistics/summary', admin)).count).toBeGreaterThan(0);
  });
});

describe.skipIf(!hasStandbys)('florin verify --replica', () => {
  let servers: ReplicatedDatabase;

  beforeAll(async () => {
    servers = await replicatedDatabase();
  });
  afterAll(() => servers.close());

  const verified = async (waitFor: string) => {
    const environment = {
      DATABASE_URL: urlOf(servers.primary),
      APP_DATABASE_REPLICA_URL: urlOf(servers.standby),
      APP_DATABASE_REPLICA_WAIT: waitFor,
    };
    const script = fileURLToPath(new URL('../../src/app/verify.ts', import.meta.url));
    const { code, stdout, stderr } = await runProgram(process.execPath, [script, '--replica'], {
      cwd: tmpdir(),
      environment,
    });
    const claims = stdout.split('\n').filter((line) => line.startsWith('ok '));
    return { code, claims: claims.length, last: stderr.trim().split('\n').at(-1) };
  };

  test('checks every claim on the standby, over several connections, and not on the primary', async () => {
    const scans = `select sum(seq_scan)::int as scans from pg_stat_user_tables where relname = 'event'`;
    const [before] = await servers.query(servers.primary, scans);
    const { code, claims } = await verified('30s');
    expect({ code, claims }).toEqual({ code: 0, claims: checks.length });
    expect(await servers.query(servers.primary, scans)).toEqual([before]);
  });

  test('ends with 2 and one line where the standby is behind, or away', async () => {
    await servers.query(servers.standby, 'select pg_wal_replay_pause()');
    await servers.query(servers.primary, 'create table later as select generate_series(1, 1000) as n');
    expect(await verified('0s')).toEqual({
      code: 2,
      claims: 0,
      last: expect.stringMatching(/^Florin cannot verify: the replica is \d+ bytes behind; wait longer/),
    });
    await servers.query(servers.standby, 'select pg_wal_replay_resume()');
    await servers.killStandby();
    expect(await verified('30s')).toEqual({
      code: 2,
      claims: 0,
      last: expect.stringMatching(
        /^Florin cannot verify: the replica stopped answering .* Start it again, or leave out/,
      ),
    });
  });
});
