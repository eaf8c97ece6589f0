import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lockFolder } from '../src/folder-lock.ts';
import { identify, isRunning } from '../src/process-table.ts';
import { Holder, TestFolder, until } from './fixture/postmaster-process.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'florin-lock-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const claims = () => readdirSync(join(root, 'lock'));

test('a second holder is refused by name until the first lets go', async () => {
  const lock = await lockFolder(root);
  await expect(lockFolder(root)).rejects.toThrow(`data folder ${root} is in use by process ${process.pid}`);
  lock.release();
  (await lockFolder(root)).release();
  expect(claims()).toEqual([]);
});

test('the claim of a process that ended is removed', async () => {
  const lock = await lockFolder(root);
  const [own = ''] = claims();
  lock.release();
  const ended = execFileSync('sh', ['-c', 'echo $$'], { encoding: 'utf8' }).trim();
  writeFileSync(join(root, 'lock', own.replace(/^\d+/, ended)), '');
  const next = await lockFolder(root);
  expect(claims()).toHaveLength(1);
  next.release();
});

test('the claim of an earlier process with the number of a living one is removed', async () => {
  const lock = await lockFolder(root);
  const [own = ''] = claims();
  lock.release();
  // Our own claim, with the start of another process.
  writeFileSync(join(root, 'lock', own.replace(/-[0-9a-f]{16}-/, '-0000000000000000-')), '');
  const next = await lockFolder(root);
  expect(claims()).toHaveLength(1);
  next.release();
});

test('what is no claim neither stands in the way nor is removed', async () => {
  mkdirSync(join(root, 'lock', 'folder'), { recursive: true });
  // The second has the form of a claim of a dead process, but is a folder.
  mkdirSync(join(root, 'lock', '999999999-0123456789abcdef-0123456789ab'));
  const junk = ['junk', '.DS_Store', '12-34', `${process.pid}`];
  for (const name of junk) writeFileSync(join(root, 'lock', name), 'precious');
  const before = claims().toSorted();
  (await lockFolder(root)).release();
  expect(claims().toSorted()).toEqual(before);
});

test('a zombie counts as dead', async () => {
  // The shell starts a child and turns into a program that never asks for its end.
  const parent = spawn('sh', ['-c', 'sleep 0.2 & echo $!; exec sleep 60']);
  const zombie = Number(await new Promise((resolve) => parent.stdout.once('data', (text) => resolve(String(text)))));
  const identity = identify(zombie);
  expect(identity).toBeDefined();
  await until('the zombie', () => identity && !isRunning(identity));
  expect(process.kill(zombie, 0)).toBe(true);
  expect(identify(zombie)).toBeUndefined();
  parent.kill('SIGKILL');
});

test('of many starts at once exactly one runs, and the others name it', async () => {
  const folder = new TestFolder();
  try {
    const holders = Array.from({ length: 5 }, () => folder.hold());
    const outcomes = await Promise.all(
      holders.map((holder) => holder.event(({ event }) => event === 'ready' || event === 'refused')),
    );
    const winners = holders.filter((_, n) => outcomes[n]?.event === 'ready');
    expect(winners).toHaveLength(1);
    for (const { event, message } of outcomes) {
      if (event !== 'ready') expect(message).toMatch(/ is in use by process \d/);
    }
    const late = new Holder(folder.path);
    expect(await late.refusal()).toContain(
      `data folder ${folder.path} is in use by process ${winners[0]?.pid}; stop that process`,
    );
  } finally {
    await folder.clear();
  }
});

test('the claim of a program that was killed does not stand in the way of the next', async () => {
  const folder = new TestFolder();
  try {
    const holder = folder.hold();
    await holder.event(({ event }) => event === 'log' || event === 'ready');
    await holder.kill();
    expect(readdirSync(join(folder.path, 'lock'))).toHaveLength(1);
    await folder.hold().ready();
    expect(readdirSync(join(folder.path, 'lock'))).toHaveLength(1);
  } finally {
    await folder.clear();
  }
});
