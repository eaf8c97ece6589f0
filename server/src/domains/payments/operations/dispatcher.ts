import { type Clock, secondMs } from '../../../core/clock.ts';
import type { GenerateUuid } from '../../../core/id.ts';
import { retryAfterMs } from '../../../core/retry-after.ts';
import { Backlog } from '../../../platform/admission/backlog.ts';
import { leasesOf } from '../../../platform/jobs/lease-statements.ts';
import { type FailureReports, Worker } from '../../../platform/jobs/worker.ts';
import { plainArray } from '../../../platform/postgres/array-literal.ts';
import type { Transactional } from '../../../platform/postgres/database.ts';
import type { FailPoint } from '../../../platform/process/fail-point.ts';
import { beginCaptures } from '../captures/begin.ts';
import type { ChannelCredentials, ChannelSecrets } from '../channels/credentials.ts';
import type { ChannelDirectory } from '../channels/directory.ts';
import { type ChargeMethods, involvesMethod, noMethods } from '../methods/charges.ts';
import { maximumClaim, operationDue, operationTable } from '../operation-queue/claim.cte.ts';
import { operationsDue } from '../operation-queue/open.cte.ts';
import { longestPauseMs, shortenPaces } from '../operation-queue/pace.cte.ts';
import { findOpenCancellation, releaseColumns, releaseOperations } from '../operation-queue/statements.ts';
import type { ProviderName, Providers } from '../providers/directory.ts';
import { failure } from '../providers/failures.ts';
import type { Provider, Purchase } from '../providers/provider.ts';
import { beginRefunds } from '../refunds/begin.ts';
import { isAuthorized } from '../transactions/captured.ts';
import type { InvoicePayments } from '../transactions/invoice-payments.ts';
import type { Payments } from '../transactions/payments.ts';
import { noPurchase, withDefaults } from '../transactions/purchase.ts';
import { afterTransition, type Transition } from '../transactions/transition.cte.ts';
import { Breaker } from './breaker.ts';
import {
  callOrLookUp,
  isOwnOutage,
  type ObserveCall,
  type ProviderResult,
  type PublicAddress,
  providerOperation,
} from './call.ts';
import { ChannelLimits, maximumInFlightPerChannel } from './channel-limits.ts';
import { ChannelPace } from './channel-pace.ts';
import { claimOperations } from './claim-statements.ts';
import { Deferrer, type RateLimited } from './defer.ts';
import { type Authorized, type FinalOutcome, isFinalOutcome } from './effect.ts';
import { decide, limitedLookUpAt, limitedRetryAt, nextLookUpOfAuthorized } from './rules.ts';
import type { Settler } from './settle.ts';
import type { LeasedOperation, OperationRow } from './statements.ts';

export interface DispatcherOptions extends PublicAddress, FailureReports {
  /** At most two connections of it are used at a time: one to claim, one to defer. */
  database: Transactional;
  providers: Providers;
  channels: ChannelDirectory;
  payments: Payments;
  credentials: ChannelCredentials;
  invoicePayments: Pick<InvoicePayments, 'purchaseOf'>;
  chargeMethods: ChargeMethods;
  settler: Settler;
  clock: Clock;
  generateUuid: GenerateUuid;
  /** Providers that are never called: the sandbox, if `app.sandbox.enabled` is false. */
  disabledProviders?: ReadonlySet<ProviderName>;
  /** Deadline of each call and each look-up: `app.provider.timeout`. */
  timeoutMs: number;
  /** How long a charge that a rate limit refuses is sent again: `app.provider.rate-limit-wait`. */
  rateLimitWaitMs: number;
  /** How long a payment waits for its payer: `app.payment.payer-timeout`. */
  payerTimeoutMs: number;
  /** Operations a second through each channel, of all nodes: `app.provider.calls-per-second`. Default: no limit. */
  callsPerSecond?: number | undefined;
  observe?: ObserveCall;
  /** The steps at which fault tests end the process. */
  failPoint: FailPoint;
}

