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

test('an endpoint of which nothing is known gets eight', () => {
  expect(granted({}, 512, 1_000)).toBe(8);
});

test('one that answers promptly gets one more with every answer, and at most four fifths of the slots', () => {
  const queue = new EndpointQueue(1, snapshot);
  expect(send(queue, 8, 'prompt')).toBe(16);
  expect(send(queue, 16, 'prompt')).toBe(32);
  for (let i = 0; i < 10; i++) send(queue, queue.limit(nowMs), 'prompt');
  expect(granted({ queue }, 512, 1_000)).toBe(410);
});

test.each(['slow', 'failing'] as const)(
  'after a %s answer it is one of the doubtful, and keeps half of its window',
  (how) => {
    const queue = new EndpointQueue(1, snapshot);
    for (let i = 0; i < 5; i++) send(queue, queue.limit(nowMs), 'prompt');
    expect(queue.limit(nowMs)).toBe(256);
    expect(send(queue, 1, how)).toBe(8);
    expect(send(queue, 1, 'prompt')).toBe(129);
  },
);

test('one that has heard nothing for a second gets no more than one of which nothing is known', () => {
  const queue = new EndpointQueue(1, snapshot);
  for (let i = 0; i < 5; i++) send(queue, queue.limit(nowMs), 'prompt');
  for (let i = 0; i < 5; i++) queue.begin(nowMs);
  expect(queue.limit(nowMs + secondMs)).toBe(256);
  expect(queue.limit(nowMs + secondMs + 1)).toBe(8);
});

test('a pause lets nothing through; after it one is tried, and no second one while that is under way', () => {
  expect(granted({ pausedUntilMs: nowMs + 1 }, 512, 10)).toBe(0);
  expect(granted({ pausedUntilMs: nowMs }, 512, 10)).toBe(1);
  const queue = new EndpointQueue(1, { ...snapshot, pausedUntilMs: nowMs });
  queue.begin(nowMs);
  expect(granted({ queue }, 512, 10)).toBe(0);
});

test('trials hold at most a quarter of the slots, and four at one origin', () => {
  const allocator = new SlotAllocator({ freeSlots: 500, slots: 512, inFlight: 0, active: [], nowMs });
  allocator.grant(many(1_000, (i) => ({ pausedUntilMs: nowMs - minuteMs, origin: `https://${i}.example` })));
  expect(total(allocator)).toBe(128);
  const another = new SlotAllocator({ freeSlots: 500, slots: 512, inFlight: 0, active: [], nowMs });
  another.grant(many(100, () => ({ pausedUntilMs: nowMs - minuteMs })));
  expect(total(another)).toBe(4);
});

test('a rate allows a quarter of a second at once, one at least, and what is used is gone', () => {
  expect(granted({ ratePerS: 20 }, 512, 100)).toBe(5);
  expect(granted({ ratePerS: 3 }, 512, 100)).toBe(1);
  const queue = new EndpointQueue(1, { ...snapshot, ratePerS: 20 });
  queue.rateUsedUntilMs = nowMs + 100;
  expect(granted({ queue }, 512, 100)).toBe(3);
  queue.rateUsedUntilMs = nowMs + minuteMs;
  expect(granted({ queue }, 512, 100)).toBe(0);
});

test('a rate that a clock set back since has used up for a day is asked for anew', () => {
  const queue = new EndpointQueue(1, { ...snapshot, ratePerS: 10 });
  queue.rateUsedUntilMs = nowMs + 1_440 * minuteMs;
  expect(granted({ queue }, 512, 100)).toBe(1);
});

test('one that is switched off or gone may go at once: nothing will be sent', () => {
  expect(granted({ isActive: false, pausedUntilMs: nowMs + minuteMs }, 512, 200)).toBe(200);
  expect(granted({ isActive: null }, 512, 200)).toBe(200);
});

test('whatever the endpoints, nothing is granted beyond what there is, and the doubtful leave half of it free', () => {
  const endpoint = fc.record({
    origin: fc.integer({ min: 1, max: 5 }).map((n) => `https://${n}.example`),
    waiting: fc.integer({ min: 1, max: 60 }),
    held: fc.integer({ min: 0, max: 8 }),
    isPrompt: fc.boolean(),
    maxInFlight: fc.option(fc.integer({ min: 1, max: 20 }), { nil: null }),
  });
  fc.assert(
    fc.property(fc.array(endpoint, { maxLength: 80 }), fc.integer({ min: 1, max: 600 }), (endpoints, slots) => {
      const queues = endpoints.map(({ origin, maxInFlight, isPrompt, held }, id) => {
        const queue = new EndpointQueue(id, { ...snapshot, origin, maxInFlight });
        if (isPrompt) send(queue, 1, 'prompt');
        for (let i = 0; i < Math.min(held, queue.limit(nowMs)); i++) queue.begin(nowMs);
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
      const waiting = queues.map((queue, i) => dueFor(queue, endpoints[i]?.waiting ?? 0));
      const left = allocator.grant(waiting);

      const now = (queue: EndpointQueue) => allocator.granted.get(queue)?.ids.length ?? 0;
      expect(total(allocator)).toBeLessThanOrEqual(freeSlots);
      expect(total(allocator) + left.reduce((sum, { ids }) => sum + ids.length, 0)).toBe(
        endpoints.reduce((sum, one) => sum + one.waiting, 0),
      );
      const doubtful = queues.filter((queue) => !queue.isPrompt(nowMs) && now(queue) > 0);
      const held = doubtful.reduce((sum, queue) => sum + now(queue) + queue.inFlight, 0);
      expect(held).toBeLessThanOrEqual(Math.max(1, Math.floor(slots / 2)));
      for (const queue of queues)
        if (now(queue) > 0) expect(queue.inFlight + now(queue)).toBeLessThanOrEqual(queue.limit(nowMs));
    }),
  );
});

/** What one endpoint alone is granted. */
function granted(
  { queue, ...some }: Partial<EndpointSnapshot> & { queue?: EndpointQueue },
  slots: number,
  wanted: number,
): number {
  const asked = queue ?? new EndpointQueue(1, { ...snapshot, ...some });
  const active = asked.inFlight > 0 ? [asked] : [];
  const allocator = new SlotAllocator({
    freeSlots: slots - asked.inFlight,
    slots,
    inFlight: asked.inFlight,
    active,
    nowMs,
  });
  allocator.grant([dueFor(asked, wanted)]);
  return total(allocator);
}

/** Sends so many at once, more wanting to be sent; gives back how many it may have in flight then. */
function send(queue: EndpointQueue, count: number, how: 'prompt' | 'slow' | 'failing'): number {
  for (let i = 0; i < count; i++) queue.begin(nowMs);
  for (let i = 0; i < count; i++) {
    queue.isBacklogged = true;
    queue.end(nowMs, { isFailure: how === 'failing', durationMs: how === 'slow' ? 1_001 : 5 }, 512);
  }
  return queue.limit(nowMs);
}

function many(count: number, some: (i: number) => Partial<EndpointSnapshot>): DueDeliveries[] {
  return Array.from({ length: count }, (_, i) => dueFor(new EndpointQueue(i, { ...snapshot, ...some(i) }), 5));
}

function dueFor(queue: EndpointQueue, count: number): DueDeliveries {
  return { queue, tenantId: 0, ids: Array.from({ length: count }, (_, i) => `${queue.id}-${i}`), dueMs: nowMs };
}

function total(allocator: SlotAllocator): number {
  return [...allocator.granted.values()].reduce((sum, { ids }) => sum + ids.length, 0);
}
