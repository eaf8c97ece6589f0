import { spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { KeptClusters } from './kept-cluster.ts';

let folder: string;
let shelf: string;
let runs = 0;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'florin-kept-'));
  shelf = join(folder, 'shelf');
});

afterEach(() => rmSync(folder, { recursive: true }));

const clustersOf = (key: string) => new KeptClusters({ shelf, key });

/** A run that finds no cluster makes one with this content. */
function make(content: string): string {
  const cluster = join(folder, `made-${runs++}`);
  mkdirSync(join(cluster, 'base'), { recursive: true });
  writeFileSync(join(cluster, 'base', '1'), content);
  return cluster;
}

function restored(key: string): string | undefined {
  const cluster = join(folder, `run-${runs++}`);
  if (!clustersOf(key).restore(cluster)) return undefined;
  expect(statSync(cluster).mode & 0o777).toBe(0o700);
  return readFileSync(join(cluster, 'base', '1'), 'utf8');
}

test('a later run gets a copy of the cluster that was kept for the same definition, and of no other', () => {
  expect(restored('a1')).toBeUndefined();
  clustersOf('a1').keep(make('first'));
  expect(restored('a1')).toBe('first');
  expect(restored('a1')).toBe('first');
  expect(restored('b2')).toBeUndefined();
});

test('two runs that make the same cluster at once both succeed, and one is kept', () => {
  const [one, other] = [clustersOf('a1'), clustersOf('a1')];
  one.keep(make('one'));
  other.keep(make('other'));
  expect(restored('a1')).toBe('one');
  expect(readdirSync(shelf)).toEqual(['a1']);
});

test('the two clusters that were used last are kept', () => {
  clustersOf('a1').keep(make('a'));
  clustersOf('b2').keep(make('b'));
  for (const name of ['a1', 'b2']) utimesSync(join(shelf, name), 1, 1);
  expect(restored('a1')).toBe('a');
  clustersOf('c3').keep(make('c'));
  expect(readdirSync(shelf).toSorted()).toEqual(['a1', 'c3']);
});

test('what a killed run has left is not restored, and is removed', () => {
  const dead = spawnSync(process.execPath, ['--version']).pid;
  const living = process.ppid;
  for (const name of [`a1.${dead}`, `b2.${dead}.removed`, `c3.${living}`]) {
    mkdirSync(join(shelf, name), { recursive: true });
  }
  expect(restored('a1')).toBeUndefined();
  clustersOf('a1').keep(make('whole'));
  expect(restored('a1')).toBe('whole');
  expect(readdirSync(shelf).toSorted()).toEqual(['a1', `c3.${living}`]);
});
