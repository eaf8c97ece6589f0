import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { migrate } from '../../../src/platform/postgres/migrate.ts';

const user = 'florin';
const database = 'florin';

/** The programs of a whole PostgreSQL: the embedded one has no pg_basebackup. */
const programs = globSync('/usr/lib/postgresql/*/bin').find((folder) => existsSync(join(folder, 'pg_basebackup')));

/** Without Debian's PostgreSQL the tests with a standby are skipped, and counted as skipped. */
export const hasStandbys = programs !== undefined && (process.geteuid?.() !== 0 || existsSync('/usr/sbin/runuser'));

export interface ReplicatedDatabase {
  primary: pg.ClientConfig;
  standby: pg.ClientConfig;
  /** Runs SQL as superuser. */
  query: (server: pg.ClientConfig, text: string) => Promise<pg.QueryResult['rows']>;
  /** Ends the standby without notice. */
  killStandby: () => Promise<void>;
  close: () => Promise<void>;
}

/**
 * A migrated database on a PostgreSQL of its own, with a standby that streams from it. `settings`: further ones of both
 * servers, such as `archive_mode=on`.
 */
export async function replicatedDatabase(settings: readonly string[] = []): Promise<ReplicatedDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'florin-replica-'));
  await chmod(folder, 0o777);
  const at = async (name: string) => ({ host: '127.0.0.1', port: await freePort(), user, database, name });
  const [first, second] = [await at('primary'), await at('standby')];
  const data = (name: string) => join(folder, name);
  const start = ({ name, port }: { name: string; port: number }) => {
    const given = settings.map((setting) => ` -c ${setting}`).join('');
    const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off${given}`;
    const words = ['-D', data(name), '-o', options, '-l', join(folder, `${name}.log`), '-w', 'start'];
    return asPostgres('pg_ctl', words);
  };
  const stop = (name: string) => asPostgres('pg_ctl', ['-D', data(name), '-m', 'immediate', 'stop']).catch(() => {});
  await asPostgres('initdb', ['-D', data('primary'), '-A', 'trust', '-U', user, '--no-sync']);
  await start(first);
  await queryOn({ ...first, database: 'postgres' }, `create database ${database}`);
  const { name: _, ...primary } = first;
  await migrate(primary, () => {});
  const copying = ['-h', first.host, '-p', String(first.port), '-U', user, '-D', data('standby'), '-R', '-c', 'fast'];
  await asPostgres('pg_basebackup', copying);
  await start(second);
  const { name: __, ...standby } = second;
  return {
    primary,
    standby,
    query: queryOn,
    killStandby: () => stop('standby') as Promise<void>,
    close: async () => {
      await stop('standby');
      await stop('primary');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** PostgreSQL refuses to run as root. */
async function asPostgres(program: string, words: string[]): Promise<void> {
  const own = [join(programs ?? '', program), ...words];
  const [command = '', ...rest] = process.geteuid?.() === 0 ? ['runuser', '-u', 'postgres', '--', ...own] : own;
  // Without pipes, which the server would hold open.
  const child = spawn(command, rest, { cwd: '/', stdio: 'ignore' });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${program} ended with ${code}.`);
}

async function queryOn(server: pg.ClientConfig, text: string): Promise<pg.QueryResult['rows']> {
  const client = new pg.Client(server);
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as { port: number };
  await new Promise((closed) => server.close(closed));
  return port;
}
