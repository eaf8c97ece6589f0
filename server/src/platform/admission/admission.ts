import { Refusal } from '../../core/errors.ts';
import { rule } from '../../core/refusal-rules.ts';
import { behindMs } from './waiting-work.ts';

export interface AdmissionOptions {
  /** For how long the oldest work has waited for this machine, or for one that works for it, in ms. */
  oldestWaitMs: () => number;
  /** Default: performance.now(). */
  now?: () => number;
}

/** Called once: without an argument when the write may begin, else with the reason why it is refused. */
type Proceed = (refusal?: Refusal) => void;

interface Waiting {
  cost: number;
  proceed: Proceed;
  /** Undefined: it waits as long as it takes. */
  refusedAtMs: number | undefined;
}

/** Whose writes take turns: a tenant by its id, or a kind of work, by its name. */
export type Group = number | string;

/** The writes of a group that wait. */
interface Queue {
  waiting: Waiting[];
  cost: number;
  /** The cost of its writes that were admitted while others waited: the group with the least comes next. */
  spent: number;
}

/**
 * Admitted work should begin within this time. An event is to be posted within a second, a payment charged within two.
 */
const targetMs = 2 * behindMs;
const tickMs = 50;
/** A machine that is not behind admits at once what its rate allows in this time; one that is behind, in one tick. */
const burstMs = 250;
/** A write that would wait for longer is refused at once, because its caller cannot know whether to go on waiting. */
const longestWaitMs = 500;
/** Writes of one tenant that may wait, however slow the machine is. */
const leastQueued = 16;
/**
 * The rate is corrected by this share of the difference between target and wait. More would overshoot, because a wait
 * is seen late.
 */
const gain = 0.5;
const leastCorrection = 0.4;
/**
 * The rate is corrected from what was admitted over this time: longer than a machine that fell behind takes to catch
 * up.
 */
const averagedOverMs = 1_500;
/**
 * In events and deliveries a second: the lowest rate on any machine, and the rate of a machine that is not known yet.
 */
const leastRate = 2_400;
const initialRate = 4_000;
/**
 * Factors of what the machine is known to carry, per tick: while writes wait and it is not behind; while it is behind.
 */
const carriedGrowth = 1.05;
const carriedLoss = 0.95;

/**
 * Decides when a write that makes events may begin, so that what is accepted is also charged and posted in time. It
 * watches how long the oldest work waits for this machine, and adjusts the rate at which writes are admitted: to more
 * than was admitted recently while the wait is below the target, to less while it is above. The rate settles where the
 * machine just keeps up. A stall under a load that the machine is known to carry refuses nothing.
 *
 * Writes that find the rate used up wait for at most half a second, tenants in turn by cost; what would wait for longer
 * is refused (`overloaded`). The cost of a write is the number of events and deliveries that it causes.
 */
export class Admission {
  readonly #oldestWaitMs: () => number;
  readonly #now: () => number;
  readonly #queues = new Map<Group, Queue>();
  #timer: NodeJS.Timeout | undefined;
  #rate = initialRate;
  /** What the machine is known to carry. While it is behind, a quarter of that is admitted at least. */
  #carried = initialRate;
  /** What may be admitted until the next tick. */
  #allowance = (initialRate * burstMs) / 1_000;
  #admittedSinceTick = 0;
  #averageRate = 0;
  #tickedAtMs: number;

  constructor({ oldestWaitMs, now = () => performance.now() }: AdmissionOptions) {
    this.#oldestWaitMs = oldestWaitMs;
    this.#now = now;
    this.#tickedAtMs = now();
  }

  /** Calls `proceed` now, or when it is the write's turn, or with a refusal. */
  enter(group: Group, cost: number, proceed: Proceed): void {
    this.#startTicking();
    if (this.#queues.size === 0 && this.#allowance > 0) this.#admit(cost, proceed);
    else if (this.#mayWait(group, cost)) this.#wait(group, { cost, proceed, refusedAtMs: this.#now() + longestWaitMs });
    else proceed(overloaded);
  }

  /** As `enter`: resolves when the write may begin, and rejects with the refusal. */
  admit(group: Group, cost: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.enter(group, cost, (refusal) => (refusal === undefined ? resolve() : reject(refusal)));
    });
  }

