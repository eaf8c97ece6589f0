import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { eventually } from '../../../tests/support/postgres/database.ts';
import type { FixtureTask } from './fixture/task.ts';
import { ProcessPool, type ProcessPoolOptions } from './process-pool.ts';

const folder = mkdtempSync(join(tmpdir(), 'florin-pool-'));
let gates = 0;
let stopping: AbortController;
let pool: ProcessPool<FixtureTask, string>;

afterEach(() => pool.stop());
afterAll(() => rmSync(folder, { recursive: true }));

function open(options: Partial<ProcessPoolOptions> = {}): ProcessPool<FixtureTask, string> {
  stopping = new AbortController();
  pool = new ProcessPool({
    entry: new URL('./fixture/task.ts', import.meta.url),
    processes: 1,
    maximumWaiting: 4,
    timeoutMs: 60_000,
    idleMs: 60_000,
    memoryMb: 32,
    stopping: stopping.signal,
    ...options,
  });
  return pool;
}

/** Keeps the only process busy until it is opened. */
function gateIn(of: ProcessPool<FixtureTask, string>) {
  const gate = join(folder, String(++gates));
  const first = of.run({ does: 'answer', value: 'first', gate }, 'gate');
  return { first, open: () => writeFileSync(gate, '') };
}

const answer = (value: string): FixtureTask => ({ does: 'answer', value });

test('the main process continues while a task runs', async () => {
  const gate = gateIn(open());
  for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
  expect(pool.running).toBe(1);
  gate.open();
  expect(await gate.first).toEqual({ outcome: 'done', value: 'first' });
});

test('groups take turns: one task of a group does not wait for all tasks of another', async () => {
  const gate = gateIn(open());
  const order: string[] = [];
  const tasks = ['a1', 'a2', 'a3', 'b1'].map(async (name) => {
    await pool.run(answer(name), name[0] as string);
    order.push(name);
  });
  expect(pool.waiting).toBe(4);
  gate.open();
  await Promise.all(tasks);
  expect(order).toEqual(['a1', 'b1', 'a2', 'a3']);
});

test('when too many wait, the last task of the group with the most is refused, or the new one', async () => {
  const gate = gateIn(open({ maximumWaiting: 3 }));
  const [a1, a2, a3] = ['a1', 'a2', 'a3'].map((name) => pool.run(answer(name), 'a'));
  expect(await pool.run(answer('a4'), 'a')).toEqual({ outcome: 'full' });
  const b1 = pool.run(answer('b1'), 'b');
  expect(await a3).toEqual({ outcome: 'full' });
  expect(await pool.run(answer('b2'), 'b')).toEqual({ outcome: 'full' });
  gate.open();
  expect(await Promise.all([a1, a2, b1])).toEqual(['a1', 'a2', 'b1'].map((value) => ({ outcome: 'done', value })));
});

test.each(['exit', 'throw', 'fill_memory'] as const)('after a task that fails (%s) the next one runs', async (does) => {
  open();
  const lost = pool.run({ does }, 'a');
  const next = pool.run(answer('next'), 'a');
  expect(await lost).toMatchObject({ outcome: 'failed', error: expect.any(Error) });
  expect(await next).toEqual({ outcome: 'done', value: 'next' });
});

test('a task that exceeds its time is ended together with its process', async () => {
  open({ timeoutMs: 200 });
  const stuck = pool.run({ does: 'loop' }, 'a');
  expect(await stuck).toEqual({ outcome: 'timed_out' });
  expect(pool.processes).toBe(0);
});

test('processes start when they are needed and end when they are idle', async () => {
  open({ idleMs: 1, processes: 2 });
  expect(pool.processes).toBe(0);
  await pool.run(answer('one'), 'a');
  await eventually('the idle process has ended', async () => pool.processes === 0);
});

test('at a stop waiting tasks end at once, and running ones with the pool', async () => {
  const gate = gateIn(open());
  const waiting = pool.run(answer('waiting'), 'a');
  stopping.abort();
  expect(await waiting).toEqual({ outcome: 'stopped' });
  expect(await pool.run(answer('late'), 'a')).toEqual({ outcome: 'stopped' });
  expect(pool.running).toBe(1);
  await pool.stop();
  expect(await gate.first).toEqual({ outcome: 'stopped' });
  expect(pool.processes).toBe(0);
});
