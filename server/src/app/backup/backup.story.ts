import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { administratorOf, dataOf, makeChannel, makePaid, makePayment } from '../../../tests/support/factories.ts';
import { databaseFromTemplate, type TestDatabase } from '../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin, urlOf } from '../../../tests/support/service/florin.ts';
import { chainAuditEntries } from '../../domains/identity/audit/chain.ts';
import { freshKeyring } from '../../platform/crypto/keyring.ts';
import { readSettings } from '../config/settings.ts';
import { run as backup } from './backup.ts';
import type { Manifest } from './manifest.ts';
import { removeProven } from './partial-folder.ts';
import { run as restore } from './restore.ts';

let db: TestDatabase;
let florin: TestFlorin;
let admin: string;
let folder: string;
let keys: string;
/** The proven backup that the tests restore. */
let made: string;
let channelId: number;
let acknowledged: string[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'florin-backup-'));
  db = await databaseFromTemplate();
  keys = freshKeyring();
  florin = await florinOn(db, { APP_ENCRYPTION_KEYS: keys });
  admin = await administratorOf(florin);
  channelId = await makeChannel(florin, admin, { provider: 'sandbox', apiSecret: 'a secret of a provider' });
  const byHand = await makeChannel(florin, admin);
  await makePaid(florin, admin, byHand, { description: 'tab\t, line\n, backslash \\ and \u00fc\u4e2d' });
  await chainAuditEntries(db.database);

  acknowledged = [await makePayment(florin, admin, channelId)];
  let isWriting = true;
  const before = acknowledged.length;
  const writer = (async () => {
    while (isWriting && acknowledged.length < 60) acknowledged.push(await makePayment(florin, admin, channelId));
  })();
  const { code, lines } = await outcomeOf(backup, [join(folder, 'backups'), '--json']);
  isWriting = false;
  await writer;
  expect(lines.at(-1)).toContain('"broken":[]');
  expect(code).toBe(0);
  expect(acknowledged.length).toBeGreaterThan(before + 5);
  made = JSON.parse(lines.find((line) => line.startsWith('{')) as string).folder;
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
  await rm(folder, { recursive: true, force: true });
});

/** Runs a command with settings as in the environment; both of its outputs. */
async function outcomeOf(
  command: typeof backup,
  words: string[],
  environment: Record<string, string> = {},
): Promise<{ code: number; lines: string[] }> {
  const lines: string[] = [];
  const settings = readSettings(
    {
      APP_DATA_DIR: florin.dataDir,
      APP_DATABASE_URL: urlOf(db.connection),
      APP_DEPLOYMENT_MODE: 'STANDALONE',
      APP_ENCRYPTION_KEYS: keys,
      ...environment,
    },
    undefined,
  );
  const add = (line: string) => lines.push(line);
  return { code: await command(words, { settings, print: add, note: add }), lines };
}

const manifestOf = async (backupFolder: string) =>
  JSON.parse(await readFile(join(backupFolder, 'manifest.json'), 'utf8')) as Manifest;

test('a backup under load is proven, complete and readable only by its owner', async () => {
  expect(await readdir(join(folder, 'backups'))).toEqual([made.slice(join(folder, 'backups/').length)]);
  const manifest = await manifestOf(made);
  expect(manifest.broken).toEqual([]);
  expect(manifest.auditHeads.length).toBeGreaterThan(0);
  expect(manifest.encryptionKeys).toEqual([{ id: keys.split(':')[0], neededFor: 'channels: 1' }]);
  expect(manifest.tables.find(({ name }) => name === 'transaction')?.rows).toBeGreaterThan(1);
  for (const { path } of manifest.files) expect((await stat(join(made, path))).mode & 0o077, path).toBe(0);
  expect(manifest.files.map(({ path }) => path)).toContain('encryption-keys');
  expect(await readFile(join(made, 'encryption-keys'), 'utf8')).toBe(`${keys}\n`);
});

test('a proven backup is in the audit log of the platform', async () => {
  const entries = dataOf(await florin.get('/api/audit/list?action=backup.create&tenantId=0', admin));
  expect(entries).toMatchObject([{ by: 'system', recordType: 'backup', recordId: basename(made) }]);
});

