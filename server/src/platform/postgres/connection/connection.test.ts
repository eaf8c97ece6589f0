import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../tests/support/postgres/database.ts';
import { transactionPooler } from '../../../../tests/support/postgres/transaction-pooler.ts';
import { urlOf } from '../../../../tests/support/service/florin.ts';
import { Database } from '../database.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../embedded/supervisor.ts';
import { describeHosts, SessionClient } from './connection.ts';
import { type ConnectionConfig, connectionOf } from './connection-url.ts';
import { sessionSettings } from './session-settings.ts';

const setting = (name: string) => ({ name: '', text: `select current_setting('${name}') as value` });

describe('a database URL', () => {
  const hostsOf = (url: string) => connectionOf(url).hosts;

  test('may name several hosts, each with its port', () => {
    expect(hostsOf('postgres://u:p@h1:5433,h2/db')).toEqual([
      { host: 'h1', port: 5433 },
      { host: 'h2', port: undefined },
    ]);
    expect(hostsOf('postgresql://[::1]:5433,10.0.0.1:5434/db')).toEqual([
      { host: '::1', port: 5433 },
      { host: '10.0.0.1', port: 5434 },
    ]);
    expect(hostsOf('postgres://u@/db?host=%2Frun%2Fa,h2&port=5433,5434')).toEqual([
      { host: '/run/a', port: 5433 },
      { host: 'h2', port: 5434 },
    ]);
    expect(hostsOf('postgres://u@/db?host=h1,h2&port=6000')).toEqual([
      { host: 'h1', port: 6000 },
      { host: 'h2', port: 6000 },
    ]);
  });

  test('keeps account, database and everything else for the driver', () => {
    const config = connectionOf('postgres://u%40x:p%2Fw@h1:1,h2:2/d%20b?sslmode=disable&target_session_attrs=primary');
    const client = new SessionClient(config);
    expect([client.user, client.password, client.database, client.ssl]).toEqual(['u@x', 'p/w', 'd b', false]);
    expect(config.targetSessionAttrs).toBe('primary');
    expect(describeHosts(config)).toBe('h1:1, h2:2');
  });

  test.each([
    ['mysql://u:canary@h/db', /begins with postgres/],
    ['postgres://u:canary@h/db?target_session_attrs=standby', /any, read-write, primary/],
    ['postgres://u:canary@h1,h2,h3/db?port=1,2', /one port, or one for each host/],
    ['postgres://u:canary@h1:70000/db', /65535/],
    ['postgres://u:canary@h1:x/db', /host:port/],
    ['postgres://u:can%ary@h1?host=%', /escape/],
  ])('%s is refused without being repeated', (url, reason) => {
    expect(() => connectionOf(url)).toThrow(reason);
    expect(() => connectionOf(url)).not.toThrow(/canary/);
  });
});