/** Operations in flight in this process, including those whose settlement is being written. */
const maximumInFlight = 1_000;
/** Minimum time between claims: several payments then share the statements of one claim. */
const claimGapMs = 40;
/** A lease lasts longer than its two calls (a look-up, then a call), by the time to settle. */
const leaseBeyondCallsMs = 10 * secondMs;

/**
 * Takes operations from READY to their final state:
 *
 * 1. claims due operations under a lease (`claim-statements.ts`),
 * 2. moves their payments to PROCESSING, before any provider is called,
 * 3. calls the provider, or looks up the outcome of an earlier call (`call.ts`),
 * 4. settles a final outcome (`settle.ts`), or defers the operation to its next look-up: after 5 s, 30 s, 5 min, 1 h,
 *    then daily (`defer.ts`). An operation that a rate limit refused is READY again.
 *
 * An outcome is never guessed. If the process dies between two steps, another one looks the operation up under the same
 * idempotency key, so that no payer is charged twice.
 */
export class Dispatcher {
  readonly worker: Worker<OperationRow>;
  readonly #options: DispatcherOptions;
  readonly #breaker: Breaker;
  /** Of all calls through the channels, also those that are not operations. */
  readonly pace: ChannelPace;
  readonly #limits: ChannelLimits;
  readonly #deferrer: Deferrer;
  readonly #leaseMs: number;
  /** Operations that were late at the start, or after the database was unavailable. */
  readonly #backlog = new Backlog();

  constructor(options: DispatcherOptions) {
    const { clock, channels, settler, timeoutMs, onError, onRecovered } = options;
    this.#options = options;
    this.#leaseMs = 2 * timeoutMs + leaseBeyondCallsMs;
    this.#breaker = new Breaker(clock);
    this.#backlog.begin(clock());
    this.pace = new ChannelPace({ ...options, onReported: () => this.worker.wake() });
    this.#limits = new ChannelLimits(this.#breaker, channels, this.pace);
    this.#deferrer = new Deferrer(options);
    const leases = leasesOf(operationTable, { ...options, leaseMs: this.#leaseMs });
    this.worker = new Worker<OperationRow>({
      name: 'operations',
      dueWork: { topic: operationsDue, due: operationDue },
      claim: (maximum, lease) => this.#claim(maximum, lease),
      leases: {
        ...leases,
        shortenWaits: async () => {
          const nowMs = clock();
          this.#backlog.begin(nowMs);
          await leases.shortenWaits();
          await options.database.run(shortenPaces, [nowMs, nowMs + longestPauseMs]);
        },
      },
      keyOf: ({ tenant_id, id, number }) => `${tenant_id} ${id} ${number}`,
      perform: (operation) => this.#perform(operation),
      drain: async (drained) => {
        // The operations in flight end within their deadlines.
        await drained;
        await this.#deferrer.drained();
        await this.pace.drained();
        await settler.drained();
      },
      slots: maximumInFlight,
      gapMs: claimGapMs,
      maxBatch: maximumClaim,
      waitedMs: (operation) => this.#waitedMs(operation),
      onError,
      onRecovered: () => {
        this.#backlog.begin(clock());
        onRecovered?.();
      },
    });
  }

  /**
   * A new operation waits for this machine, unless its channel is paced or has as many in flight as it may: then it
   * waits for its provider.
   */
  #waitedMs(operation: OperationRow): number {
    const { state, operation_channel_id, operation_created_ms } = operation;
    if (state !== 'READY' || this.#limits.hasWaited(operation_channel_id)) return 0;
    return this.#backlog.waitedMs(operation_created_ms, this.#options.clock());
  }

  async #claim(maximum: number, lease: string): Promise<LeasedOperation[]> {
    const { database, clock, failPoint, callsPerSecond = null } = this.#options;
    const nowMs = clock();
    const limits = await this.#limits.current();
    const rows = await database.run(claimOperations, [
      nowMs,
      nowMs + this.#leaseMs,
      maximum,
      lease,
      maximumInFlightPerChannel,
      plainArray(limits.map(([channelId]) => channelId)),
      plainArray(limits.map(([, limit]) => limit)),
      callsPerSecond,
    ]);
    if (rows.length === 0) return [];
    for (const { is_paced, operation_channel_id } of rows) if (is_paced) this.#limits.waited(operation_channel_id);
    const created = rows.filter(({ state }) => state === 'READY').map((row) => row.operation_created_ms);
    if (created.length > 0) this.#backlog.claimed(Math.min(...created), nowMs);
    failPoint('claimed');
    return this.#markProcessing(rows.map((row) => Object.assign(row, { lease })));
  }

  /**
   * Moves new refunds, captures and the payments of new charges to PROCESSING, before their provider is called. A
   * charge whose payment has changed meanwhile is released; all other operations are returned.
   */
  async #markProcessing(claimed: LeasedOperation[]): Promise<LeasedOperation[]> {
    const { database, payments, clock, failPoint } = this.#options;
    const refunds = claimed.filter(({ kind, state }) => kind === 'REFUND' && state === 'READY');
    if (refunds.length > 0) await beginRefunds(database, refunds, clock());
    const captures = claimed.filter(({ kind, state }) => kind === 'CAPTURE' && state === 'READY');
    if (captures.length > 0) await beginCaptures(database, captures, clock());
    const charges = claimed.filter(isUnmarkedCharge);
    if (charges.length === 0) return claimed;
    const attempted = charges.map((row): Transition => ({ row, to: 'PROCESSING', atMs: clock(), writesEvent: true }));
    const applied = await payments.transition(database, attempted);
    failPoint('begun');
    const begun = new Map(
      attempted
        .filter(({ row }) => applied.has(row.id))
        .map((transition) => [transition.row.id, afterTransition(transition)]),
    );
    const changed = charges.filter(({ id }) => !begun.has(id));
    if (changed.length > 0) await this.#release(changed);
    return claimed.flatMap((operation) => {
      if (!isUnmarkedCharge(operation)) return [operation];
      const payment = begun.get(operation.id);
      return payment === undefined ? [] : [Object.assign(operation, payment)];
    });
  }

