import { type Clock, minuteMs, secondMs } from '../../../core/clock.ts';
import type { DrawUuid } from '../../../core/id.ts';
import { ClaimLoop } from '../../../platform/jobs/claim-loop.ts';
import { plainArray, textArray } from '../../../platform/postgres/array-literal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import type { FailPoint } from '../../../platform/process/fail-point.ts';
import type { ChannelCredentials } from '../channels/credentials.ts';
import type { ChannelDirectory } from '../channels/directory.ts';
import type { ProviderName, Providers } from '../providers/directory.ts';
import { failure } from '../providers/failures.ts';
import type { Credentials, Outcome } from '../providers/provider.ts';
import { beginRefunds } from '../refunds/begin.ts';
import { isFinal } from '../transactions/states.ts';
import { afterTransition, type Transition } from '../transactions/transition.cte.ts';
import type { PaymentTransitions } from '../transactions/transitions.ts';
import { Breaker } from './breaker.ts';
import { type Addresses, ask, isOwnOutage, operationOf, type ProviderResult } from './call.ts';
import {
  bringForward,
  claimOperations,
  freeLeases,
  giveBackOperations,
  maximumClaim,
  releaseOperations,
} from './claim-statements.ts';
import { Deferrals, type LeasedOperation } from './deferrals.ts';
import { lookUpWaitsMs } from './rules.ts';
import type { Settler } from './settle.ts';
import { type FinalOutcome, isFinalOutcome } from './settlement.ts';
import type { OperationRow } from './statements.ts';

export interface DispatcherOptions extends Addresses {
  /** At most two connections of it are used at once: one to claim, one to defer. */
  database: Queryable;
  providers: Providers;
  channels: ChannelDirectory;
  transitions: PaymentTransitions;
  credentials: ChannelCredentials;
  settler: Settler;
  clock: Clock;
  drawUuid: DrawUuid;
  /** Providers that are not asked for anything: the sandbox, where it is disabled. */
  disabledProviders?: ReadonlySet<ProviderName>;
  /** One deadline for a whole call of a provider: `app.provider.timeout`. */
  timeoutMs: number;
  /** Where a drill ends the process (tests of crashes). */
  failPoint: FailPoint;
  observer?: DispatchObserver;
  /** How often it looks by itself, where something else wakes it. */
  pollMs?: () => number;
  onError: (error: unknown) => void;
  onRecovered?: () => void;
}

export interface DispatchObserver {
  onOutcome?: (facts: {
    provider: string;
    kind: OperationRow['kind'];
    outcome: Outcome['kind'];
    durationMs: number;
  }) => void;
}

/** Operations at work at once, and of one channel: what waits for its settlement to be written counts, too. */
const slots = 1_000;
const slotsOfChannel = 500;
/** Beyond the call's own deadlines (a look-up, then a call) a lease leaves this long, to be settled in. */
const leaseBeyondCallsMs = 10 * secondMs;

