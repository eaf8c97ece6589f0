import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { administratorOf, dataOf, makeChannel, makePaid } from '../../../../tests/support/factories.ts';
import { administratorPassword } from '../../../../tests/support/service/florin.ts';
import { runProgram } from '../../../../tests/support/service/run-program.ts';
import { type ReadyService, startService } from '../../../../tests/support/service/service-process.ts';
import { verified } from '../../../../tests/support/service/verified.ts';
import { uuidOfPublicId } from '../../../core/id.ts';
import { findRunningFlorin, florinNames } from '../../../platform/postgres/embedded/florin-postgres.ts';
import { openSession, type Session } from '../session.ts';

/** The archive of the write-ahead log, as an operator uses it: the service and the commands are processes. */
let folder: string;
let dataDir: string;
let archive: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'florin-archive-'));
  dataDir = join(folder, 'data');
  archive = join(folder, 'archive');
  await mkdir(archive);
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function serviceOn(dir: string, environment: Record<string, string> = {}): Promise<ReadyService> {
  const service = await startService({
    environment: {
      PORT: '0',
      APP_DATA_DIR: dir,
      APP_ADMIN_PASSWORD: administratorPassword,
      APP_BACKUP_ARCHIVE: archive,
      APP_LOG_LEVEL: 'warn',
      ...environment,
    },
  });
  onTestFinished(async () => {
    await service.end('SIGTERM');
  });
  return service;
}

async function command(name: 'backup' | 'restore', words: string[], environment: Record<string, string> = {}) {
  const script = fileURLToPath(new URL(`../../${name}.ts`, import.meta.url));
  const { code, stdout, stderr } = await runProgram(process.execPath, [script, ...words], {
    cwd: folder,
    environment: { APP_DATA_DIR: dataDir, APP_BACKUP_ARCHIVE: archive, ...environment },
  });
  return { code, stdout, output: stdout + stderr };
}

async function superuserOf(dir: string): Promise<Session> {
  const running = await findRunningFlorin(dir);
  if (running === undefined) throw new Error(`No PostgreSQL runs on ${dir}.`);
  return openSession({ ...running, user: florinNames.superuser, ssl: false }, 'test');
}

/** A time of the database after everything that was answered, and before what follows. */
async function betweenNowAndThen(session: Session): Promise<string> {
  const { rows } = await session.client.query<{ at: string }>(
    `select to_char(clock_timestamp() + interval '2 ms', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at`,
  );
  await session.client.query('select pg_sleep(0.01)');
  return rows[0]?.at as string;
}

test('after rows were deleted, the state of the second before is restored, and what came after is listed', async () => {
  const service = await serviceOn(dataDir);
  const admin = await administratorOf(service);
  const channelId = await makeChannel(service, admin);
  const beforeBase = await makePaid(service, admin, channelId);
  const backup = await command('backup', [archive]);
  expect(backup.output).toMatch(/^proven/m);
  expect(backup.code).toBe(0);
  const { archive: health } = dataOf(await service.get('/api/system/health', admin)).database;
  expect(health).toEqual({ archivedTime: expect.any(String), failedTime: null, isFailing: false });
  const kept = [beforeBase];
  for (let i = 0; i < 5; i++) kept.push(await makePaid(service, admin, channelId));

  const session = await superuserOf(dataDir);
  const at = await betweenNowAndThen(session);
  const later = await makePaid(service, admin, channelId);
  const refund = dataOf(await service.post('/api/refund/create', { transactionId: kept[1], amount: 100 }, admin)).id;
  // As somebody who repairs something by hand.
  await session.client.query('set session_replication_role = replica');
  await session.client.query('delete from transaction where id = any ($1::uuid[])', [
    kept.slice(3).map((id) => uuidOfPublicId('txn', id)),
  ]);
  await session.close();
  await service.end('SIGTERM');

  const restored = join(folder, 'restored');
  const restore = await command('restore', [archive, '--to', at, '--data-dir', restored]);
  expect(restore.output).toMatch(/^verified/m);
  expect(restore.code, restore.output).toBe(0);
  expect(await verified(restored)).toEqual({ code: 0, broken: [] });

  const list = (await readFile(join(restored, 'later-records.csv'), 'utf8')).trim().split('\n');
  const listed = list.map((line) => line.split(',')).map(([kind, change, , id]) => [kind, change, id]);
  expect(listed).toEqual(
    expect.arrayContaining([
      ['payment', 'created', later],
      ['payment', 'changed', kept[1]],
      ['refund', 'created', refund],
      ...kept.slice(3).map((id) => ['payment', 'deleted', id]),
    ]),
  );
  expect(listed.filter(([kind]) => kind === 'payment')).toHaveLength(2 + kept.slice(3).length);

  // The restored database goes on in the same archive, and can itself be restored.
  const again = await serviceOn(restored);
  const adminAgain = await administratorOf(again);
  for (const id of kept) {
    expect((await again.get(`/api/transaction/detail?id=${id}`, adminAgain)).status).toBe(200);
  }
  expect((await again.get(`/api/transaction/detail?id=${later}`, adminAgain)).status).toBe(404);
  const afterRestore = await makePaid(again, adminAgain, channelId);
  await again.end('SIGTERM');
  const end = join(folder, 'end');
  const toEnd = await command('restore', [archive, '--data-dir', end]);
  expect(toEnd.code, toEnd.output).toBe(0);
  const last = await serviceOn(end, { APP_BACKUP_ARCHIVE: '' });
  const adminLast = await administratorOf(last);
  expect((await last.get(`/api/transaction/detail?id=${afterRestore}`, adminLast)).status).toBe(200);
  expect(await readdir(end)).not.toContain('restoring');
}, 300_000);