  /** For background work, which is never refused: resolves when it may begin. */
  turn(group: Group, cost: number): Promise<void> {
    return new Promise((resolve) => {
      this.#startTicking();
      if (this.#queues.size === 0 && this.#allowance > 0) this.#admit(cost, () => resolve());
      else this.#wait(group, { cost, proceed: () => resolve(), refusedAtMs: undefined });
    });
  }

  /** Writes that wait. */
  get waiting(): number {
    return [...this.#queues.values()].reduce((sum, { waiting }) => sum + waiting.length, 0);
  }

  /** Admits everything that waits. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const [group, { waiting }] of [...this.#queues]) {
      this.#queues.delete(group);
      for (const { proceed } of waiting) proceed();
    }
  }

  /** Whether it is likely to be admitted in time, when the rate is shared with all other groups that wait. */
  #mayWait(group: Group, cost: number): boolean {
    const queue = this.#queues.get(group);
    if (queue === undefined || queue.waiting.length < leastQueued) return true;
    return ((queue.cost + cost) * this.#queues.size * 1_000) / this.#rate <= longestWaitMs;
  }

  #admit(cost: number, proceed: Proceed): void {
    this.#allowance -= cost;
    this.#admittedSinceTick += cost;
    proceed();
  }

  #wait(group: Group, waiting: Waiting): void {
    let queue = this.#queues.get(group);
    if (queue === undefined) {
      // A tenant that comes later has no claim on what others were admitted before.
      const spent = Math.min(...[...this.#queues.values()].map((other) => other.spent));
      queue = { waiting: [], cost: 0, spent: Number.isFinite(spent) ? spent : 0 };
      this.#queues.set(group, queue);
    }
    queue.waiting.push(waiting);
    queue.cost += waiting.cost;
  }

  /** Ticks only while there are writes, so that an idle process has no timer. */
  #startTicking(): void {
    if (this.#timer !== undefined) return;
    this.#tickedAtMs = this.#now();
    this.#timer = setTimeout(() => this.#tick(), tickMs);
    this.#timer.unref();
  }

  #tick(): void {
    const nowMs = this.#now();
    const elapsedMs = Math.max(1, nowMs - this.#tickedAtMs);
    this.#tickedAtMs = nowMs;
    this.#adjustRate(elapsedMs);
    this.#refuseOverdue(nowMs);
    this.#admitWaiting();
    this.#timer = undefined;
    if (this.#queues.size > 0 || this.#averageRate > 1) this.#startTicking();
    else this.#averageRate = 0;
  }

  #adjustRate(elapsedMs: number): void {
    const weight = Math.min(1, elapsedMs / averagedOverMs);
    this.#averageRate += weight * ((this.#admittedSinceTick * 1_000) / elapsedMs - this.#averageRate);
    this.#admittedSinceTick = 0;
    // A turn of the event loop that took long delays all work of this process.
    const waitMs = Math.max(this.#oldestWaitMs(), elapsedMs - tickMs);
    const isBehind = waitMs >= behindMs;
    if (isBehind) this.#carried = Math.max(leastRate, this.#carried * carriedLoss);
    else this.#carried = Math.max(this.#carried, this.#averageRate) * (this.#queues.size > 0 ? carriedGrowth : 1);
    const correction = Math.max(leastCorrection, 1 + gain * (1 - waitMs / targetMs));
    this.#rate = Math.max(isBehind ? this.#carried / 4 : this.#carried, this.#averageRate * correction);
    // A write may cost more than was left: what was admitted beyond the allowance is taken from the next one.
    const allowance = this.#allowance + (this.#rate * Math.min(elapsedMs, burstMs)) / 1_000;
    this.#allowance = Math.min(allowance, (this.#rate * (isBehind ? tickMs : burstMs)) / 1_000);
  }

  #refuseOverdue(nowMs: number): void {
    for (const [group, queue] of this.#queues) {
      const isOverdue = ({ refusedAtMs = Number.POSITIVE_INFINITY }: Waiting) => refusedAtMs <= nowMs;
      const overdue = queue.waiting.filter(isOverdue);
      if (overdue.length === 0) continue;
      queue.waiting = queue.waiting.filter((waiting) => !isOverdue(waiting));
      queue.cost = queue.waiting.reduce((sum, { cost }) => sum + cost, 0);
      if (queue.waiting.length === 0) this.#queues.delete(group);
      for (const { proceed } of overdue) proceed(overloaded);
    }
  }

  #admitWaiting(): void {
    while (this.#allowance > 0 && this.#queues.size > 0) {
      const [group, queue] = [...this.#queues].reduce((least, other) =>
        other[1].spent < least[1].spent ? other : least,
      );
      const { cost, proceed } = queue.waiting.shift() as Waiting;
      queue.cost -= cost;
      queue.spent += cost;
      if (queue.waiting.length === 0) this.#queues.delete(group);
      this.#admit(cost, proceed);
    }
  }
}

/** One for all, because a flood is refused by the thousand. */
const overloaded = new Refusal('overloaded', rule('work_waits'), { retryAfterSeconds: 1 });
