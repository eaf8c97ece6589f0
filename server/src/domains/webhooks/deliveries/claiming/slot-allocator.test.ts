import fc from 'fast-check';
import { expect, test } from 'vitest';
import { minuteMs, secondMs } from '../../../../core/clock.ts';
import type { EndpointSnapshot } from '../../delivery-queue/endpoint-snapshot.ts';
import type { AttemptVerdict } from '../rules.ts';
import { EndpointQueue } from './endpoint-queue.ts';
import { SlotAllocator } from './slot-allocator.ts';

const nowMs = Date.UTC(2026, 0, 31);
const snapshot: EndpointSnapshot = {
  isActive: true,
  origin: 'https://a.example',
  maxInFlight: null,
  ratePerS: null,
  pausedUntilMs: null,
  firstFailureMs: null,
};

test('an endpoint without history gets eight slots', () => {
  expect(granted({}, 512)).toBe(8);
});

test('a prompt endpoint gets one slot more with every answer, and at most four fifths of all', () => {
  const queue = new EndpointQueue(1, snapshot);
  expect(send(queue, 8, 'prompt')).toBe(16);
  expect(send(queue, 16, 'prompt')).toBe(32);
  for (let i = 0; i < 10; i++) send(queue, queue.limit(nowMs), 'prompt');
  expect(granted({ queue }, 512)).toBe(410);
});

test.each(['slow', 'failed'] as const)(
  'after a %s answer an endpoint is unproven, and keeps half of its window',
  (how) => {
    const queue = new EndpointQueue(1, snapshot);
    for (let i = 0; i < 5; i++) send(queue, queue.limit(nowMs), 'prompt');
    expect(queue.limit(nowMs)).toBe(256);
    expect(send(queue, 1, how)).toBe(8);
    expect(send(queue, 1, 'prompt')).toBe(129);
  },
);

test('an endpoint that is silent for a second gets no more than one without history', () => {
  const queue = new EndpointQueue(1, snapshot);
  for (let i = 0; i < 5; i++) send(queue, queue.limit(nowMs), 'prompt');
  for (let i = 0; i < 5; i++) queue.begin(nowMs);
  expect(queue.limit(nowMs + secondMs)).toBe(256);
  expect(queue.limit(nowMs + secondMs + 1)).toBe(8);
});

test('a paused endpoint gets no slot; afterwards it gets one trial at a time', () => {
  expect(granted({ pausedUntilMs: nowMs + 1 }, 512)).toBe(0);
  expect(granted({ pausedUntilMs: nowMs }, 512)).toBe(1);
  const queue = new EndpointQueue(1, { ...snapshot, pausedUntilMs: nowMs });
  queue.begin(nowMs);
  expect(granted({ queue }, 512)).toBe(0);
});

test('trials use at most a quarter of the slots, and four for each origin', () => {
  const paused = { pausedUntilMs: nowMs - minuteMs };
  expect(total(many(1_000, (i) => ({ ...paused, origin: `https://${i}.example` })))).toBe(128);
  expect(total(many(100, () => paused))).toBe(4);
});

test('the first fresh delivery to an endpoint that is not known to fail gets a slot although the pool is full', () => {
  const hanging = Array.from({ length: 16 }, (_, i) => {
    const queue = new EndpointQueue(i, { ...snapshot, origin: `https://${i}.example` });
    for (let n = 0; n < 8; n++) queue.begin(nowMs);
    return queue;
  });
  const countOf = (overrides: Partial<EndpointSnapshot>, freshAtMs: number) => {
    const queue = new EndpointQueue(100, { ...snapshot, ...overrides });
    queue.freshAtMs = freshAtMs;
    const allocator = new SlotAllocator({ freeSlots: 200, slots: 512, active: hanging, nowMs });
    allocator.grant(new Set([queue]));
    return allocator.granted.get(queue) ?? 0;
  };
  expect(countOf({}, nowMs)).toBe(1);
  expect(countOf({}, nowMs - minuteMs)).toBe(0);
  expect(countOf({ firstFailureMs: nowMs - minuteMs }, nowMs)).toBe(0);
});

test('an endpoint that answers slowly gets slots although endpoints that hang fill the pool', () => {
  const hanging = Array.from({ length: 16 }, (_, i) => {
    const queue = new EndpointQueue(i, { ...snapshot, origin: `https://${i}.example` });
    for (let n = 0; n < 8; n++) queue.begin(nowMs);
    return queue;
  });
  const slow = new EndpointQueue(100, snapshot);
  send(slow, 1, 'slow');
  const failing = new EndpointQueue(101, snapshot);
  send(failing, 1, 'failed');
  const allocator = new SlotAllocator({ freeSlots: 200, slots: 512, active: hanging, nowMs });
  allocator.grant(new Set([slow, failing]));
  expect([...allocator.granted]).toEqual([[slow, 8]]);
});