test('a time that the archive does not reach is refused with those that it reaches; nothing is written', async () => {
  const never = ['--data-dir', join(folder, 'never')];
  for (const [to, where] of [
    ['2020-01-01T00:00:00Z', 'before'],
    ['2999-01-01T00:00:00+01:00', 'after'],
  ] as const) {
    const refused = await command('restore', [archive, '--to', to, ...never]);
    expect(refused.output).toMatch(new RegExp(`is ${where} what is in .*: choose a time from 20\\S+Z to 20\\S+Z\\.`));
    expect(refused.code).toBe(1);
  }
  const local = await command('restore', [archive, '--to', '2026-11-28T02:00:00', ...never]);
  expect(local.output).toMatch(/--to takes a time such as/);
  expect(local.code).toBe(2);
  const elsewhere = await command('restore', [archive], {
    APP_BACKUP_ARCHIVE: '',
    DATABASE_URL: 'postgres://127.0.0.1/x',
  });
  expect(elsewhere.output).toMatch(/is restored into a data folder: name it with --data-dir/);
  expect(await readdir(folder)).not.toContain('never');
}, 180_000);

test('an archive is only extended with the settings of its service', async () => {
  const other = await command('backup', [archive], { APP_BACKUP_ARCHIVE: '' });
  expect(other.output).toMatch(/is an archive, but app.backup.archive is not set/);
  expect(other.code).toBe(1);
});

test('a base backup and a restore that are killed leave nothing that counts, and can be repeated', async () => {
  const settings = { APP_DATA_DIR: join(folder, 'restored') };
  const bases = async () => (await readdir(archive)).filter((name) => name.startsWith('florin-'));
  const before = await bases();
  for (const step of ['backup_copied', 'backup_proven']) {
    await command('backup', [archive], { ...settings, APP_DRILL_FAIL_POINT: step });
    expect((await bases()).filter((name) => !name.endsWith('.partial'))).toEqual(before);
  }
  const backup = await command('backup', [archive, '--keep', '1'], settings);
  expect(backup.code, backup.output).toBe(0);
  expect(await bases()).toHaveLength(1);
  expect(await bases()).not.toEqual(before);

  const target = join(folder, 'repeated');
  const killed = await command('restore', [archive, '--data-dir', target], {
    APP_DRILL_FAIL_POINT: 'restore_replayed',
  });
  expect(killed.code).not.toBe(0);
  const again = await command('restore', [archive, '--data-dir', target]);
  expect(again.code, again.output).toBe(0);
  expect((await readdir(target)).sort()).toEqual(['encryption-keys', 'jwt-keys', 'lock', 'postgres']);
}, 300_000);