describe('session settings', () => {
  let db: TestDatabase;

  beforeAll(async () => {
    db = await databaseFromTemplate('template0');
  });

  afterAll(() => db.drop());

  const on = (connection: ConnectionConfig) =>
    new Database({ connection, connections: 1, name: 'test settings', plans: 'indexed', statementTimeoutMs: 7_000 });

  test.each(['prefer', 'allow'])('work without TLS on a server that has none, with sslmode=%s', async (mode) => {
    const database = on(connectionOf(`${urlOf(db.connection)}&sslmode=${mode}`));
    const ssl = { name: 'test.ssl', text: 'select ssl from pg_stat_ssl where pid = pg_backend_pid()' };
    expect(await database.run(ssl)).toEqual([{ ssl: false }]);
    const required = on(connectionOf(`${urlOf(db.connection)}&sslmode=require`));
    await expect(required.run(ssl)).rejects.toThrow();
    await database.close();
    await required.close();
  });

  test('of the URL add to our own; those that answers are read by stay', async () => {
    const options = encodeURIComponent('-c work_mem=7MB -c statement_timeout=5000 -c timezone=Asia/Tokyo');
    const database = on(connectionOf(`${urlOf(db.connection)}&options=${options}`));
    const value = async (name: string) => (await database.run<{ value: string }>(setting(name)))[0]?.value;
    expect(await value('work_mem')).toBe('7MB');
    expect(await value('statement_timeout')).toBe('5s');
    expect(await value('enable_seqscan')).toBe('off');
    expect(await value('jit')).toBe('off');
    expect(await value('timezone')).toBe('UTC');
    expect(await value('application_name')).toBe('florin test settings');
    await database.close();
  });

  test.each([true, false])(
    'hold behind a pooler that takes no options (it refuses them: %s)',
    async (refuseOptions) => {
      const pooler = await transactionPooler(db.connection, { refuseOptions, serverConnections: 1 });
      const options = encodeURIComponent('-c work_mem=7MB --search-path=a,\\ b');
      const url = `postgres://${pooler.connection.user}@127.0.0.1:${pooler.connection.port}/x?options=${options}`;
      const database = on(connectionOf(url));
      const value = async (name: string) => (await database.run<{ value: string }>(setting(name)))[0]?.value;
      expect(await value('enable_seqscan')).toBe('off');
      expect(await value('statement_timeout')).toBe('7s');
      expect(await value('work_mem')).toBe('7MB');
      expect(await value('search_path')).toBe('a, b');
      expect(await value('application_name')).toBe('florin test settings');
      await database.close();
      await pooler.close();
    },
  );
});

describe('behind a pooler that hands out connections by transaction', () => {
  let db: TestDatabase;

  beforeAll(async () => {
    db = await databaseFromTemplate('template0');
    await db.query('create table written (id int primary key)');
  });

  afterAll(() => db.drop());

  test('every statement is executed once, prepared or not, and it is told once that none can be kept', async () => {
    const pooler = await transactionPooler(db.connection, { serverConnections: 2 });
    let told = 0;
    const database = new Database({
      connection: pooler.connection,
      connections: 4,
      name: 'test pooled',
      onUnprepared: () => told++,
    });
    const insert = { name: 'test.insert', text: 'insert into written values ($1)' };
    const ids = Array.from({ length: 40 }, (_, id) => id);
    for (const id of ids.slice(0, 20)) await database.run(insert, [id]);
    await Promise.all(ids.slice(20).map((id) => database.transaction((transaction) => transaction.run(insert, [id]))));
    const rows = await db.query<{ id: number }>('select id from written order by id');
    expect(rows.map(({ id }) => id)).toEqual(ids);
    expect(told).toBe(1);
    await database.close();
    await pooler.close();
  });
});

