import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../../../tests/support/postgres/database.ts';
import { systemClock } from '../../../core/clock.ts';
import { type FlorinPostgres, startFlorinPostgres } from '../../../platform/postgres/embedded/florin-postgres.ts';
import { openLog } from '../../../platform/process/log.ts';
import { openSession, type Session } from '../session.ts';
import { ArchiveFolder } from './archive-folder.ts';
import { archiveSlot, stopKeepingWal } from './archive-wal.ts';
import { Archiver } from './archiver.ts';
import { historyName, segmentName } from './wal-names.ts';

/** The archiver on a PostgreSQL of its own, with short pauses. */
let folder: string;
let postgres: FlorinPostgres;
let session: Session;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'florin-archiver-'));
  postgres = await startFlorinPostgres({ dataDir: join(folder, 'data'), log: openLog('silent') });
  session = await openSession({ ...postgres.superuser, ssl: false }, 'test');
  await session.client.query('create table written (at timestamptz not null default clock_timestamp())');
});

afterAll(async () => {
  await session.close();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
});

const write = async () => {
  await session.client.query('insert into written default values');
};

async function emptyArchive(name: string): Promise<string> {
  await session.client.query(`select pg_drop_replication_slot(slot_name) from pg_replication_slots
                               where slot_name = '${archiveSlot}'`);
  const path = join(folder, name);
  await mkdir(path);
  return path;
}

interface Line {
  level: 'info' | 'warn' | 'error';
  facts: Record<string, unknown>;
  message: string;
}

function startArchiver(path: string) {
  const lines: Line[] = [];
  const add = (level: Line['level']) => (facts: object, message: string) => {
    lines.push({ level, facts: facts as Record<string, unknown>, message });
  };
  const gaps: number[] = [];
  const archiver = new Archiver({
    superuser: { ...postgres.superuser, ssl: false },
    cluster: join(folder, 'data', 'postgres', 'cluster'),
    folder: path,
    clock: systemClock,
    log: { ...openLog('silent'), info: add('info'), warn: add('warn'), error: add('error') } as never,
    onGap: () => gaps.push(lines.length),
    lookEveryMs: 20,
    completeAfterMs: 100,
  });
  archiver.start();
  onTestFinished(() => archiver.stop());
  return { archiver, lines, gaps };
}

/** Until what was written before is archived. */
async function covered(archiver: Archiver): Promise<void> {
  const before = Date.now();
  await eventually('all is archived', () => (archiver.coveredUntilMs ?? 0) > before);
}

test('what is written is archived without gaps, and PostgreSQL keeps no more than what is not archived', async () => {
  const path = await emptyArchive('usual');
  const { archiver, lines } = startArchiver(path);
  for (let i = 0; i < 3; i++) {
    await write();
    await covered(archiver);
  }
  const archive = await ArchiveFolder.open(path);
  const numbers = (await archive.segments()).map(({ number }) => number).sort((a, b) => a - b);
  expect(numbers).toEqual(numbers.map((_, i) => (numbers[0] as number) + i));
  expect(numbers.length).toBeGreaterThanOrEqual(3);
  expect((await archive.coverage())?.nextSegment).toBeGreaterThanOrEqual((numbers.at(-1) as number) + 1);
  const { rows } = await session.client.query<{ kept: number }>(
    `select pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)::int as kept
       from pg_replication_slots where slot_name = '${archiveSlot}'`,
  );
  expect(rows[0]?.kept).toBeLessThanOrEqual(2 * archive.identity.segmentBytes);
  expect(lines).toEqual([]);
});

test('while the folder is away, writes go on and one line is logged; then the archive is whole again', async () => {
  const path = await emptyArchive('away');
  const { archiver, lines } = startArchiver(path);
  await covered(archiver);
  await rename(path, `${path}-elsewhere`);
  await eventually('a failure', () => archiver.failure?.includes('does not exist: mount its disk'));
  for (let i = 0; i < 3; i++) await write();
  // As the folder below a disk that is not mounted.
  await mkdir(path);
  await eventually('another', () => archiver.failure?.includes('is not the archive that was begun'));
  await rm(path, { recursive: true });
  await rename(`${path}-elsewhere`, path);
  await covered(archiver);
  expect(lines.map(({ level, message }) => [level, message])).toEqual([
    ['error', expect.stringMatching(/cannot be archived; payments continue/)],
    ['info', 'The write-ahead log is archived again'],
  ]);
  const numbers = (await (await ArchiveFolder.open(path)).segments()).map(({ number }) => number).sort((a, b) => a - b);
  expect(numbers).toEqual(numbers.map((_, i) => (numbers[0] as number) + i));
});

