import { spawn } from 'node:child_process';
import { readlinkSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listProcesses } from '@florin/embedded-postgres/parts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { administratorOf, makeChannel, makePaid } from '../../../tests/support/factories.ts';
import { databaseAt } from '../../../tests/support/postgres/database.ts';
import { administratorPassword } from '../../../tests/support/service/florin.ts';
import { type ReadyService, startService } from '../../../tests/support/service/service-process.ts';
import { verified } from '../../../tests/support/service/verified.ts';
import { findRunningFlorin } from '../../platform/postgres/embedded/florin-postgres.ts';
import { checkFiles, readManifest } from './manifest.ts';

/** The steps of a backup, in order, and whether it is complete when it is killed there. */
const steps = [
  ['backup_started', false],
  ['backup_scratch', false],
  ['backup_copying:7', false],
  ['backup_copied', false],
  ['backup_loaded', false],
  ['backup_proven', false],
  ['backup_written', false],
  ['backup_renamed', true],
] as const;

let folder: string;
let dataDir: string;
let backups: string;
let service: ReadyService;
let admin: string;
let channelId: number;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'florin-backup-kills-'));
  dataDir = join(folder, 'data');
  backups = join(folder, 'backups');
  service = await startService({
    environment: {
      PORT: '0',
      APP_DATA_DIR: dataDir,
      APP_ADMIN_PASSWORD: administratorPassword,
      APP_LOG_LEVEL: 'warn',
    },
  });
  admin = await administratorOf(service);
  channelId = await makeChannel(service, admin);
  for (let i = 0; i < 50; i++) await makePaid(service, admin, channelId);
});

afterAll(async () => {
  await service.end('SIGTERM');
  await rm(folder, { recursive: true });
});

async function command(
  name: 'backup' | 'restore',
  words: string[],
  environment: Record<string, string> = {},
): Promise<{ code: number | null; signal: string | null; output: string }> {
  const script = fileURLToPath(new URL(`../${name}.ts`, import.meta.url));
  const { PATH = '', HOME = '/' } = process.env;
  const child = spawn(process.execPath, [script, ...words], {
    env: { PATH, HOME, APP_DATA_DIR: dataDir, ...environment },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk;
    });
  return new Promise((resolve) => child.on('close', (code, signal) => resolve({ code, signal, output })));
}

/** Database servers that run in a folder. Their working directory is their data. */
const serversBelow = (path: string) => listProcesses().filter(({ pid }) => workingFolderOf(pid).startsWith(path));

function workingFolderOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}

test.each(steps)(
  'killed at %s, a backup is a proven one or none, and the next one is whole',
  async (step, isComplete) => {
    const before: string[] = await readdir(backups).catch(() => []);
    const killed = await command('backup', [backups], { APP_DRILL_FAIL_POINT: step });
    expect(killed.signal, killed.output).toBe('SIGKILL');
    const added = (await readdir(backups)).filter((name) => !before.includes(name));
    expect(added).toHaveLength(1);
    expect(added[0]?.endsWith('.partial')).toBe(!isComplete);
    if (isComplete) {
      const backup = join(backups, added[0] as string);
      const manifest = await readManifest(backup);
      await checkFiles(backup, manifest);
      expect(manifest.broken).toEqual([]);
    } else {
      const refused = await command('restore', [
        join(backups, added[0] as string),
        '--data-dir',
        join(folder, 'never'),
      ]);
      expect(refused.code, refused.output).toBe(1);
    }

    await makePaid(service, admin, channelId);
    const next = await command('backup', [backups]);
    expect(next.code, next.output).toBe(0);
    expect((await readdir(backups)).filter((name) => name.endsWith('.partial'))).toEqual([]);
    expect(serversBelow(backups)).toEqual([]);
  },
);

test.each(['restore_loaded', 'restore_completed'])(
  'killed at %s, a restore can be repeated or is whole',
  async (step) => {
    const [newest = ''] = (await readdir(backups)).toSorted().toReversed();
    const target = join(folder, step);
    const killed = await command('restore', [join(backups, newest), '--data-dir', target], {
      APP_DRILL_FAIL_POINT: step,
    });
    expect(killed.signal, killed.output).toBe('SIGKILL');
    if (step !== 'restore_completed') {
      const again = await command('restore', [join(backups, newest), '--data-dir', target]);
      expect(again.code, again.output).toBe(0);
    }
    // With the keys of the backup, in the folder.
    expect(await verified(target)).toEqual({ code: 0, broken: [] });
    expect(await readdir(target)).toEqual(expect.arrayContaining(['encryption-keys', 'jwt-keys', 'postgres']));
    expect(await readdir(target)).not.toContain('restoring');
  },
);

test('a database that breaks a claim is copied, but not as a proven backup', async () => {
  const connection = await findRunningFlorin(dataDir);
  const db = databaseAt({ ...connection, ssl: false });
  await db.query(
    `update event set body = replace(body, '1999', '1998'), digest = null where type = 'transaction.succeeded'`,
  );
  await db.drop();
  const { code, output } = await command('backup', [backups]);
  expect(code, output).toBe(1);
  const folderOfCopy = /backup {2}(\S+\.unproven)/.exec(output)?.[1] as string;
  const refused = await command('restore', [folderOfCopy, '--data-dir', join(folder, 'unproven')]);
  expect(refused.output).toMatch(/breaks a claim/);
  const forced = await command('restore', [folderOfCopy, '--unproven', '--data-dir', join(folder, 'unproven')]);
  expect(forced.output).toMatch(/BROKEN/);
  expect(forced.code).toBe(1);
});