test('older proven backups are removed, never the last one nor anything else', async () => {
  const dir = join(folder, 'kept');
  await mkdir(dir);
  const old = ['florin-2026-01-01T00-00-00Z', 'florin-2026-01-02T00-00-00Z'];
  for (const name of old) await cp(made, join(dir, name), { recursive: true });
  // Not proven, not whole, and not a backup.
  await cp(made, join(dir, 'florin-2026-01-03T00-00-00Z.unproven'), { recursive: true });
  await cp(made, join(dir, 'florin-2026-01-04T00-00-00Z'), { recursive: true });
  await writeFile(join(dir, 'florin-2026-01-04T00-00-00Z', 'manifest.json'), '{}');
  await mkdir(join(dir, 'florin-2026-01-05T00-00-00Z'));
  const others = ['.unproven', '', ''].map((ending, i) => `florin-2026-01-0${i + 3}T00-00-00Z${ending}`);

  expect(await removeProven(dir, 1)).toEqual([join(dir, old[0] as string)]);
  expect((await readdir(dir)).sort()).toEqual([old[1], ...others].sort());
  expect(await removeProven(dir, 0)).toEqual([]);

  const { code, lines } = await outcomeOf(backup, [dir, '--keep', '1']);
  expect(code).toBe(0);
  expect(lines).toContain(`Removed ${join(dir, old[1] as string)}`);
  const left = await readdir(dir);
  expect(left).toHaveLength(4);
  expect(left).toEqual(expect.arrayContaining(others));

  expect((await outcomeOf(backup, [dir, '--keep', '0'])).code).toBe(2);
  expect(await readdir(dir)).toHaveLength(4);
});

describe('a restored backup', () => {
  let empty: TestDatabase;
  beforeAll(async () => {
    empty = await databaseFromTemplate('template0');
  });
  afterAll(() => empty.drop());

  test('serves every payment acknowledged before it began, opens its secrets, and continues its numbers', async () => {
    const { code, lines } = await outcomeOf(restore, [made], { APP_DATABASE_URL: urlOf(empty.connection) });
    expect(lines.join('\n')).toContain('verified');
    expect(code).toBe(0);
    const indexes = `select tablename, indexdef from pg_indexes where schemaname = 'public' order by indexdef`;
    expect(await empty.query(indexes)).toEqual(await db.query(indexes));
    const restored = await florinOn(empty, { APP_ENCRYPTION_KEYS: keys, APP_ROLE: 'api' });
    try {
      const as = await administratorOf(restored);
      const path = `/api/transaction/detail?id=${acknowledged[0]}`;
      expect(dataOf(await restored.get(path, as)).id).toBe(acknowledged[0]);
      await makePayment(restored, as, await makeChannel(restored, as));
    } finally {
      await restored.stop();
    }
    const again = await outcomeOf(restore, [made], { APP_DATABASE_URL: urlOf(empty.connection) });
    expect(again.lines.join()).toMatch(/in use: it has accounts/);
    expect(again.code).toBe(1);
  });
});

