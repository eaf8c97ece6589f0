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

test('a quick endpoint gets a slot more with every answer, up to 128, and four times as many claimed', () => {
  const queue = new EndpointQueue(1, snapshot);
  expect(send(queue, 1, 'prompt')).toBe(4 * 33);
  for (let i = 0; i < 10; i++) send(queue, queue.window(nowMs), 'prompt');
  expect(queue.window(nowMs)).toBe(128);
  expect(granted({ queue }, 1_024)).toBe(512);
});

test('an endpoint that answers within a second, and not quickly, has 32 in flight', () => {
  const queue = new EndpointQueue(1, snapshot);
  for (let i = 0; i < 100; i++) send(queue, 1, 'prompt', 200);
  expect(queue.window(nowMs)).toBe(32);
  expect(granted({ queue }, 512)).toBe(32);
});

test('the window of an endpoint whose answers take longer shrinks to 32', () => {
  const queue = new EndpointQueue(1, snapshot);
  for (let i = 0; i < 200; i++) send(queue, 1, 'prompt');
  expect(queue.window(nowMs)).toBe(128);
  for (let i = 0; i < 64; i++) send(queue, 1, 'prompt', 200);
  expect(queue.window(nowMs)).toBeLessThan(128);
  for (let i = 0; i < 128; i++) send(queue, 1, 'prompt', 200);
  expect(queue.window(nowMs)).toBe(32);
});

test.each(['slow', 'failed'] as const)('after a %s answer an endpoint is unproven, and begins at 32 again', (how) => {
  const queue = new EndpointQueue(1, snapshot);
  for (let i = 0; i < 200; i++) send(queue, 1, 'prompt');
  expect(queue.window(nowMs)).toBe(128);
  expect(send(queue, 1, how)).toBe(8);
  send(queue, 1, 'prompt', 200);
  expect(queue.window(nowMs)).toBe(32);
});

test('an endpoint that is silent for a second gets no more than one without history', () => {
  const queue = new EndpointQueue(1, snapshot);
  for (let i = 0; i < 200; i++) send(queue, 1, 'prompt');
  for (let i = 0; i < 5; i++) queue.begin(nowMs);
  expect(queue.window(nowMs + secondMs)).toBe(128);
  expect(queue.limit(nowMs + secondMs + 1)).toBe(8);
});

test("an endpoint's own limit replaces all others", () => {
  const queue = new EndpointQueue(1, { ...snapshot, maxInFlight: 300 });
  expect(queue.limit(nowMs)).toBe(300);
  for (let i = 0; i < 10; i++) send(queue, 1, 'prompt');
  expect(queue.limit(nowMs)).toBe(300);
  expect(send(queue, 1, 'failed')).toBe(300);
});

test('no more deliveries are on their way than the window allows, and the others follow in their order', async () => {
  const queue = new EndpointQueue(1, { ...snapshot, maxInFlight: 2 });
  const sent: number[] = [];
  const turns = [1, 2, 3, 4].map((number) => {
    queue.begin(nowMs);
    return queue.turn(nowMs).then(() => sent.push(number));
  });
  await turns[1];
  expect(sent).toEqual([1, 2]);
  queue.end(nowMs, 'prompt');
  await turns[2];
  expect(sent).toEqual([1, 2, 3]);
  queue.end(nowMs, 'failed');
  await turns[3];
  expect(sent).toEqual([1, 2, 3, 4]);
});

test('while this machine is behind, an endpoint that catches up gets no more than one without history', () => {
  const queue = new EndpointQueue(1, snapshot);
  for (let i = 0; i < 200; i++) send(queue, 1, 'prompt');
  queue.backlog.begin(nowMs);
  expect(granted({ queue, isBehind: true }, 512)).toBe(8);
  expect(granted({ queue, isBehind: false }, 1_024)).toBe(512);
  queue.backlog.claimed(nowMs, nowMs);
  expect(granted({ queue, isBehind: true }, 1_024)).toBe(512);
});

test('an endpoint whose first answers were late, as after a start, has no backlog once it answers quickly', () => {
  const queue = new EndpointQueue(1, snapshot);
  for (let i = 0; i < 10; i++) send(queue, 1, 'prompt', 400);
  send(queue, 1, 'prompt');
  expect(queue.isQuick(nowMs)).toBe(true);
  expect(queue.backlog.isOn).toBe(false);
});

test('what came due while an endpoint did not answer quickly has waited for it', () => {
  const queue = new EndpointQueue(1, snapshot);
  for (let i = 0; i < 40; i++) send(queue, 1, 'prompt', 400);
  expect(queue.isQuick(nowMs)).toBe(false);
  send(queue, 1, 'prompt');
  expect(queue.isQuick(nowMs)).toBe(true);
  expect(queue.backlog.waitedMs(nowMs - 1, nowMs)).toBe(0);
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
  { queue, isBehind, ...overrides }: Partial<EndpointSnapshot> & { queue?: EndpointQueue; isBehind?: boolean },
  slots: number,
): number {
  return total([queue ?? new EndpointQueue(1, { ...snapshot, ...overrides })], slots, isBehind);
}

/** How many slots these endpoints are granted. */
function total(queues: EndpointQueue[], slots = 512, isBehind = false): number {
  const active = queues.filter(({ inFlight }) => inFlight > 0);
  const freeSlots = slots - active.reduce((sum, { inFlight }) => sum + inFlight, 0);
  const allocator = new SlotAllocator({ freeSlots, slots, active, isBehind, nowMs });
  allocator.grant(new Set(queues));
  return freeSlots - allocator.remaining;
}

/** Sends `count` deliveries while more are due, and returns how many may be in flight afterwards. */
function send(queue: EndpointQueue, count: number, how: AttemptVerdict, durationMs = 1): number {
  for (let i = 0; i < count; i++) {
    queue.begin(nowMs);
    // The window has room: it resolves at once.
    queue.turn(nowMs).catch(expect.unreachable);
  }
  for (let i = 0; i < count; i++) {
    queue.dueFromMs = nowMs;
    queue.end(nowMs, how, durationMs);
  }
  return queue.limit(nowMs);
}

function many(count: number, overridesOf: (i: number) => Partial<EndpointSnapshot>): EndpointQueue[] {
  return Array.from({ length: count }, (_, i) => new EndpointQueue(i, { ...snapshot, ...overridesOf(i) }));
}
