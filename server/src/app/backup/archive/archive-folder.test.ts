import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ArchiveFolder, type ArchiveIdentity, isArchive } from './archive-folder.ts';

const identity: ArchiveIdentity = {
  format: 1,
  systemIdentifier: '7400000000000000001',
  segmentBytes: 16 * 1024 * 1024,
  postgres: '18',
};
const name = '000000010000000000000001';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'florin-archive-folder-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

test('a file is whole under its name, may be added again, and is never replaced by another', async () => {
  const archive = await ArchiveFolder.openFor(identity, folder, true);
  await archive.add(name, Buffer.from('what was written'));
  const written = await readFile(archive.fileOf(name));
  await archive.add(name, Buffer.from('what was written'));
  await expect(archive.add(name, Buffer.from('something else'))).rejects.toThrow(
    /has another 000000010000000000000001/,
  );
  expect(await readFile(archive.fileOf(name))).toEqual(written);
  expect((await archive.read(name)).toString()).toBe('what was written');
  expect(await readdir(join(folder, 'wal'))).toEqual([`${name}.gz`]);
});

test('what a killed process left behind under another name is no segment, and does not hinder', async () => {
  const archive = await ArchiveFolder.openFor(identity, folder, true);
  await writeFile(join(folder, 'wal', `.${name}.${process.pid}.tmp`), 'half of');
  expect(await archive.segments()).toEqual([]);
  await archive.add(name, Buffer.from('all of it'));
  expect(await archive.segments()).toEqual([{ timeline: 1, number: 1 }]);
});

test('the archive of another database is refused', async () => {
  await ArchiveFolder.openFor(identity, folder, true);
  const other = { ...identity, systemIdentifier: '7400000000000000002' };
  await expect(ArchiveFolder.openFor(other, folder, true)).rejects.toThrow(
    `${folder} is the archive of another database (its system identifier is 7400000000000000001, ` +
      'not 7400000000000000002): use another folder.',
  );
});

test('a folder that is missing is not made, and one with something else is not used', async () => {
  const missing = join(folder, 'not', 'mounted');
  await expect(ArchiveFolder.openFor(identity, missing, true)).rejects.toThrow(/does not exist: mount its disk/);
  await writeFile(join(folder, 'letters.txt'), '');
  await expect(ArchiveFolder.openFor(identity, folder, true)).rejects.toThrow(
    /contains something else \(letters.txt\)/,
  );
  expect(await isArchive(folder)).toBe(false);
});

test('an empty folder is not used in the place of an archive that was begun', async () => {
  await mkdir(join(folder, 'lost+found'));
  await expect(ArchiveFolder.openFor(identity, folder, false)).rejects.toThrow(/is not the archive that was begun/);
  await ArchiveFolder.openFor(identity, folder, true);
  expect(await isArchive(folder)).toBe(true);
  await ArchiveFolder.openFor(identity, folder, false);
});
