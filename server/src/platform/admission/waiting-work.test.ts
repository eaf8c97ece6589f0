import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { WaitingWork } from './waiting-work.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
});

afterEach(() => {
  vi.useRealTimers();
});

/** Two processes that report to each other. */
function twoProcesses() {
  const listeners: ((waitMs: number) => void)[] = [];
  const sent: number[] = [];
  const process = (number: number) =>
    new WaitingWork({
      send: (waitMs) => {
        sent.push(waitMs);
        for (const [i, listener] of listeners.entries()) if (i !== number) listener(waitMs);
      },
      listen: (listener) => {
        listeners[number] = listener;
      },
    });
  const [worker, server] = [process(0), process(1)];
  worker.start();
  return { worker, server, sent };
}

test('the longest wait of all work of the process counts', () => {
  const { worker } = twoProcesses();
  worker.watch(() => 20);
  worker.watch(() => 250);
  expect(worker.oldestWaitMs).toBe(250);
  expect(worker.isBehind).toBe(true);
});

test('a process that only serves requests learns how long work waits elsewhere', async () => {
  const { worker, server, sent } = twoProcesses();
  let waitMs = 0;
  worker.watch(() => waitMs);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(sent).toEqual([]);
  waitMs = 700;
  await vi.advanceTimersByTimeAsync(100);
  expect(server.oldestWaitMs).toBe(700);
  waitMs = 10;
  await vi.advanceTimersByTimeAsync(400);
  expect(server.oldestWaitMs).toBe(10);
  await vi.advanceTimersByTimeAsync(1_000);
  const count = sent.length;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(sent).toHaveLength(count);
});

test('what a process reported that has ended since is forgotten within a second', async () => {
  const { worker, server } = twoProcesses();
  worker.watch(() => 700);
  await vi.advanceTimersByTimeAsync(100);
  worker.stop();
  expect(server.oldestWaitMs).toBe(700);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(server.oldestWaitMs).toBe(0);
});
