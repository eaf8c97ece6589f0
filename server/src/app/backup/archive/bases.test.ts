import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ArchiveFolder } from './archive-folder.ts';
import { removeOldBases } from './base-backup.ts';
import { type BaseManifest, basesIn, writeBaseManifest } from './base-manifest.ts';
import { logAfter } from './replay.ts';
import { historyName, segmentName } from './wal-names.ts';

const segmentBytes = 16 * 1024 * 1024;
const name = (number: number, timeline = 1) => segmentName({ timeline, number }, segmentBytes);
const at = (segment: number, offset = '000028') => `0/${segment.toString(16).toUpperCase()}${offset}`;

let folder: string;
let archive: ArchiveFolder;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'florin-bases-'));
  const identity = { format: 1, systemIdentifier: '1', segmentBytes, postgres: '18' } as const;
  archive = await ArchiveFolder.openFor(identity, folder, true);
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** A base backup of a day of January, which needs the log from a segment on. */
async function makeBase(
  day: number,
  segment: number,
  changes: Partial<BaseManifest> = {},
  ending = '',
): Promise<string> {
  const path = `florin-2026-01-0${day}T03-15-00Z${ending}`;
  await mkdir(join(folder, path));
  await writeBaseManifest(join(folder, path), {
    format: 1,
    florin: '1.0.0',
    postgres: '18',
    timeline: 1,
    startLsn: at(segment),
    stopLsn: at(segment, '000150'),
    takenAt: `2026-01-0${day}T03:15:09.000Z`,
    files: [],
    folders: [],
    auditHeads: [],
    encryptionKeys: [],
    broken: [],
    ...changes,
  });
  return path;
}

async function addSegments(from: number, to: number, timeline = 1): Promise<void> {
  for (let number = from; number <= to; number++) await archive.add(name(number, timeline), Buffer.from('log'));
}

const numbersLeft = async () => (await archive.segments()).map(({ number }) => number).sort((a, b) => a - b);
const basesLeft = async () => (await readdir(folder)).filter((entry) => entry.startsWith('florin-')).sort();

describe('what is removed', () => {
  test('log goes only with the base backups that needed it, and nothing goes without a newer proven one', async () => {
    await addSegments(1, 8);
    const [first, second, third] = [await makeBase(1, 2), await makeBase(2, 4), await makeBase(3, 6)];
    expect(await removeOldBases(archive, Number.POSITIVE_INFINITY)).toEqual([]);
    expect(await numbersLeft()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    // Also what a killed removal has left.
    expect(await removeOldBases(archive, 3)).toEqual(['1 segment of the write-ahead log']);
    expect(await removeOldBases(archive, 2)).toEqual([join(folder, first), '2 segments of the write-ahead log']);
    expect(await numbersLeft()).toEqual([4, 5, 6, 7, 8]);
    expect(await basesLeft()).toEqual([second, third]);
    await removeOldBases(archive, 1);
    expect(await numbersLeft()).toEqual([6, 7, 8]);
    expect(await removeOldBases(archive, 0)).toEqual([]);
    expect(await basesLeft()).toEqual([third]);
  });

  test('an unproven base backup does not take the place of a proven one', async () => {
    await addSegments(1, 8);
    const proven = await makeBase(1, 2);
    const unproven = await makeBase(2, 4, { broken: ['a claim: a row'] }, '.unproven');
    await removeOldBases(archive, 1);
    expect(await basesLeft()).toEqual([proven, unproven]);
    expect(await numbersLeft()).toEqual([2, 3, 4, 5, 6, 7, 8]);
  });
});

describe('the log that is replayed', () => {
  const onlyBase = async () => {
    const [base] = await basesIn(folder, () => {});
    if (base === undefined) throw new Error('There is no base backup.');
    return base;
  };

  test('it begins where the base backup began, and ends before a gap, which is named', async () => {
    await addSegments(1, 4);
    await addSegments(6, 7);
    await makeBase(1, 2);
    expect(await logAfter(archive, await onlyBase())).toEqual({
      timeline: 1,
      names: [name(2), name(3), name(4)],
      missing: name(5),
    });
  });

  test('it follows a restored database on its own timeline, from the segment in which it began', async () => {
    await addSegments(1, 6);
    await archive.add(historyName(2), Buffer.from(`1\t${at(4, '001000')}\tbefore 2026-01-02\n`));
    await addSegments(4, 7, 2);
    await makeBase(1, 2);
    expect(await logAfter(archive, await onlyBase())).toEqual({
      timeline: 2,
      names: [historyName(2), name(2), name(3), name(4, 2), name(5, 2), name(6, 2), name(7, 2)],
      missing: undefined,
    });
  });

  test('a base backup of what was undone stays on its own timeline', async () => {
    await addSegments(1, 6);
    await archive.add(historyName(2), Buffer.from(`1\t${at(3, '001000')}\tbefore 2026-01-02\n`));
    await addSegments(3, 5, 2);
    await makeBase(1, 5);
    expect(await logAfter(archive, await onlyBase())).toEqual({
      timeline: 1,
      names: [name(5), name(6)],
      missing: undefined,
    });
  });

  test('of three timelines, each segment is taken from the newest that had begun by then', async () => {
    await addSegments(1, 5);
    await addSegments(3, 6, 2);
    await addSegments(5, 8, 3);
    await archive.add(historyName(2), Buffer.from(`1\t${at(3)}\tx\n`));
    await archive.add(historyName(3), Buffer.from(`1\t${at(3)}\tx\n\n2\t${at(5)}\tx\n`));
    await makeBase(1, 1);
    const { timeline, names } = await logAfter(archive, await onlyBase());
    expect(timeline).toBe(3);
    expect(names.slice(2)).toEqual(
      [1, 2]
        .map((n) => name(n))
        .concat(
          [3, 4].map((n) => name(n, 2)),
          [5, 6, 7, 8].map((n) => name(n, 3)),
        ),
    );
  });
});

test('a base backup whose manifest was changed is left out, and named', async () => {
  const path = join(folder, await makeBase(1, 2));
  await rm(join(path, 'base.sha256'));
  const damaged: string[] = [];
  expect(await basesIn(folder, (one) => damaged.push(one))).toEqual([]);
  expect(damaged).toEqual([path]);
});