  async #perform(operation: LeasedOperation): Promise<void> {
    const channelId = operation.operation_channel_id;
    this.#limits.started(channelId, operation.operation_provider === 'sandbox');
    try {
      await this.#advance(operation);
    } finally {
      this.#limits.finished(channelId);
    }
  }

  async #advance(operation: LeasedOperation): Promise<void> {
    const { disabledProviders, failPoint } = this.#options;
    const isNew = operation.state === 'READY';
    const decision = decide(operation, disabledProviders?.has(operation.operation_provider) ?? false);
    if (decision === 'postpone') return this.#deferrer.postpone(operation);
    if (decision !== 'call_provider') return this.#settleWithoutCall(operation, decision);
    const mayBeCancelled = operation.operation_limited_ms !== null || operation.number > 1;
    if (isNew && mayBeCancelled && (await this.#isCancellationRequested(operation))) {
      return this.#settleWithoutCall(operation, { kind: 'cancelled' });
    }
    if (isNew && involvesMethod(operation)) {
      const failed = await this.#options.chargeMethods.refusalOf(operation);
      if (failed !== undefined) return this.#settleWithoutCall(operation, { kind: 'failed', failure: failed });
    }
    if (isNew && this.#breaker.isOpen(operation.operation_channel_id)) return this.#avoidProvider(operation);
    const result = await this.#callOrLookUp(operation);
    if (isNew && result.calls + result.lookUps === 0) return this.#deferrer.postpone(operation);
    failPoint('answered');
    await this.#record(operation, result);
  }

  /**
   * A cancellation waits while its charge is being sent. If that charge is not sent after all, because of a rate limit
   * or since it failed and another channel is next, the charge is cancelled instead of being sent.
   */
  async #isCancellationRequested({ kind, tenant_id, id }: OperationRow): Promise<boolean> {
    if (kind !== 'CHARGE') return false;
    const open = await this.#options.database.run(findOpenCancellation, [tenant_id, id]);
    return open.length > 0;
  }

  /** The breaker is open: the charge goes to a fallback channel, if one accepts it; every other operation waits. */
  async #avoidProvider(operation: LeasedOperation): Promise<void> {
    const hasFallback = await this.#options.settler.hasFallback(operation, providerUnavailable);
    if (hasFallback) await this.#settleWithoutCall(operation, providerUnavailable);
    else await this.#deferrer.postpone(operation);
  }

  async #settleWithoutCall(operation: LeasedOperation, outcome: FinalOutcome): Promise<void> {
    await this.#options.settler.settle(operation, outcome, 'nothing', { lease: operation.lease });
  }

  async #callOrLookUp(operation: LeasedOperation): Promise<ProviderResult> {
    const { providers, credentials, chargeMethods, timeoutMs, failPoint, publicUrl, observe } = this.#options;
    const channelId = operation.operation_channel_id;
    const connector: Provider = await providers.of(operation.operation_provider);
    let opened: ChannelSecrets;
    try {
      opened = await credentials.of(channelId);
    } catch (cause) {
      const outcome = { kind: 'unknown', cause } as const;
      if (!isOwnOutage(outcome)) throw cause;
      // No call was made: the operation is due again soon, and not only when the lease expires.
      return { outcome, calls: 0, lookUps: 0 };
    }
    failPoint('calling');
    const { callbackToken } = opened;
    const purchase = connector.takesPurchase ? await this.#purchaseOf(operation) : noPurchase;
    const methods = involvesMethod(operation) ? await chargeMethods.of(operation) : noMethods;
    const route = { publicUrl, callbackToken, secrets: credentials.secrets, purchase, methods };
    const request = providerOperation(operation, route);
    this.pace.called(channelId);
    const result = await callOrLookUp(connector, operation, request, { credentials: opened, timeoutMs, observe });
    const { outcome } = result;
    if (outcome.kind !== 'unknown') this.#breaker.recordAnswer(channelId);
    else if (!isOwnOutage(outcome)) this.#breaker.recordFailure(channelId);
    return result;
  }

  /** What is bought with a charge, and who pays. */
  async #purchaseOf({ kind, purchase, ...row }: LeasedOperation): Promise<Purchase> {
    const { invoicePayments, database } = this.#options;
    if (kind !== 'CHARGE' || (row.invoice_id === null && row.customer_id === null)) return purchase ?? noPurchase;
    const { tenant_id: tenantId, invoice_id: invoiceId, customer_id: customerId, livemode } = row;
    return withDefaults(
      purchase,
      await invoicePayments.purchaseOf(database, { tenantId, livemode, invoiceId, customerId }),
    );
  }

  /** Settles a final outcome, whether or not the lease has expired: it stays true. Defers any other outcome. */
  async #record(operation: LeasedOperation, result: ProviderResult): Promise<void> {
    const { settler, failPoint, chargeMethods } = this.#options;
    const { outcome, calls, lookUps } = result;
    if (involvesMethod(operation)) await chargeMethods.learn(operation, outcome);
    const by = operation.state === 'READY' ? 'answer' : 'look_up';
    if (isFinalOutcome(outcome)) {
      const settled = await settler.settle(operation, outcome, by, { calls, lookUps });
      if (settled === 'mismatch') await this.#deferrer.defer(operation, result, mismatch);
      // Not by the schedule: the charge may have been looked up every day of a week, and would wait for the next one.
      if (settled === 'undecided') {
        await this.#deferrer.defer(operation, result, { kind: 'pending' }, this.#options.clock() + undecidedMs);
      }
      failPoint('settled');
      return;
    }
    if (outcome.kind === 'authorized' && operation.capture_method === 'MANUAL') {
      return this.#recordAuthorized(operation, result, outcome);
    }
    if (outcome.kind === 'rate_limited') return this.#awaitLimit(operation, result, outcome);
    if (outcome.kind === 'unknown') {
      if (outcome.mismatch !== undefined) await settler.reportDifference(operation, outcome.mismatch, by);
      if (outcome.isForgotten) await settler.reportForgotten(operation, by);
      return this.#deferrer.defer(operation, result, outcome);
    }
    const isOther = await settler.reportDifference(operation, outcome, by);
    await this.#deferrer.defer(operation, result, isOther ? mismatch : outcome);
  }

  /** A charge that is captured by requests stays open until its authorization ends, and is looked up until then. */
  async #recordAuthorized(operation: LeasedOperation, result: ProviderResult, outcome: Authorized): Promise<void> {
    const { settler, clock, failPoint } = this.#options;
    const { calls, lookUps } = result;
    const by = operation.state === 'READY' ? 'answer' : 'look_up';
    if (await settler.reportDifference(operation, outcome, by)) {
      return this.#deferrer.defer(operation, result, mismatch);
    }
    if ((outcome.money?.amount ?? operation.operation_amount) !== operation.operation_amount) {
      return this.#deferrer.declineAuthorization(operation, result, outcome);
    }
    const { dueMs, tellsExpiring } = nextLookUpOfAuthorized(operation, outcome.captureBefore, clock());
    if (!isAuthorized(operation) || tellsExpiring) {
      await settler.authorize(operation, outcome, { dueMs, tellsExpiring, calls, lookUps, isLookedUp: calls === 0 });
      failPoint('settled');
      return;
    }
    await this.#deferrer.defer(operation, result, outcome, dueMs);
  }

  /**
   * The operation is sent again, unless it is a charge that can end: because its cancellation was requested, because a
   * fallback channel takes it, or because it has been refused for `rateLimitWaitMs`.
   */
  async #awaitLimit(operation: LeasedOperation, result: ProviderResult, limited: RateLimited): Promise<void> {
    const { settler, clock, rateLimitWaitMs } = this.#options;
    const { calls, lookUps } = result;
    const nowMs = clock();
    const askedMs = retryAfterMs(limited.retryAfter, nowMs);
    this.pace.refused(operation.operation_channel_id, askedMs);
    if (calls === 0) return this.#deferrer.awaitLimit(operation, result, limitedLookUpAt(operation, askedMs, nowMs));
    const dueMs = limitedRetryAt(operation, askedMs, nowMs, rateLimitWaitMs);
    const failed: FinalOutcome = { kind: 'failed', failure: limited.failure };
    const outcome: FinalOutcome | undefined = (await this.#isCancellationRequested(operation))
      ? { kind: 'cancelled' }
      : dueMs === undefined || (await settler.hasFallback(operation, failed))
        ? failed
        : undefined;
    if (outcome !== undefined) await settler.settle(operation, outcome, 'answer', { calls, lookUps });
    else await this.#deferrer.awaitLimit(operation, result, dueMs as number);
  }

  async #release(notStarted: readonly LeasedOperation[]): Promise<void> {
    await this.#options.database.run(releaseOperations, releaseColumns.parametersOf(notStarted));
  }
}

function isUnmarkedCharge({ kind, status }: LeasedOperation): boolean {
  return kind === 'CHARGE' && status === 'PENDING';
}

const providerUnavailable: FinalOutcome = { kind: 'failed', failure: failure('provider_unavailable') };

/**
 * When a charge is looked up again that has ended while a capture or a release of it is under way, or has just ended.
 */
const undecidedMs = 5 * secondMs;

const mismatch = {
  kind: 'unknown',
  cause: Object.assign(new Error('The provider reported another amount, currency or mode.'), { code: 'mismatch' }),
} as const;