test('a segment that another database has put under the same name is kept, and said', async () => {
  const path = await emptyArchive('taken');
  const first = startArchiver(path);
  await covered(first.archiver);
  await first.archiver.stop();
  const archive = await ArchiveFolder.open(path);
  const { nextSegment, timeline } = (await archive.coverage()) as { nextSegment: number; timeline: number };
  const name = segmentName({ timeline, number: nextSegment }, archive.identity.segmentBytes);
  await archive.add(name, Buffer.from('of another'));
  await write();
  const { archiver } = startArchiver(path);
  await eventually('the refusal', () => archiver.failure?.includes(`has another ${name}, which is kept`));
  expect((await archive.read(name)).toString()).toBe('of another');
  // What the operator does then.
  await archive.remove(name);
  await covered(archiver);
  expect((await archive.read(name)).length).toBe(archive.identity.segmentBytes);
});

test('a copy of the database does not continue what another one has archived', async () => {
  const path = await emptyArchive('copied');
  const first = startArchiver(path);
  await covered(first.archiver);
  await first.archiver.stop();
  const archive = await ArchiveFolder.open(path);
  const { nextSegment, timeline } = (await archive.coverage()) as { nextSegment: number; timeline: number };
  const last = segmentName({ timeline, number: nextSegment - 1 }, archive.identity.segmentBytes);
  await archive.remove(last);
  await archive.add(last, Buffer.from('of the other copy'));
  // A copy has no slot.
  await session.client.query(`select pg_drop_replication_slot('${archiveSlot}')`);
  const copy = startArchiver(path);
  await eventually('the refusal', () => copy.archiver.failure?.includes(`has another ${last}`));
  await copy.archiver.stop();
  await archive.add(historyName(timeline + 1), Buffer.from('1\t0/2000028\tbefore 2026-11-28\n'));
  const former = startArchiver(path);
  await eventually('the refusal', () =>
    former.archiver.failure?.includes('is continued by a database that was restored'),
  );
  await former.archiver.stop();
  expect((await archive.segments()).map(({ number }) => number)).not.toContain(nextSegment + 1);
});

test('log that was removed before it was archived is a gap, of which the operator is told', async () => {
  const path = await emptyArchive('gap');
  const first = startArchiver(path);
  await covered(first.archiver);
  await first.archiver.stop();
  await stopKeepingWal(session);
  await write();
  const { rows } = await session.client.query<{ name: string }>('select pg_walfile_name(pg_current_wal_lsn()) as name');
  await session.client.query('select pg_switch_wal()');
  await write();
  await session.client.query('checkpoint');
  // PostgreSQL does so itself, unless it is just making its reserve of segments.
  const wal = join(folder, 'data', 'postgres', 'cluster', 'pg_wal');
  const removed = rows[0]?.name as string;
  await rm(join(wal, removed), { force: true });
  const { archiver, lines, gaps } = startArchiver(path);
  await covered(archiver);
  expect(gaps.length).toBeGreaterThan(0);
  // The first one that is missing: the checkpoint may have removed those before it.
  const segment = lines[0]?.facts.segment as string;
  expect(segment <= removed).toBe(true);
  expect(await readdir(wal)).not.toContain(segment);
  expect(lines[0]?.message).toMatch(/was removed before it was archived/);
});

const disk = join(tmpdir(), `florin-archive-disk-${process.pid}`);
const mount = (...words: string[]) => execFileSync('mount', words, { stdio: 'ignore' });

async function canMount(): Promise<boolean> {
  try {
    await mkdir(disk, { recursive: true });
    mount('-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', disk);
    return true;
  } catch {
    return false;
  }
}

test('while its disk is full nothing half-written is in the archive, and writes go on', async ({ skip }) => {
  skip(!(await canMount()), 'needs the right to mount a disk');
  onTestFinished(async () => {
    execFileSync('umount', [disk]);
    await rm(disk, { recursive: true });
  });
  await emptyArchive('unused');
  const { archiver, lines } = startArchiver(disk);
  await eventually('the disk is full', async () => {
    for (let i = 0; i < 10; i++) await write();
    return archiver.failure?.includes('ENOSPC');
  });
  const archive = await ArchiveFolder.open(disk);
  for (const segment of await archive.segments()) {
    const name = segmentName(segment, archive.identity.segmentBytes);
    expect((await archive.read(name)).length).toBe(archive.identity.segmentBytes);
  }
  await write();
  mount('-o', 'remount,size=64m', disk);
  await covered(archiver);
  expect(lines.map(({ level }) => level)).toEqual(['error', 'info']);
});
