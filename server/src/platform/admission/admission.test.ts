import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Refusal } from '../../core/errors.ts';
import { Admission } from './admission.ts';

/** Work that a machine does at a fixed rate, in the order in which it was admitted. */
class Machine {
  readonly #perSecond: number;
  /** When each unit was admitted. */
  #waiting: number[] = [];
  /** How long each unit took from its admission. */
  readonly tookMs: number[] = [];

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  add(units: number): void {
    for (let i = 0; i < units; i++) this.#waiting.push(performance.now());
  }

  work(ms: number): void {
    const done = this.#waiting.splice(0, Math.floor((this.#perSecond * ms) / 1_000));
    for (const sinceMs of done) this.tookMs.push(performance.now() - sinceMs);
  }

  get oldestWaitMs(): number {
    return performance.now() - (this.#waiting[0] ?? performance.now());
  }
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});

afterEach(() => {
  vi.useRealTimers();
});

const stepMs = 10;
const percentile = (values: readonly number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;

/** Offers writes of each tenant at its rate for some seconds. */
async function offer(seconds: number, machine: Machine, admission: Admission, writes: readonly Offered[]) {
  const results = writes.map(() => ({ admitted: 0, refused: 0, waitedMs: [] as number[] }));
  const offered = writes.map(() => 0);
  for (let atMs = 0; atMs < seconds * 1_000; atMs += stepMs) {
    for (const [i, { tenantId, perSecond, cost }] of writes.entries()) {
      for (; (offered[i] as number) < ((atMs + stepMs) * perSecond) / 1_000; offered[i] = (offered[i] as number) + 1) {
        const result = results[i] as (typeof results)[number];
        const sinceMs = performance.now();
        admission.enter(tenantId, cost, (refusal) => {
          if (refusal !== undefined) return result.refused++;
          machine.add(cost);
          result.waitedMs.push(performance.now() - sinceMs);
          return result.admitted++;
        });
      }
    }
    await vi.advanceTimersByTimeAsync(stepMs);
    machine.work(stepMs);
  }
  return results;
}

interface Offered {
  tenantId: number;
  perSecond: number;
  cost: number;
}

const admissionOf = (machine: Machine) => new Admission({ oldestWaitMs: () => machine.oldestWaitMs });

test('what a machine can do is admitted at once', async () => {
  const machine = new Machine(6_000);
  const [result] = await offer(10, machine, admissionOf(machine), [{ tenantId: 1, perSecond: 500, cost: 6 }]);
  expect(result?.refused).toBe(0);
  expect(percentile(result?.waitedMs ?? [], 0.99)).toBeLessThanOrEqual(50);
});

test.each([1_000, 6_000, 20_000])(
  'offered twice what a machine of %i a second carries, nine tenths of it are admitted, and done within a second',
  async (perSecond) => {
    const machine = new Machine(perSecond);
    const writes = [{ tenantId: 1, perSecond: (2 * perSecond) / 6, cost: 6 }];
    const [result] = await offer(20, machine, admissionOf(machine), writes);
    expect((result?.admitted ?? 0) * 6).toBeGreaterThanOrEqual(0.9 * perSecond * 20);
    expect(percentile(machine.tookMs, 0.99)).toBeLessThanOrEqual(1_000);
  },
);

test('a refusal is overloaded, says when to try again, and is given at once or after half a second', async () => {
  const machine = new Machine(100);
  const admission = admissionOf(machine);
  await offer(3, machine, admission, [{ tenantId: 1, perSecond: 500, cost: 6 }]);
  const refusals: unknown[] = [];
  for (let i = 0; i < 100; i++) admission.enter(1, 6, (refusal) => refusals.push(refusal));
  expect(refusals.length).toBeGreaterThanOrEqual(80);
  await vi.advanceTimersByTimeAsync(600);
  expect(refusals).toHaveLength(100);
  expect(refusals[0]).toMatchObject({ type: 'overloaded', retryAfterSeconds: 1 });
  expect(refusals[0]).toBeInstanceOf(Refusal);
});

test("one tenant's flood refuses and delays nothing of another", async () => {
  const machine = new Machine(3_000);
  const [flood, other] = await offer(20, machine, admissionOf(machine), [
    { tenantId: 1, perSecond: 2_000, cost: 6 },
    { tenantId: 2, perSecond: 50, cost: 6 },
  ]);
  expect(flood?.refused).toBeGreaterThan(10_000);
  expect(other?.refused).toBe(0);
  expect(percentile(other?.waitedMs ?? [], 0.99)).toBeLessThanOrEqual(100);
});

test('tenants that both ask for more than there is get the same share of it, whatever their writes cost', async () => {
  const machine = new Machine(3_000);
  const [cheap, costly] = await offer(20, machine, admissionOf(machine), [
    { tenantId: 1, perSecond: 2_000, cost: 2 },
    { tenantId: 2, perSecond: 200, cost: 100 },
  ]);
  const share = ((cheap?.admitted ?? 0) * 2) / ((costly?.admitted ?? 1) * 100);
  expect(share).toBeGreaterThan(0.7);
  expect(share).toBeLessThan(1.4);
});

test('background work waits for its turn and is never refused', async () => {
  const machine = new Machine(1_000);
  const admission = admissionOf(machine);
  let turns = 0;
  const run = (async () => {
    for (; turns < 50; turns++) {
      await admission.turn('renewals', 60);
      machine.add(60);
    }
  })();
  await offer(15, machine, admission, [{ tenantId: 1, perSecond: 1_000, cost: 6 }]);
  await run;
  expect(turns).toBe(50);
});

test('a stop lets everything begin that waits', async () => {
  const machine = new Machine(1);
  const admission = admissionOf(machine);
  await offer(2, machine, admission, [{ tenantId: 1, perSecond: 1_000, cost: 6 }]);
  const waiting = admission.admit(2, 6);
  admission.stop();
  await waiting;
  expect(admission.waiting).toBe(0);
});
