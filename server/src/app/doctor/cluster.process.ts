import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../../tests/support/postgres/database.ts';
import {
  hasStandbys,
  type ReplicatedDatabase,
  replicatedDatabase,
} from '../../../tests/support/postgres/streaming-replica.ts';
import { transactionPooler } from '../../../tests/support/postgres/transaction-pooler.ts';
import { urlOf } from '../../../tests/support/service/florin.ts';
import { freshKeyring, parseKeyring } from '../../platform/crypto/keyring.ts';
import { readSettings, type Settings } from '../config/settings.ts';
import { keyDigestOf } from '../system/heartbeat.ts';
import {
  archive,
  everyServer,
  primaryOfSeveral,
  replica,
  sameDatabase,
  standbysKeepUp,
  synchronousStandbys,
} from './checks/cluster.ts';
import { everyNode, nodeClocks, nodeKeys, nodeVersions } from './checks/nodes.ts';
import { examine, type Outcome } from './doctor.ts';

const keys = { APP_JWT_KEYS: freshKeyring(), APP_ENCRYPTION_KEYS: freshKeyring() };

/** What `florin doctor` says of a primary with a standby, and of several nodes. */
describe.skipIf(!hasStandbys)('a set-up of several machines', () => {
  let servers: ReplicatedDatabase;

  beforeAll(async () => {
    servers = await replicatedDatabase(['archive_mode=on']);
    await run('create role plain login');
    await run('grant select on all tables in schema public to plain');
    await run('create database other');
    await set('synchronous_standby_names', 'walreceiver');
    await eventually('the standby is synchronous', async () => {
      const [row] = await run(`select sync_state from pg_stat_replication`);
      return row?.sync_state === 'sync';
    });
  });

  afterAll(() => servers.close());

  const run = (sql: string, at: 'primary' | 'standby' = 'primary') => servers.query(servers[at], sql);
  const set = async (name: string, value: string) => {
    await run(value === '' ? `alter system reset ${name}` : `alter system set ${name} = '${value}'`);
    await run('select pg_reload_conf()');
    await eventually('it is set', async () => {
      const [row] = await run(`select current_setting('${name}') as value`);
      return row?.value === value;
    });
  };

  const bothHosts = (parameters: string) => {
    const { primary, standby } = servers;
    return `postgres://florin@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/florin${parameters}`;
  };
  const settingsOf = (environment: Record<string, string> = {}): Settings =>
    readSettings(
      {
        PORT: '0',
        APP_DATABASE_URL: bothHosts('?target_session_attrs=read-write'),
        APP_DATABASE_REPLICA_URL: urlOf(servers.standby),
        ...keys,
        ...environment,
      },
      undefined,
    );

  /** What a check says; undefined: it finds nothing. */
  const saysOf = async ({ name }: { name: string }, settings = settingsOf()): Promise<Outcome> => {
    const outcome = (await examine(settings)).find(({ check }) => check === name);
    if (outcome === undefined) throw new Error(`Nothing is said of ${name}.`);
    return outcome;
  };
  const findingOf = async (check: { name: string }, settings = settingsOf()) => (await saysOf(check, settings)).finding;
  const all = [primaryOfSeveral, everyServer, sameDatabase, replica, synchronousStandbys, standbysKeepUp, archive];
  const ofNodes = [everyNode, nodeVersions, nodeKeys, nodeClocks];

  test('of one that is well nothing is found, and nothing is left unsaid', async () => {
    const outcomes = await examine(settingsOf());
    const names = [...all, ...ofNodes].map(({ name }) => name);
    expect(outcomes.filter(({ check }) => names.includes(check))).toEqual(
      expect.arrayContaining(names.map((check) => ({ check }))),
    );
  });

  test('several servers without target_session_attrs', async () => {
    expect(await findingOf(primaryOfSeveral, settingsOf({ APP_DATABASE_URL: bothHosts('') }))).toEqual({
      what: expect.stringMatching(/takes the first that answers, also if it is a standby/),
      cure: 'add target_session_attrs=read-write to app.database.url',
    });
  });

  test('a replica address that leads to the primary, to nobody, or to another database server', async () => {
    const at = (url: string) => findingOf(replica, settingsOf({ APP_DATABASE_REPLICA_URL: url }));
    expect((await at(urlOf(servers.primary)))?.what).toMatch(/leads to the primary, no standby/);
    expect((await at('postgres://florin:secret@127.0.0.1:1/florin'))?.what).toMatch(/ECONNREFUSED.*primary answers/);
    expect(JSON.stringify(await at('postgres://florin:secret@127.0.0.1:1/florin'))).not.toContain('secret');
  });

  test('a direct address that leads to another database, or to nobody', async () => {
    const at = (url: string) => findingOf(sameDatabase, settingsOf({ APP_DATABASE_DIRECT_URL: url }));
    expect(await at(urlOf(servers.primary))).toBeUndefined();
    expect((await at(urlOf({ ...servers.primary, database: 'other' })))?.what).toMatch(/leads to another database/);
    expect((await at('postgres://florin@127.0.0.1:1/florin'))?.what).toMatch(/cannot be used: .*ECONNREFUSED/);
  });

  test('a pooler in transaction mode without an address that bypasses it', async () => {
    const pooler = await transactionPooler({ ...servers.primary, ssl: false });
    try {
      const notifications = { name: 'notifications between nodes arrive' };
      const through = { APP_DATABASE_URL: urlOf({ ...pooler.connection, user: 'florin', database: 'florin' }) };
      expect((await findingOf(notifications, settingsOf(through)))?.cure).toMatch(/app\.database\.direct-url/);
      const beside = { ...through, APP_DATABASE_DIRECT_URL: urlOf(servers.primary) };
      expect(await findingOf(notifications, settingsOf(beside))).toBeUndefined();
    } finally {
      await pooler.close();
    }
  });

  test('commits that wait for no standby although some follow', async () => {
    await set('synchronous_standby_names', '');
    try {
      const found = { what: expect.stringMatching(/^walreceiver follow the primary, and no commit waits/) };
      expect(await findingOf(synchronousStandbys, settingsOf({ APP_DATABASE_REPLICA_URL: '' }))).toMatchObject(found);
      // One standby for reads alone, or one that never takes over, is on purpose.
      expect(await findingOf(synchronousStandbys)).toBeUndefined();
      const given = { APP_DATABASE_REPLICA_URL: '', APP_DATABASE_EXPECTED_STANDBYS: '0' };
      expect(await findingOf(synchronousStandbys, settingsOf(given))).toBeUndefined();
      const one = { APP_DATABASE_EXPECTED_STANDBYS: '1' };
      expect((await findingOf(synchronousStandbys, settingsOf(one)))?.what).toMatch(/1 .* expected, and 0 .* is empty/);
    } finally {
      await set('synchronous_standby_names', 'walreceiver');
    }
  });

  test('synchronous_commit that waits for no standby, or for nothing', async () => {
    const durability = { name: 'what is acknowledged survives a power failure' };
    await run('alter database florin set synchronous_commit = local');
    expect((await findingOf(synchronousStandbys))?.what).toMatch(/synchronous_commit is local/);
    await run('alter database florin set synchronous_commit = off');
    // The servers of these tests have no fsync either.
    expect((await findingOf(durability))?.what).toMatch(/synchronous_commit are off/);
    await run('alter database florin reset synchronous_commit');
    expect(await findingOf(synchronousStandbys)).toBeUndefined();
  });

  test('without the right to see standbys nothing is called fine, and the right is named', async () => {
    const plain = settingsOf({ APP_DATABASE_URL: urlOf({ ...servers.primary, user: 'plain' }) });
    expect((await saysOf(synchronousStandbys, plain)).skipped).toMatch(/grant pg_monitor/);
  });

  test('an archive that fails', async () => {
    await set('archive_command', 'false');
    await run('select pg_switch_wal()');
    await eventually('archiving has failed', async () => (await findingOf(archive)) !== undefined);
    expect(await findingOf(archive)).toMatchObject({
      what: expect.stringMatching(/^archiving \w+\S* has failed \d+ times: the server keeps all later log/),
      cure: expect.stringMatching(/archive_command/),
    });
    await set('archive_command', 'true');
    await eventually('it works', async () => (await findingOf(archive)) === undefined, 90_000);
  }, 120_000);

  /** As a node writes it. */
  const note = (port: number, changes: Record<string, string> = {}) => {
    const row = {
      version: `'1.0.0'`,
      key_digest: `'${keyDigestOf(parseKeyring(keys.APP_JWT_KEYS), parseKeyring(keys.APP_ENCRYPTION_KEYS))}'`,
      clock_ahead_ms: '3',
      seen_at: 'now()',
      ...changes,
    };
    return run(
      `insert into service_node (id, host, port, role, processes, runtime, migration, started_at, ${Object.keys(row)})
       values (gen_random_uuid(), 'node', ${port}, 'all', 1, 'v24', '0220_nodes', now(), ${Object.values(row)})`,
    );
  };

  test.each([
    [
      'is gone',
      everyNode,
      { seen_at: `now() - interval '1 minute'` },
      /^node:2 has not said for 30 seconds/,
      /log of Florin there/,
    ],
    [
      'has another version',
      nodeVersions,
      { version: `'1.1.0'` },
      /node:1 1\.0\.0, node:2 1\.1\.0/,
      /finish the upgrade/,
    ],
    [
      'has other keys',
      nodeKeys,
      { key_digest: `'other'` },
      /^node:1 and node:2 have different keys/,
      /same app\.jwt\.keys/,
    ],
    ['has a wrong clock', nodeClocks, { clock_ahead_ms: '-61000' }, /that of node:2 is 61\.0 s behind/, /NTP/],
  ] as const)('a node that %s', async (_how, check, changes, what, cure) => {
    await note(1);
    await note(2, changes);
    try {
      for (const one of ofNodes) {
        const finding = await findingOf(one);
        if (one !== check) expect(finding, one.name).toBeUndefined();
        else expect(finding).toEqual({ what: expect.stringMatching(what), cure: expect.stringMatching(cure) });
      }
    } finally {
      await run('delete from service_node');
    }
  });

  test('keys in the settings of this machine that are not those of the nodes', async () => {
    await note(1);
    try {
      const other = settingsOf({ APP_JWT_KEYS: freshKeyring() });
      expect((await findingOf(nodeKeys, other))?.what).toMatch(/in these settings are not those of node:1/);
    } finally {
      await run('delete from service_node');
    }
  });

  test.each([
    [{ state: 'streaming', lag_bytes: 2 * 1024 ** 3, lag_ms: 1_000 }, /^standby db2 is 2048 MB behind \(streaming\)/],
    [{ state: 'streaming', lag_bytes: 1024 ** 2, lag_ms: 61_000 }, /^standby db2 is 1 MB behind/],
    [{ state: 'catchup', lag_bytes: 1024 ** 2, lag_ms: null }, /^standby db2 is 1 MB behind \(catchup\)/],
  ])('a standby that is behind: %o', async (lag, what) => {
    const rows = [
      { name: 'db1', state: 'streaming', lag_bytes: 16_000, lag_ms: null },
      { name: 'db2', ...lag },
    ];
    const finding = await standbysKeepUp.checkDatabase({ database: { run: async () => rows } } as never);
    expect(finding).toMatchObject({ what: expect.stringMatching(what), cure: expect.stringMatching(/network/) });
  });

  // The last ones: the standby does not come back as one.
  test('a server that does not answer, and a synchronous standby that is missing', async () => {
    await servers.killStandby();
    await eventually('it is missed', async () => (await findingOf(synchronousStandbys)) !== undefined);
    expect((await findingOf(synchronousStandbys))?.what).toMatch(/1 .* expected, and 0 follow.*commits wait/);
    expect((await findingOf(everyServer))?.what).toMatch(
      new RegExp(`^127\\.0\\.0\\.1:${servers.standby.port} cannot be used \\(.*ECONNREFUSED.*fewer can take over`),
    );
    expect((await findingOf(replica))?.cure).toMatch(/start the standby/);
  });
});
