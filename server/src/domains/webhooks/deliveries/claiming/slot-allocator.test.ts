import fc from 'fast-check';
import { expect, test } from 'vitest';
import { minuteMs, secondMs } from '../../../../core/clock.ts';
import { EndpointQueue, type EndpointSnapshot } from './endpoint-queue.ts';
import { type DueDeliveries, SlotAllocator } from './slot-allocator.ts';

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
  expect(granted({}, 512, 1_000)).toBe(8);
});

test('a prompt endpoint gets one slot more with every answer, and at most four fifths of all', () => {
  const queue = new EndpointQueue(1, snapshot);
  expect(send(queue, 8, 'prompt')).toBe(16);
  expect(send(queue, 16, 'prompt')).toBe(32);
  for (let i = 0; i < 10; i++) send(queue, queue.limit(nowMs), 'prompt');
  expect(granted({ queue }, 512, 1_000)).toBe(410);
});

test.each(['slow', 'failing'] as const)(
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
  expect(granted({ pausedUntilMs: nowMs + 1 }, 512, 10)).toBe(0);
  expect(granted({ pausedUntilMs: nowMs }, 512, 10)).toBe(1);
  const queue = new EndpointQueue(1, { ...snapshot, pausedUntilMs: nowMs });
  queue.begin(nowMs);
  expect(granted({ queue }, 512, 10)).toBe(0);
});

test('trials use at most a quarter of the slots, and four for each origin', () => {
  const allocator = new SlotAllocator({ freeSlots: 500, slots: 512, inFlight: 0, active: [], nowMs });
  allocator.grant(many(1_000, (i) => ({ pausedUntilMs: nowMs - minuteMs, origin: `https://${i}.example` })));
  expect(total(allocator)).toBe(128);
  const another = new SlotAllocator({ freeSlots: 500, slots: 512, inFlight: 0, active: [], nowMs });
  another.grant(many(100, () => ({ pausedUntilMs: nowMs - minuteMs })));
  expect(total(another)).toBe(4);
});

test('a rate allows a burst of a quarter of a second, at least one delivery, minus what has been used', () => {
  expect(granted({ ratePerS: 20 }, 512, 100)).toBe(5);
  expect(granted({ ratePerS: 3 }, 512, 100)).toBe(1);
  const queue = new EndpointQueue(1, { ...snapshot, ratePerS: 20 });
  queue.rateUsedUntilMs = nowMs + 100;
  expect(granted({ queue }, 512, 100)).toBe(3);
  queue.rateUsedUntilMs = nowMs + minuteMs;
  expect(granted({ queue }, 512, 100)).toBe(0);
});

test('a rate that seems used up for a day, because the clock was set back, allows one delivery', () => {
  const queue = new EndpointQueue(1, { ...snapshot, ratePerS: 10 });
  queue.rateUsedUntilMs = nowMs + 1_440 * minuteMs;
  expect(granted({ queue }, 512, 100)).toBe(1);
});

test('deliveries to an endpoint that is switched off or removed are all granted, because nothing is sent', () => {
  expect(granted({ isActive: false, pausedUntilMs: nowMs + minuteMs }, 512, 200)).toBe(200);
  expect(granted({ isActive: null }, 512, 200)).toBe(200);
});

test('no more slots are granted than are free, and unproven endpoints leave half of them to others', () => {
  const endpoint = fc.record({
    origin: fc.integer({ min: 1, max: 5 }).map((n) => `https://${n}.example`),
    due: fc.integer({ min: 1, max: 60 }),
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
        return queue;
      });
      const inFlight = queues.reduce((sum, queue) => sum + queue.inFlight, 0);
      const freeSlots = Math.max(0, slots - inFlight);
      const allocator = new SlotAllocator({
        freeSlots,
        slots,
        inFlight,
        active: queues.filter((queue) => queue.inFlight > 0),
        nowMs,
      });
      const due = queues.map((queue, i) => dueFor(queue, endpoints[i]?.due ?? 0));
      const left = allocator.grant(due);

      const now = (queue: EndpointQueue) => allocator.granted.get(queue)?.ids.length ?? 0;
      expect(total(allocator)).toBeLessThanOrEqual(freeSlots);
      expect(total(allocator) + left.reduce((sum, { ids }) => sum + ids.length, 0)).toBe(
        endpoints.reduce((sum, one) => sum + one.due, 0),
      );
      const unproven = queues.filter((queue) => !queue.isPrompt(nowMs) && now(queue) > 0);
      const used = unproven.reduce((sum, queue) => sum + now(queue) + queue.inFlight, 0);
      expect(used).toBeLessThanOrEqual(Math.max(1, Math.floor(slots / 2)));
      for (const queue of queues)
        if (now(queue) > 0) expect(queue.inFlight + now(queue)).toBeLessThanOrEqual(queue.limit(nowMs));
    }),
  );
});

/** How many slots one endpoint alone is granted. */
function granted(
  { queue, ...overrides }: Partial<EndpointSnapshot> & { queue?: EndpointQueue },
  slots: number,
  wanted: number,
): number {
  const target = queue ?? new EndpointQueue(1, { ...snapshot, ...overrides });
  const active = target.inFlight > 0 ? [target] : [];
  const allocator = new SlotAllocator({
    freeSlots: slots - target.inFlight,
    slots,
    inFlight: target.inFlight,
    active,
    nowMs,
  });
  allocator.grant([dueFor(target, wanted)]);
  return total(allocator);
}

/** Sends `count` deliveries while more are due, and returns how many may be in flight afterwards. */
function send(queue: EndpointQueue, count: number, how: 'prompt' | 'slow' | 'failing'): number {
  for (let i = 0; i < count; i++) queue.begin(nowMs);
  for (let i = 0; i < count; i++) {
    queue.isBacklogged = true;
    queue.end(nowMs, { isFailure: how === 'failing', durationMs: how === 'slow' ? 1_001 : 5 }, 512);
  }
  return queue.limit(nowMs);
}

function many(count: number, overridesOf: (i: number) => Partial<EndpointSnapshot>): DueDeliveries[] {
  return Array.from({ length: count }, (_, i) => dueFor(new EndpointQueue(i, { ...snapshot, ...overridesOf(i) }), 5));
}

function dueFor(queue: EndpointQueue, count: number): DueDeliveries {
  return { queue, tenantId: 0, ids: Array.from({ length: count }, (_, i) => `${queue.id}-${i}`), dueMs: nowMs };
}

function total(allocator: SlotAllocator): number {
  return [...allocator.granted.values()].reduce((sum, { ids }) => sum + ids.length, 0);
}
