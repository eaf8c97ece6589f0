import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { administratorOf, dataOf } from '../../../tests/support/factories.ts';
import { eventually } from '../../../tests/support/postgres/database.ts';
import {
  hasStandbys,
  type ReplicatedDatabase,
  replicatedDatabase,
} from '../../../tests/support/postgres/streaming-replica.ts';
import { florinOn, type TestFlorin, urlOf } from '../../../tests/support/service/florin.ts';
import { freshKeyring } from '../../platform/crypto/keyring.ts';
import type { SystemHealth } from './read-health.ts';

/** What is shown of a real standby, by an account that may see it and by one that may not. */
describe.skipIf(!hasStandbys)('with a standby', () => {
  let servers: ReplicatedDatabase;
  let florin: TestFlorin;
  let admin: string;

  beforeAll(async () => {
    servers = await replicatedDatabase(['archive_mode=on']);
    await run(`create role plain login; grant all on database florin to plain; grant all on schema public to plain`);
    await run(
      'grant all on all tables in schema public to plain; grant all on all sequences in schema public to plain',
    );
    florin = await start('florin');
    admin = await administratorOf(florin);
  });

  afterAll(async () => {
    await florin.stop();
    await servers.close();
  });

  const run = (sql: string) => servers.query(servers.primary, sql);
  const start = (user: string) =>
    florinOn({ connection: { ...servers.primary, user } } as never, {
      APP_JWT_KEYS: freshKeyring(),
      APP_ENCRYPTION_KEYS: keys,
      APP_DATABASE_REPLICA_URL: urlOf({ ...servers.standby, user }),
    });
  const keys = freshKeyring();
  const databaseOf = async (): Promise<SystemHealth['database']> =>
    dataOf(await florin.get('/api/system/health', admin)).database;
  const metric = async (line: RegExp) => {
    const text = await (await fetch(`${florin.address}/metrics`)).text();
    return line.exec(text)?.[1];
  };

  test('it is listed with its replication and how far it is behind', async () => {
    const { standbys, standbysUnknown, replica, address } = await databaseOf();
    expect(standbys).toEqual([
      {
        name: 'walreceiver',
        address: '127.0.0.1',
        state: 'streaming',
        sync: 'async',
        lagBytes: expect.any(Number),
        // Null once it has been idle for some seconds.
        lagMs: standbys?.[0]?.lagMs,
      },
    ]);
    expect(standbysUnknown).toBeNull();
    expect(replica).toMatchObject({ isReachable: true, hosts: `127.0.0.1:${servers.standby.port}` });
    expect(address).toBe(`127.0.0.1:${servers.primary.port}`);
    expect(await metric(/^florin_standbys\{sync="async"\} (\d+)$/m)).toBe('1');
  });

  test('while replay is paused it falls behind, and catches up afterwards', async () => {
    await servers.query(servers.standby, 'select pg_wal_replay_pause()');
    await run('create table behind as select generate_series(1, 1000)');
    await eventually('it is behind', async () => {
      const { standbys, replica } = await databaseOf();
      return (standbys?.[0]?.lagBytes ?? 0) > 10_000 && (replica?.lagBytes ?? 0) > 10_000 && (replica?.lagMs ?? 0) > 0;
    });
    await eventually('its metric says so', async () => {
      return Number(await metric(/^florin_standby_lag_bytes\{standby="walreceiver"\} (\d+)$/m)) > 10_000;
    });
    await servers.query(servers.standby, 'select pg_wal_replay_resume()');
    await eventually('it has caught up', async () => (await databaseOf()).replica?.lagBytes === 0);
  });

  test('a server whose archive fails says so, and that it works again', async () => {
    await run(`alter system set archive_command = 'false'`);
    await run('select pg_reload_conf()');
    await run('select pg_switch_wal()');
    await eventually('it fails', async () => (await databaseOf()).archive?.isFailing === true);
    await run(`alter system set archive_command = 'true'`);
    await run('select pg_reload_conf()');
    await eventually('it works', async () => {
      const { archive } = await databaseOf();
      return archive?.isFailing === false && archive.archivedTime !== null;
    });
  }, 90_000);

  test('an account without pg_monitor says what is missing instead of an empty list', async () => {
    const plain = await start('plain');
    try {
      const as = await administratorOf(plain);
      const { standbys, standbysUnknown } = dataOf(await plain.get('/api/system/health', as)).database;
      expect(standbys).toBeNull();
      expect(standbysUnknown).toMatch(/grant pg_monitor/);
      const text = await (await fetch(`${plain.address}/metrics`)).text();
      expect(text).not.toMatch(/^florin_standbys\{/m);
    } finally {
      await plain.stop();
    }
  });

  test('commits wait for a standby that is named, and it is counted as synchronous', async () => {
    await run(`alter system set synchronous_standby_names = 'walreceiver'`);
    await run('select pg_reload_conf()');
    await eventually('it is synchronous', async () => (await databaseOf()).standbys?.[0]?.sync === 'sync');
    await eventually('its metrics say so', async () => {
      const [expected, found] = [
        await metric(/^florin_standbys_expected (\d+)$/m),
        await metric(/^florin_standbys\{sync="sync"\} (\d+)$/m),
      ];
      return expected === '1' && found === '1';
    });
    await run('alter system reset synchronous_standby_names');
    await run('select pg_reload_conf()');
  });

  test('a standby that ends is listed no more, and the replica does not answer', async () => {
    await servers.killStandby();
    await eventually('it is gone', async () => {
      const { standbys, replica } = await databaseOf();
      return standbys?.length === 0 && replica?.isReachable === false;
    });
    await eventually('its metric is gone', async () => {
      return (await metric(/^florin_standby_lag_bytes\{standby="walreceiver"\} (\d+)$/m)) === undefined;
    });
  });
});
