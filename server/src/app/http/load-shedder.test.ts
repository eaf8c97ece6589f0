import { afterEach, expect, test, vi } from 'vitest';
import { LoadShedder } from './load-shedder.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

interface Load {
  busyShare: number;
  payments: number;
  posts?: number;
  /** Answered requests. Default: one for each payment. */
  requests?: number;
  isContended?: boolean;
  elapsedMs?: number;
  processes?: number;
}

/** The limit after such a load. */
function limitAfter({
  busyShare,
  payments,
  posts = 0,
  requests = payments,
  isContended,
  elapsedMs = 100,
  processes,
}: Load) {
  const now = vi.spyOn(performance, 'now').mockReturnValue(0);
  const shedder = new LoadShedder(processes, () => ({ idle: 0, active: 0, utilization: busyShare }));
  shedder.paid(payments, isContended);
  for (let i = 0; i < posts; i++) shedder.posted();
  for (let i = 0; i < requests; i++) shedder.answered();
  now.mockReturnValue(elapsedMs);
  return shedder.deliveryLimit;
}

test('while payments keep the process busy, an eighth as many deliveries as requests are sent, on a fast machine and on a slow one', () => {
  expect(limitAfter({ busyShare: 0.9, payments: 800 })).toBe(100);
  expect(limitAfter({ busyShare: 0.9, payments: 200 })).toBe(25);
  expect(limitAfter({ busyShare: 0.9, payments: 800, elapsedMs: 200 })).toBe(50);
  expect(limitAfter({ busyShare: 0.9, payments: 200, posts: 600 })).toBe(25);
});

test('a load of other requests with few payments leaves as many deliveries', () => {
  expect(limitAfter({ busyShare: 0.9, payments: 20, requests: 800 })).toBe(100);
});

test('the requests of the other processes count, whose deliveries this one sends', () => {
  expect(limitAfter({ busyShare: 0.9, payments: 200, processes: 4 })).toBe(100);
});

test('deliveries never stop', () => {
  expect(limitAfter({ busyShare: 1, payments: 1 })).toBe(10);
});

test('there is no limit while mostly the posts of a backlog keep the process busy', () => {
  expect(limitAfter({ busyShare: 0.9, payments: 2, posts: 1_000 })).toBeUndefined();
  expect(limitAfter({ busyShare: 0.9, payments: 0, posts: 1_000 })).toBeUndefined();
});

test('there is no limit while the process has time left or nothing to do', () => {
  expect(limitAfter({ busyShare: 0.3, payments: 500, posts: 100 })).toBeUndefined();
  expect(limitAfter({ busyShare: 0.9, payments: 0 })).toBeUndefined();
});

test('the limit applies earlier while payments with many deliveries delay those of other tenants', () => {
  const contended = { payments: 200, posts: 400, isContended: true };
  expect(limitAfter({ ...contended, busyShare: 0.3 })).toBe(25);
  expect(limitAfter({ ...contended, busyShare: 0.1 })).toBeUndefined();
  expect(limitAfter({ ...contended, busyShare: 0.3, payments: 2 })).toBeUndefined();
});

test('a single sample in which the process looks idle does not end the limit, the second does', () => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(0);
  let utilization = 0.9;
  const shedder = new LoadShedder(1, () => ({ idle: 0, active: 0, utilization }));
  const limits = [0.9, 0.1, 0.1, 0.9].map((busyShare, i) => {
    utilization = busyShare;
    shedder.paid(200);
    now.mockReturnValue((i + 1) * 100);
    return shedder.deliveryLimit;
  });
  expect(limits).toEqual([10, 10, undefined, 10]);
});

test('the limit ends when no more payments arrive', () => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(0);
  const shedder = new LoadShedder(1, () => ({ idle: 0, active: 0, utilization: 1 }));
  shedder.paid(500);
  now.mockReturnValue(100);
  expect(shedder.deliveryLimit).toBeDefined();
  shedder.posted();
  now.mockReturnValue(200);
  expect(shedder.deliveryLimit).toBeUndefined();
});