describe('a restore is refused before anything is written', () => {
  /** What is done to a copy of the backup, and what the refusal says. */
  const damages: [string, (copy: string) => Promise<unknown>, RegExp][] = [
    ['a flipped byte in a table', (copy) => flip(join(copy, 'tables/transaction.copy.gz')), /transaction.*was changed/],
    ['a flipped byte in the manifest', (copy) => flip(join(copy, 'manifest.json')), /manifest.json was changed/],
    ['a flipped byte in its checksum', (copy) => flip(join(copy, 'manifest.sha256')), /manifest.json was changed/],
    ['a flipped byte in the keys', (copy) => flip(join(copy, 'encryption-keys')), /encryption-keys was changed/],
    ['a missing table', (copy) => rm(join(copy, 'tables/refund.copy.gz')), /refund.copy.gz is missing/],
    ['missing keys', (copy) => rm(join(copy, 'encryption-keys')), /encryption-keys is missing/],
    ['a missing manifest', (copy) => rm(join(copy, 'manifest.json')), /is no backup/],
    ['a file more', (copy) => writeFile(join(copy, 'tables/x'), ''), /tables\/x is not part of it/],
    [
      'a newer version',
      (copy) => rewrite(copy, (manifest) => manifest.migrations.push('9999_newer')),
      /newer than this .*9999_newer is unknown/,
    ],
    ['broken claims', (copy) => rewrite(copy, ({ broken }) => broken.push('x')), /breaks a claim \(x\)/],
  ];

  test.each(damages)('%s', async (_what, damage, refusal) => {
    const copy = join(folder, 'damaged');
    await cp(made, copy, { recursive: true });
    try {
      await damage(copy);
      const dataDir = join(folder, 'never');
      const { code, lines } = await outcomeOf(restore, [copy, '--data-dir', dataDir]);
      expect(lines.join()).toMatch(refusal);
      expect(code).toBe(1);
      expect(await readdir(folder)).not.toContain('never');
    } finally {
      await rm(copy, { recursive: true });
    }
  });

  test('a data folder that is not empty', async () => {
    const { code, lines } = await outcomeOf(restore, [made, '--data-dir', florin.dataDir]);
    expect(lines.join()).toMatch(/is not empty \(it has .*jwt-keys/);
    expect(code).toBe(1);
  });

  test('keys in the settings that do not open the stored secrets', async () => {
    const { code, lines } = await outcomeOf(restore, [made, '--data-dir', join(folder, 'never')], {
      APP_ENCRYPTION_KEYS: freshKeyring(),
    });
    expect(lines.join()).toMatch(/key .* is missing in app\.encryption\.keys/);
    expect(code).toBe(1);
  });

  async function flip(file: string): Promise<void> {
    const bytes = await readFile(file);
    const at = bytes.length >> 1;
    bytes[at] = (bytes[at] as number) ^ 1;
    await writeFile(file, bytes);
  }
});

test('restore --verify reports whether a backup can be restored, and leaves nothing behind', async () => {
  const copy = join(folder, 'tried');
  await cp(made, copy, { recursive: true });
  const before = (await readdir(tmpdir())).filter((name) => name.startsWith('florin-restore-'));
  const { code, lines } = await outcomeOf(restore, [copy, '--verify', '--json']);
  expect(JSON.parse(lines.at(-1) as string)).toMatchObject({ into: null, broken: [], next: [] });
  expect(code).toBe(0);
  expect((await readdir(tmpdir())).filter((name) => name.startsWith('florin-restore-'))).toEqual(before);
  const both = await outcomeOf(restore, [copy, '--verify', '--data-dir', join(folder, 'never')]);
  expect(both).toEqual({ code: 1, lines: [expect.stringContaining('leave out --data-dir')] });
});

test('a restore that loads other rows than were copied fails, and leaves the database empty', async () => {
  const copy = join(folder, 'other');
  await cp(made, copy, { recursive: true });
  await rewrite(copy, ({ tables }) => {
    const table = tables.find(({ name }) => name === 'transaction');
    if (table !== undefined) table.digest = '0'.repeat(64);
  });
  const empty = await databaseFromTemplate('template0');
  try {
    const { code, lines } = await outcomeOf(restore, [copy], { APP_DATABASE_URL: urlOf(empty.connection) });
    expect(lines.join()).toMatch(/table transaction does not contain after the restore what was copied/);
    expect(code).toBe(1);
    expect(await empty.query('select 1 from app_user')).toEqual([]);
  } finally {
    await empty.drop();
  }
});

test('a folder that cannot be created is refused in one line', async () => {
  const { code, lines } = await outcomeOf(backup, ['/proc/backups']);
  expect(lines).toEqual([expect.stringMatching(/^Florin cannot back up: ENOENT.*\/proc\/backups/)]);
  expect(code).toBe(1);
});

test('wrong arguments end with 2', async () => {
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(() => {
    vi.restoreAllMocks();
  });
  expect(await backup([])).toBe(2);
  expect(await backup(['a', 'b'])).toBe(2);
  expect(await restore(['a', '--force'])).toBe(2);
});

async function rewrite(copy: string, change: (manifest: Manifest) => unknown): Promise<void> {
  const manifest = await manifestOf(copy);
  change(manifest);
  const text = JSON.stringify(manifest);
  await writeFile(join(copy, 'manifest.json'), text);
  const sha256 = createHash('sha256').update(text).digest('hex');
  await writeFile(join(copy, 'manifest.sha256'), `${sha256}  manifest.json\n`);
}