/**
 * Takes payments from PENDING to their end: claims what is due under a lease, moves payments to PROCESSING before their
 * provider is called, asks the provider, and has its word settled. What is not sure is looked up after 5 s, 30 s, 5 min,
 * 1 h, then daily; nothing is ever guessed. A process that dies between any two steps leaves an operation that the next one
 * looks up under the same key, so that nobody is charged twice.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #loop: ClaimLoop<LeasedOperation>;
  readonly #breaker: Breaker;
  readonly #deferrals: Deferrals;
  readonly #atWork = new Map<number, number>();
  readonly #leaseMs: number;

  constructor(options: DispatcherOptions) {
    const { clock, timeoutMs, onError, onRecovered } = options;
    this.#options = options;
    this.#leaseMs = 2 * timeoutMs + leaseBeyondCallsMs;
    this.#breaker = new Breaker(clock);
    this.#deferrals = new Deferrals(options);
    this.#loop = new ClaimLoop<LeasedOperation>({
      claim: (room, lease) => this.#claim(room, lease),
      giveBack: async (leases) => {
        await options.database.run(giveBackOperations, [leases, this.#leaseMs]);
      },
      keyOf: ({ tenant_id, id, number }) => `${tenant_id} ${id} ${number}`,
      renew: (inFlight, { lease }) => Object.assign(inFlight, { lease }),
      perform: (held) => this.#perform(held),
      release: (notStarted) => this.#release(notStarted),
      slots: () => slots,
      maxBatch: maximumClaim,
      pollMs: options.pollMs,
      onError: onError,
      ...(onRecovered && { onRecovered }),
    });
  }

  get inFlight(): number {
    return this.#loop.inFlight;
  }

  start(): void {
    this.#loop.start();
  }

  /**
   * Where nobody else can be at work on this database: what a process that died held is due at once, not when its leases
   * run out. To be called before `start`.
   */
  async freeDeadLeases(): Promise<void> {
    await this.#options.database.run(freeLeases);
  }

  /** The database's clock was set back (`DatabaseClock`). Also called before it starts: it may have been while nobody looked. */
  async clockWasSetBack(): Promise<void> {
    const { database, clock } = this.#options;
    await database.run(bringForward, [clock(), this.#leaseMs, minuteMs, [...lookUpWaitsMs]]);
    this.#loop.wake();
  }

  /** Something has just become due here: look now, not at the next poll. */
  wake(): void {
    this.#loop.wake();
  }

  /** Stops claiming and lets what is in flight end, within its own deadlines. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    await this.#loop.drained();
    await this.#deferrals.drained();
  }

  async #claim(room: number, lease: string): Promise<LeasedOperation[]> {
    const { database, clock, failPoint } = this.#options;
    const nowMs = clock();
    const limited = await this.#limits();
    const rows = await database.run(claimOperations, [
      nowMs,
      nowMs + this.#leaseMs,
      room,
      lease,
      slotsOfChannel,
      plainArray(limited.map(([channelId]) => channelId)),
      plainArray(limited.map(([, left]) => left)),
    ]);
    if (rows.length === 0) return [];
    failPoint('claimed');
    return this.#begin(rows.map((row) => Object.assign(row, { lease })));
  }

  /** How many more of each channel may be taken, where that is not as many as of any. */
  async #limits(): Promise<[channelId: number, room: number][]> {
    const left = new Map([...this.#atWork].map(([id, count]) => [id, Math.max(0, slotsOfChannel - count)]));
    for (const { channelId, isOpen, isProbing } of this.#breaker.troubled) {
      const atWork = this.#atWork.get(channelId) ?? 0;
      if (isOpen) left.set(channelId, (await this.#canFallBack(channelId)) ? slotsOfChannel : 0);
      else if (isProbing) left.set(channelId, atWork === 0 ? 1 : 0);
    }
    return [...left];
  }

  /** As far as the channel itself says; whether one of those takes the payment is asked when its turn comes. */
  async #canFallBack(channelId: number): Promise<boolean> {
    const channel = await this.#options.channels.find(channelId);
    return channel !== undefined && channel.fallback_channel_ids.length > 0;
  }

  /** Payments are PROCESSING, and told so, before anyone is called. What has been called off meanwhile is not called. */
  async #begin(claimed: LeasedOperation[]): Promise<LeasedOperation[]> {
    const { database, transitions, clock, drawUuid, failPoint } = this.#options;
    const fresh = claimed.filter(({ kind, status }) => kind === 'CHARGE' && status === 'PENDING');
    const refunds = claimed.filter(({ kind, state }) => kind === 'REFUND' && state === 'READY');
    if (refunds.length > 0) await beginRefunds(database, refunds, clock());
    if (fresh.length === 0) return claimed;
    const moves = fresh.map((row): Transition => ({ row, to: 'PROCESSING', atMs: clock(), news: true }));
    const moved = await transitions.apply(database, moves, drawUuid);
    failPoint('begun');
    const begun = new Map(
      moves.filter(({ row }) => moved.has(row.id)).map((move) => [move.row.id, afterTransition(move)]),
    );
    const left = fresh.filter(({ id }) => !begun.has(id));
    if (left.length > 0) await this.#release(left);
    return claimed.flatMap((held) => {
      if (held.kind !== 'CHARGE' || held.status !== 'PENDING') return [held];
      const row = begun.get(held.id);
      return row === undefined ? [] : [Object.assign(held, row)];
    });
  }

  async #perform(held: LeasedOperation): Promise<void> {
    const id = held.operation_channel_id;
    this.#atWork.set(id, (this.#atWork.get(id) ?? 0) + 1);
    try {
      await this.#advance(held);
    } finally {
      const left = (this.#atWork.get(id) ?? 1) - 1;
      if (left > 0) this.#atWork.set(id, left);
      else this.#atWork.delete(id);
    }
  }

  async #advance(held: LeasedOperation): Promise<void> {
    const { settler, failPoint, disabledProviders } = this.#options;
    if (disabledProviders?.has(held.operation_provider)) {
      await settler.settle(held, { kind: 'failed', failure: providerDisabled }, 'nothing', { lease: held.lease });
      return;
    }
    const isNew = held.state === 'READY';
    if (isNew && isFinal(held.status) && held.kind !== 'REFUND') {
      await settler.settle(held, { kind: 'cancelled' }, 'nothing', { lease: held.lease });
      return;
    }
    if (held.kind === 'CANCEL' && held.charge_number === null) {
      await settler.settle(held, { kind: 'failed', failure: nothingToCancel }, 'nothing', { lease: held.lease });
      return;
    }
    if (held.kind === 'CANCEL' && (held.charge_state === 'READY' || held.charge_state === 'CALLING')) {
      // Asked while the charge is on its way, a provider could find nothing to cancel and then take the money.
      return this.#deferrals.postpone(held);
    }
    if (isNew && this.#breaker.isOpen(held.operation_channel_id)) {
      const resting: FinalOutcome = { kind: 'failed', failure: failure('provider_unavailable') };
      if (!(await settler.hasFallback(held, resting))) return this.#deferrals.postpone(held);
      await settler.settle(held, resting, 'nothing', { lease: held.lease });
      return;
    }
    const told = await this.#ask(held);
    if (told.calls + told.lookUps === 0 && isNew) return this.#deferrals.postpone(held);
    failPoint('answered');
    if (isFinalOutcome(told.outcome)) {
      const { calls, lookUps } = told;
      const settled = await settler.settle(held, told.outcome, isNew ? 'answer' : 'look_up', { calls, lookUps });
      if (settled === 'mismatch') await this.#deferrals.defer(held, told, { kind: 'unknown', cause: anotherAmount });
      failPoint('settled');
    } else {
      const { outcome } = told;
      if (outcome.kind === 'unknown' && outcome.mismatch !== undefined) {
        await settler.mismatch(held, outcome.mismatch, isNew ? 'answer' : 'look_up');
      }
      await this.#deferrals.defer(held, told, outcome);
    }
  }

  async #ask(held: LeasedOperation): Promise<ProviderResult> {
    const { providers, credentials, timeoutMs, observer, failPoint, publicUrl } = this.#options;
    const startedAt = performance.now();
    const connector = await providers.of(held.operation_provider);
    let opened: Credentials;
    try {
      opened = await credentials.of(held.operation_channel_id);
    } catch (cause) {
      const outcome = { kind: 'unknown', cause } as const;
      if (!isOwnOutage(outcome)) throw cause;
      // Not asked: it is tried again shortly, not only when the lease runs out.
      return { outcome, calls: 0, lookUps: 0 };
    }
    failPoint('calling');
    const told = await ask(connector, held, operationOf(held, { publicUrl }), { credentials: opened, timeoutMs });
    if (told.outcome.kind !== 'unknown') this.#breaker.answered(held.operation_channel_id);
    else if (!isOwnOutage(told.outcome)) this.#breaker.failed(held.operation_channel_id);
    observer?.onOutcome?.({
      provider: held.operation_provider,
      kind: held.kind,
      outcome: told.outcome.kind,
      durationMs: performance.now() - startedAt,
    });
    return told;
  }

  async #release(notStarted: readonly LeasedOperation[]): Promise<void> {
    await this.#options.database.run(releaseOperations, [
      plainArray(notStarted.map(({ tenant_id }) => tenant_id)),
      plainArray(notStarted.map(({ id }) => id)),
      plainArray(notStarted.map(({ number }) => number)),
      plainArray(notStarted.map(({ lease }) => lease)),
      textArray(notStarted.map(({ state }) => state)),
    ]);
  }
}

const providerDisabled = failure('invalid_operation', 'sandbox_disabled', 'The sandbox is disabled here.');
const anotherAmount = Object.assign(new Error('The provider named another amount or currency.'), {
  code: 'amount_mismatch',
});

const nothingToCancel = failure('invalid_operation', null, 'No charge is under way that could be called off.');