test('an endpoint whose rate is used up gets none until it allows another delivery', () => {
  const queue = new EndpointQueue(1, { ...snapshot, ratePerS: 20 });
  expect(granted({ queue }, 512)).toBe(8);
  queue.rateUsedUntilMs = nowMs + 1;
  expect(granted({ queue }, 512)).toBe(0);
  queue.rateUsedUntilMs = nowMs;
  expect(granted({ queue }, 512)).toBe(8);
});

test('deliveries to an endpoint that is switched off or removed are all granted, because nothing is sent', () => {
  expect(granted({ isActive: false, pausedUntilMs: nowMs + minuteMs }, 512)).toBe(512);
});

test('no more slots are granted than are free, and unproven endpoints leave half of them to others', () => {
  const endpoint = fc.record({
    origin: fc.integer({ min: 1, max: 5 }).map((n) => `https://${n}.example`),
    inFlightBefore: fc.integer({ min: 0, max: 8 }),
    isPrompt: fc.boolean(),
    maxInFlight: fc.option(fc.integer({ min: 1, max: 20 }), { nil: null }),
  });
  fc.assert(
    fc.property(fc.array(endpoint, { maxLength: 80 }), fc.integer({ min: 1, max: 600 }), (endpoints, slots) => {
      const queues = endpoints.map(({ origin, maxInFlight, isPrompt, inFlightBefore }, id) => {
        const queue = new EndpointQueue(id, { ...snapshot, origin, maxInFlight });
        if (isPrompt) send(queue, 1, 'prompt');
        for (let i = 0; i < Math.min(inFlightBefore, queue.limit(nowMs)); i++) queue.begin(nowMs);
        queue.freshAtMs = nowMs;
        return queue;
      });
      const inFlight = queues.reduce((sum, queue) => sum + queue.inFlight, 0);
      const freeSlots = Math.max(0, slots - inFlight);
      const active = queues.filter((queue) => queue.inFlight > 0);
      const allocator = new SlotAllocator({ freeSlots, slots, active, nowMs });
      allocator.grant(new Set(queues));

      const now = (queue: EndpointQueue) => allocator.granted.get(queue) ?? 0;
      expect(queues.reduce((sum, queue) => sum + now(queue), 0)).toBe(freeSlots - allocator.remaining);
      expect(allocator.remaining).toBeGreaterThanOrEqual(0);
      const unproven = queues.filter((queue) => !queue.isPrompt(nowMs) && now(queue) > 0);
      const used = unproven.reduce((sum, queue) => sum + now(queue) + queue.inFlight, 0);
      expect(used).toBeLessThanOrEqual(Math.max(2, Math.floor(slots / 2)));
      for (const queue of queues)
        if (now(queue) > 0) expect(queue.inFlight + now(queue)).toBeLessThanOrEqual(queue.limit(nowMs));
    }),
  );
});

/** How many slots one endpoint alone is granted. */
function granted(
  { queue, ...overrides }: Partial<EndpointSnapshot> & { queue?: EndpointQueue },
  slots: number,
): number {
  return total([queue ?? new EndpointQueue(1, { ...snapshot, ...overrides })], slots);
}

/** How many slots these endpoints are granted. */
function total(queues: EndpointQueue[], slots = 512): number {
  const active = queues.filter(({ inFlight }) => inFlight > 0);
  const freeSlots = slots - active.reduce((sum, { inFlight }) => sum + inFlight, 0);
  const allocator = new SlotAllocator({ freeSlots, slots, active, nowMs });
  allocator.grant(new Set(queues));
  return freeSlots - allocator.remaining;
}

/** Sends `count` deliveries while more are due, and returns how many may be in flight afterwards. */
function send(queue: EndpointQueue, count: number, how: AttemptVerdict): number {
  for (let i = 0; i < count; i++) queue.begin(nowMs);
  for (let i = 0; i < count; i++) {
    queue.dueFromMs = nowMs;
    queue.end(nowMs, how, 512);
  }
  return queue.limit(nowMs);
}

function many(count: number, overridesOf: (i: number) => Partial<EndpointSnapshot>): EndpointQueue[] {
  return Array.from({ length: count }, (_, i) => new EndpointQueue(i, { ...snapshot, ...overridesOf(i) }));
}
