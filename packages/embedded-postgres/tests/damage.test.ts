import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EmbeddedPostgresError } from '../src/contract.ts';
import { startEmbeddedPostgres } from '../src/supervisor.ts';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'florin-damage-')));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const silent = { info: () => {}, warn: () => {}, error: () => {} };

function put(path: string, text = ''): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

/** As much of a cluster as is looked at before PostgreSQL is started. */
function putCluster(): void {
  put('postgres/cluster/PG_VERSION', '18\n');
  put('postgres/cluster/postgresql.conf');
  put('postgres/cluster/global/pg_control', '\0'.repeat(8192));
  for (const name of ['base', 'pg_wal', 'pg_xact']) mkdirSync(join(root, 'postgres/cluster', name));
}

/** Everything below the folder but what a start makes for itself. */
function contents(): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .map((entry) => `${join(entry.parentPath, entry.name)}${entry.isDirectory() ? '/' : ''}`)
    .filter((path) => ![join(root, 'lock/'), join(root, 'postgres/socket/'), join(root, 'postgres/')].includes(path))
    .toSorted();
}

const damages: [string, () => void, path: string, what: RegExp][] = [
  ['lock is a file', () => put('lock'), 'lock', /a folder belongs there/],
  ['postgres is a file', () => put('postgres'), 'postgres', /a folder belongs there/],
  ['the socket folder is a file', () => put('postgres/socket'), 'postgres/socket', /a folder belongs there/],
  [
    'postgres.log is a folder',
    () => put('postgres.log/x'),
    'postgres.log',
    /is a folder, but a plain file belongs there/,
  ],
  [
    'postgres.log is a link',
    () => symlinkSync('/nonexistent', join(root, 'postgres.log')),
    'postgres.log',
    /is a symbolic link, but a plain file belongs there/,
  ],
  ['the cluster is a file', () => put('postgres/cluster'), 'postgres/cluster', /a folder belongs there/],
  [
    'the cluster is empty',
    () => mkdirSync(join(root, 'postgres/cluster'), { recursive: true }),
    'postgres/cluster',
    /is empty, which no start leaves behind; mount or restore .* or remove the empty folder/,
  ],
  [
    'the cluster is a link that leads nowhere',
    () => {
      mkdirSync(join(root, 'postgres'));
      symlinkSync('/nonexistent/cluster', join(root, 'postgres/cluster'));
    },
    'postgres/cluster',
    /is a symbolic link to \/nonexistent\/cluster, which is not there/,
  ],
  [
    'PG_VERSION is empty',
    () => {
      putCluster();
      put('postgres/cluster/PG_VERSION');
    },
    'postgres/cluster/PG_VERSION',
    /does not hold a version; .*restore a backup/,
  ],
  ['PG_VERSION is a folder', () => put('postgres/cluster/PG_VERSION/x'), 'postgres/cluster/PG_VERSION', /is a folder/],
  ...['global/pg_control', 'base', 'pg_wal', 'pg_xact', 'postgresql.conf'].map(
    (name): [string, () => void, string, RegExp] => [
      `${name} is missing`,
      () => {
        putCluster();
        rmSync(join(root, 'postgres/cluster', name), { recursive: true });
      },
      `postgres/cluster/${name}`,
      /is missing.*restore a backup/,
    ],
  ),
  [
    'pg_control is cut short',
    () => {
      putCluster();
      put('postgres/cluster/global/pg_control', 'short');
    },
    'postgres/cluster/global/pg_control',
    /is cut short.*restore a backup/,
  ],
];

describe('a damaged data folder is refused in one line that names the path, and nothing in it is changed', () => {
  test.each(damages)('%s', async (_what, damage, path, what) => {
    damage();
    const before = contents();
    const refusal = await startEmbeddedPostgres({ dataDir: root, log: silent }).catch((error) => error);
    expect(refusal).toBeInstanceOf(EmbeddedPostgresError);
    expect(refusal.message).toContain(join(root, path));
    expect(refusal.message).toMatch(what);
    expect(refusal.message).not.toContain('\n');
    expect(contents()).toEqual(before);
    if (existsSync(join(root, 'lock')) && lstatSync(join(root, 'lock')).isDirectory()) {
      expect(readdirSync(join(root, 'lock'))).toEqual([]);
    }
  });

  test('a data folder that is a link to nowhere', async () => {
    const link = join(root, 'data');
    symlinkSync('/nonexistent/data', link);
    const refusal = await startEmbeddedPostgres({ dataDir: link, log: silent }).catch((error) => error);
    expect(refusal.message).toMatch(/data is a symbolic link to \/nonexistent\/data, which is not there/);
    expect(refusal.message).not.toContain('\n');
  });
});
