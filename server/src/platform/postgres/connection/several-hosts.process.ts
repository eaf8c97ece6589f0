import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../../../tests/support/postgres/database.ts';
import { Database } from '../database.ts';
import { type FlorinPostgres, startFlorinPostgres } from '../embedded/florin-postgres.ts';
import { SessionClient } from './connection.ts';
import { connectionOf } from './connection-url.ts';
import { sessionSettings } from './session-settings.ts';

const setting = (name: string) => ({ name: '', text: `select current_setting('${name}') as value` });

describe('several hosts', () => {
  let folder: string;
  let primary: FlorinPostgres;
  let standby: FlorinPostgres;
  let silent: { port: number; close: () => void };

  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const start = (name: string) => startFlorinPostgres({ dataDir: join(folder, name), log });

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

  async function connected(url: string, limitMs = 3_000): Promise<{ host: string; inRecovery: boolean }> {
    const client = new SessionClient({
      ...connectionOf(url),
      ...sessionSettings('test', 0),
      connectionTimeoutMillis: limitMs,
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

  test('a server that has begun to answer gets the time that is left, not only its share', async () => {
    const slow = await startSlowRelay(join(primary.connection.host as string, '.s.PGSQL.5432'), 3_200);
    const url = urlTo(['127.0.0.1', '127.0.0.1', '127.0.0.1'], [1, 2, slow.port], readWrite);
    // The share of each of the three is 3 s.
    expect(await connected(url, 9_000)).toMatchObject({ inRecovery: false });
    slow.close();
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

  test('a pool leaves a server that takes no writes, with idle connections, and follows the primary', async () => {
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

/** A server on a starved machine: the first byte of its answer comes at once, the rest later. */
async function startSlowRelay(socketPath: string, delayMs: number): Promise<{ port: number; close: () => void }> {
  const server = createServer((near) => {
    const far = connect(socketPath);
    near.pipe(far);
    for (const socket of [near, far]) socket.on('error', () => {});
    far.once('data', (answer: Buffer) => {
      far.pause();
      near.write(answer.subarray(0, 1));
      setTimeout(() => {
        near.write(answer.subarray(1));
        far.pipe(near);
      }, delayMs);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
}
