import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkFiles, type Manifest } from './manifest.ts';
import { requireUnusedFolder } from './restore-folder.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'florin-folders-'));
});

afterEach(() => rm(folder, { recursive: true }));

test('a backup on a volume or from a desktop is not damaged by what the system has put there', async () => {
  const manifest = { files: [] } as unknown as Manifest;
  await mkdir(join(folder, 'lost+found'));
  await writeFile(join(folder, 'lost+found', '#1234'), '');
  await mkdir(join(folder, 'tables'));
  await writeFile(join(folder, 'tables', '.DS_Store'), '');
  await writeFile(join(folder, '._manifest.json'), '');
  await checkFiles(folder, manifest);
  await writeFile(join(folder, 'tables', 'unknown'), '');
  await expect(checkFiles(folder, manifest)).rejects.toThrow('tables/unknown is not part of it');
});

test('the root of an empty volume is an unused data folder', async () => {
  await mkdir(join(folder, 'lost+found'));
  await requireUnusedFolder(folder, '/nowhere');
  await writeFile(join(folder, 'jwt-keys'), '');
  await expect(requireUnusedFolder(folder, '/nowhere')).rejects.toThrow('it has jwt-keys');
});
