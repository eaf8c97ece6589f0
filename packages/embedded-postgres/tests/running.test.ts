import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { holdsCluster } from '../src/running.ts';

test('a folder of the database that cannot be looked into is not taken for an empty one', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'florin-running-'));
  onTestFinished(() => rm(dataDir, { recursive: true }));
  expect(holdsCluster(dataDir)).toBe(false);
  mkdirSync(join(dataDir, 'postgres'));
  expect(holdsCluster(dataDir)).toBe(false);
  const cluster = join(dataDir, 'postgres', 'cluster');
  mkdirSync(cluster);
  expect(holdsCluster(dataDir)).toBe(false);
  writeFileSync(join(cluster, 'damaged'), '');
  expect(holdsCluster(dataDir)).toBe(true);
  await rm(cluster, { recursive: true });
  // Root may read every folder, so a loop of links stands for one that may not be read.
  symlinkSync('cluster', cluster);
  expect(holdsCluster(dataDir)).toBe(true);
});
