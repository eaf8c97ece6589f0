import { spawn } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { startLine } from '../faults/line.ts';

/** Where `tools/pgbouncer/install.sh` unpacks it with its libraries. */
const installed = join(import.meta.dirname, '..', '..', '..', '..', 'build', 'pgbouncer');

const program = join(installed, 'usr', 'sbin', 'pgbouncer');

/** Without pgbouncer the tests through it are skipped, and counted as skipped. */
export const hasPgbouncer = existsSync(program);

export interface Pgbouncer {
  /** The database that `upstream` names, through the pooler. */
  connection: pg.ClientConfig;
  stop: () => Promise<void>;
}

export interface PgbouncerOptions {
  poolMode?: 'session' | 'transaction' | 'statement';
  /** Connections to the server: few, so that clients change them. */
  serverConnections?: number;
  /** Further lines of its configuration. */
  settings?: Record<string, string | number>;
}

/** Starts the real pgbouncer in front of a database. */
export async function startPgbouncer(
  upstream: pg.ClientConfig,
  { poolMode = 'transaction', serverConnections = 4, settings = {} }: PgbouncerOptions = {},
): Promise<Pgbouncer> {
  const folder = await mkdtemp(join(tmpdir(), 'florin-pgbouncer-'));
  const { user = '', database = '' } = upstream;
  // Its account may not enter the folder of the socket of the PostgreSQL that tests start.
  const line = await startLine(upstream);
  const port = await freePort();
  const lines = Object.entries({
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'trust',
    auth_file: join(folder, 'users'),
    pool_mode: poolMode,
    default_pool_size: serverConnections,
    max_client_conn: 1_000,
    // It refuses to run as root.
    ...(process.geteuid?.() === 0 && { user: 'nobody' }),
    ...settings,
  }).map(([name, value]) => `${name} = ${value}`);
  const file = join(folder, 'pgbouncer.ini');
  const databases = `* = host=${line.connection.host} port=${line.connection.port}`;
  await writeFile(file, ['[databases]', databases, '[pgbouncer]', ...lines, ''].join('\n'));
  await writeFile(join(folder, 'users'), `"${user}" ""\n`);
  await chmod(folder, 0o755);
  const child = spawn(...commandOf(file), { stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  while (child.exitCode === null && !(await accepts(port))) await sleep(20);
  return {
    connection: { host: '127.0.0.1', port, user, database },
    stop: async () => {
      process.off('exit', kill);
      kill();
      await ended;
      await line.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Its own loader finds its own libraries, which are newer than those of the system. */
function commandOf(file: string): [program: string, words: string[]] {
  const [loader = ''] = globSync(join(installed, 'usr', 'lib', '*-linux-gnu', 'ld-linux-*.so.*'));
  return [loader, ['--library-path', dirname(loader), program, '-q', file]];
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}
