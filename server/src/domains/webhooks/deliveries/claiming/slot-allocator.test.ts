import fc from 'fast-check';
import { expect, test } from 'vitest';
import { minuteMs, secondMs } from '../../../../core/clock.ts';
import { type EndpointFacts, EndpointQueue } from './endpoint-queue.ts';
import { SlotAllocator, type Waiting } from './slot-allocator.ts';

const nowMs = Date.UTC(2026, 0, 31);
const facts: EndpointFacts = {
  state: true,
  origin: 'https://a.example',
  maxInFlight: null,
  ratePerS: null,
  openMs: null,
  firstFailureMs: null,
};

test('an endpoint of which nothing is known gets eight', () => {
  expect(granted({}, 512, 1_000)).toBe(8);
});

test('one that answers promptly gets one more with every answer, and at most four fifths of the slots', () => {
  const lane = new EndpointQueue(1, facts);
  expect(send(lane, 8, 'prompt')).toBe(16);
  expect(send(lane, 16, 'prompt')).toBe(32);
  for (let i = 0; i < 10; i++) send(lane, lane.limit(nowMs), 'prompt');
  expect(granted({ lane }, 512, 1_000)).toBe(410);
});

test.each(['slow', 'failing'] as const)(
  'after a %s answer it is one of the doubtful, and keeps half of its window',
  (how) => {
    const lane = new EndpointQueue(1, facts);
    for (let i = 0; i < 5; i++) send(lane, lane.limit(nowMs), 'prompt');
    expect(lane.limit(nowMs)).toBe(256);
    expect(send(lane, 1, how)).toBe(8);
    expect(send(lane, 1, 'prompt')).toBe(129);
  },
);

test('one that has heard nothing for a second gets no more than one of which nothing is known', () => {
  const lane = new EndpointQueue(1, facts);
  for (let i = 0; i < 5; i++) send(lane, lane.limit(nowMs), 'prompt');
  for (let i = 0; i < 5; i++) lane.begin(nowMs);
  expect(lane.limit(nowMs + secondMs)).toBe(256);
  expect(lane.limit(nowMs + secondMs + 1)).toBe(8);
});

test('a pause lets nothing through; after it one is tried, and no second one while that is under way', () => {
  expect(granted({ openMs: nowMs + 1 }, 512, 10)).toBe(0);
  expect(granted({ openMs: nowMs }, 512, 10)).toBe(1);
  const lane = new EndpointQueue(1, { ...facts, openMs: nowMs });
  lane.begin(nowMs);
  expect(granted({ lane }, 512, 10)).toBe(0);
});

test('trials hold at most a quarter of the slots, and four at one origin', () => {
  const round = new SlotAllocator({ room: 500, slots: 512, inFlight: 0, active: [], nowMs });
  round.grant(many(1_000, (i) => ({ openMs: nowMs - minuteMs, origin: `https://${i}.example` })));
  expect(total(round)).toBe(128);
  const another = new SlotAllocator({ room: 500, slots: 512, inFlight: 0, active: [], nowMs });
  another.grant(many(100, () => ({ openMs: nowMs - minuteMs })));
  expect(total(another)).toBe(4);
});

test('a rate allows a quarter of a second at once, one at least, and what is used is gone', () => {
  expect(granted({ ratePerS: 20 }, 512, 100)).toBe(5);
  expect(granted({ ratePerS: 3 }, 512, 100)).toBe(1);
  const lane = new EndpointQueue(1, { ...facts, ratePerS: 20 });
  lane.usedUntilMs = nowMs + 100;
  expect(granted({ lane }, 512, 100)).toBe(3);
  lane.usedUntilMs = nowMs + minuteMs;
  expect(granted({ lane }, 512, 100)).toBe(0);
});

test('a rate that a clock set back since has used up for a day is asked for anew', () => {
  const lane = new EndpointQueue(1, { ...facts, ratePerS: 10 });
  lane.usedUntilMs = nowMs + 1_440 * minuteMs;
  expect(granted({ lane }, 512, 100)).toBe(1);
});

test('one that is switched off or gone may go at once: nothing will be sent', () => {
  expect(granted({ state: false, openMs: nowMs + minuteMs }, 512, 200)).toBe(200);
  expect(granted({ state: null }, 512, 200)).toBe(200);
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
      const lanes = endpoints.map(({ origin, maxInFlight, isPrompt, held }, id) => {
        const lane = new EndpointQueue(id, { ...facts, origin, maxInFlight });
        if (isPrompt) send(lane, 1, 'prompt');
        for (let i = 0; i < Math.min(held, lane.limit(nowMs)); i++) lane.begin(nowMs);
        return lane;
      });
      const inFlight = lanes.reduce((sum, lane) => sum + lane.inFlight, 0);
      const room = Math.max(0, slots - inFlight);
      const round = new SlotAllocator({
        room,
        slots,
        inFlight,
        active: lanes.filter((lane) => lane.inFlight > 0),
        nowMs,
      });
      const waiting = lanes.map((lane, i) => waitingFor(lane, endpoints[i]?.waiting ?? 0));
      const left = round.grant(waiting);

      const now = (lane: EndpointQueue) => round.granted.get(lane)?.ids.length ?? 0;
      expect(total(round)).toBeLessThanOrEqual(room);
      expect(total(round) + left.reduce((sum, { ids }) => sum + ids.length, 0)).toBe(
        endpoints.reduce((sum, one) => sum + one.waiting, 0),
      );
      const doubtful = lanes.filter((lane) => !lane.isPrompt(nowMs) && now(lane) > 0);
      const held = doubtful.reduce((sum, lane) => sum + now(lane) + lane.inFlight, 0);
      expect(held).toBeLessThanOrEqual(Math.max(1, Math.floor(slots / 2)));
      for (const lane of lanes)
        if (now(lane) > 0) expect(lane.inFlight + now(lane)).toBeLessThanOrEqual(lane.limit(nowMs));
    }),
  );
});

/** What one endpoint alone is granted. */
function granted(
  { lane, ...some }: Partial<EndpointFacts> & { lane?: EndpointQueue },
  slots: number,
  wanted: number,
): number {
  const asked = lane ?? new EndpointQueue(1, { ...facts, ...some });
  const active = asked.inFlight > 0 ? [asked] : [];
  const round = new SlotAllocator({ room: slots - asked.inFlight, slots, inFlight: asked.inFlight, active, nowMs });
  round.grant([waitingFor(asked, wanted)]);
  return total(round);
}

/** Sends so many at once, more wanting to be sent; gives back how many it may have in flight then. */
function send(lane: EndpointQueue, count: number, how: 'prompt' | 'slow' | 'failing'): number {
  for (let i = 0; i < count; i++) lane.begin(nowMs);
  for (let i = 0; i < count; i++) {
    lane.isCut = true;
    const standing = how === 'failing' ? 'failing' : 'answering';
    lane.end(nowMs, { standing, durationMs: how === 'slow' ? 1_001 : 5 }, 512);
  }
  return lane.limit(nowMs);
}

function many(count: number, some: (i: number) => Partial<EndpointFacts>): Waiting[] {
  return Array.from({ length: count }, (_, i) => waitingFor(new EndpointQueue(i, { ...facts, ...some(i) }), 5));
}

function waitingFor(lane: EndpointQueue, count: number): Waiting {
  return { lane, tenantId: 0, ids: Array.from({ length: count }, (_, i) => `${lane.id}-${i}`), dueMs: nowMs };
}

function total(round: SlotAllocator): number {
  return [...round.granted.values()].reduce((sum, { ids }) => sum + ids.length, 0);
}