describe('several hosts', () => {
  let folder: string;
  let primary: EmbeddedPostgres;
  let standby: EmbeddedPostgres;
  let silent: { port: number; close: () => void };

  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const start = (name: string) => startEmbeddedPostgres({ dataDir: join(folder, name), log });

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'florin-hosts-'));
    await (await start('a')).stop();
    execFileSync('cp', ['-a', join(folder, 'a'), join(folder, 'b')]);
    const cluster = join(folder, 'b', 'postgres', 'cluster');
    const { uid, gid } = statSync(join(cluster, 'PG_VERSION'));
    writeFileSync(join(cluster, 'standby.signal'), '');
    chownSync(join(cluster, 'standby.signal'), uid, gid);
    primary = await start('a');
    standby = await start('b');
    // Takes connections and says nothing.
    const server = createServer((socket) => socket.on('error', () => {}));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    silent = { port: (server.address() as AddressInfo).port, close: () => server.close() };
  });

  afterAll(async () => {
    silent.close();
    await primary.stop();
    await standby.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Hosts as libpq takes them; those that are not ours are dead or silent. */
  const urlTo = (hosts: string[], ports: number[], more = '') =>
    `postgres://florin_service@/florin?host=${hosts.map(encodeURIComponent).join(',')}&port=${ports.join(',')}${more}`;
  const readWrite = '&target_session_attrs=read-write';

  async function connected(url: string): Promise<{ host: string; inRecovery: boolean }> {
    const client = new SessionClient({
      ...connectionOf(url),
      ...sessionSettings('test', 0),
      connectionTimeoutMillis: 3_000,
    });
    await client.connect();
    const { rows } = await client.query('select pg_is_in_recovery() as recovering');
    await client.end();
    return { host: client.host, inRecovery: rows[0].recovering };
  }

  test('are tried in order until one answers', async () => {
    const hosts = ['127.0.0.1', standby.connection.host, primary.connection.host];
    expect(await connected(urlTo(hosts, [1, 5432, 5432]))).toEqual({ host: standby.connection.host, inRecovery: true });
  });

  test.each(['read-write', 'primary'])('%s goes past dead, silent and standby servers', async (target) => {
    const hosts = ['127.0.0.1', '127.0.0.1', standby.connection.host, primary.connection.host];
    const url = urlTo(hosts, [1, silent.port, 5432, 5432], `&target_session_attrs=${target}`);
    expect(await connected(url)).toEqual({ host: primary.connection.host, inRecovery: false });
  });

  test('when none will do, each is named with its reason', async () => {
    const url = urlTo(['127.0.0.1', standby.connection.host], [1, 5432], readWrite);
    await expect(connected(url)).rejects.toThrow(
      /127\.0\.0\.1:1 \(.*ECONNREFUSED.*\.s\.PGSQL\.5432 \(the server is a standby\)/,
    );
  });

  test('a server that refuses the account ends the search', async () => {
    const url = urlTo([standby.connection.host, primary.connection.host], [5432, 5432]).replace(
      'florin_service@',
      'nobody@',
    );
    await expect(connected(url)).rejects.toThrow(/^role "nobody" does not exist$/);
  });

  test('a pool leaves a server that takes no more writes, idle connections and all, and follows the primary', async () => {
    const hosts = [primary.connection.host, standby.connection.host];
    const connection = connectionOf(urlTo(hosts, [5432, 5432], readWrite));
    const database = new Database({ connection, connections: 3, name: 'test hosts' });
    const write = { name: '', text: 'create table if not exists written ()' };
    const hold = { name: '', text: 'select pg_sleep(0.05)' };
    await database.run(write);
    await Promise.all([database.run(hold), database.run(hold), database.run(hold)]);
    expect(database.load.total).toBe(3);

    // As a managed server does that runs out of disk: connections stay, writes are refused.
    const first = new Database({ connection: primary.superuser, connections: 1, name: 'test first' });
    const second = new Database({ connection: standby.superuser, connections: 1, name: 'test second' });
    await first.run({ name: '', text: `alter system set default_transaction_read_only = on` });
    await first.run({ name: '', text: 'select pg_reload_conf()' });
    await second.run({ name: '', text: 'select pg_promote(true)' });
    await expect(refusedWrite()).resolves.toBe('database_unavailable');
    await database.run(write);
    // Not one of the idle connections is left at the first.
    const left = `select count(*) as count from pg_stat_activity where application_name = 'florin test hosts'`;
    await eventually('all have left', async () => {
      const [row] = await first.run<{ count: number }>({ name: '', text: left });
      return row?.count === 0;
    });
    expect(await database.run(setting('default_transaction_read_only'))).toEqual([{ value: 'off' }]);

    await first.close();
    await second.close();
    await database.close();

    /** The setting reaches each session when it next turns to the client. */
    async function refusedWrite(): Promise<unknown> {
      for (;;) {
        try {
          await database.transaction((transaction) =>
            transaction.run({ name: '', text: 'create table if not exists more ()' }),
          );
        } catch (error) {
          return (error as { type?: string }).type;
        }
      }
    }
  });
});
