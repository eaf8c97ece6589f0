import { type Clock, secondMs } from '../../../core/clock.ts';
import type { GenerateUuid } from '../../../core/id.ts';
import { Batcher } from '../../../platform/postgres/batcher.ts';
import type { Transactional } from '../../../platform/postgres/database.ts';
import { giveUpCharge } from '../operation-queue/give-up.ts';
import { lookUpAt } from '../operation-queue/rules.ts';
import { type Deferral, deferOperations, deferralColumns } from '../operation-queue/statements.ts';
import type { NextAction, Outcome } from '../providers/outcome.ts';
import type { Payments } from '../transactions/payments.ts';
import { isFinal } from '../transactions/states.ts';
import { addTimelineMessages, type TimelineMessage } from '../transactions/timeline-message-statements.ts';
import type { Transition } from '../transactions/transition.cte.ts';
import type { ProviderResult } from './call.ts';
import type { FinalOutcome } from './effect.ts';
import type { LeasedOperation } from './statements.ts';

/** An outcome after which the operation stays open. */
export type OpenOutcome = Exclude<Outcome, FinalOutcome | RateLimited>;
export type RateLimited = Extract<Outcome, { kind: 'rate_limited' }>;

export interface DeferrerDeps {
  database: Transactional;
  /** How long a payment waits for its payer: `app.payment.payer-timeout`. */
  payerTimeoutMs: number;
  payments: Payments;
  clock: Clock;
  generateUuid: GenerateUuid;
}

type DeferralWithMessage = Deferral & { message?: TimelineMessage | undefined };

/** How long an operation that cannot be sent waits before it is claimed again. */
const postponeMs = secondMs;
const maximumBatch = 200;
const maximumQueued = 2_000;
/** How long a batch is retried while the database restarts. Then the lease runs out, and the operation is looked up. */
const retryForMs = 5 * secondMs;

/** Ends the lease of operations that stay open, and records when they are due again. */
export class Deferrer {
  readonly #deps: DeferrerDeps;
  readonly #batcher: Batcher<DeferralWithMessage, undefined>;

  constructor(deps: DeferrerDeps) {
    this.#deps = deps;
    this.#batcher = new Batcher({
      run: (deferrals) => this.#write(deferrals),
      maxBatch: maximumBatch,
      maxQueued: maximumQueued,
      retryForMs,
    });
  }

  /** For an operation that was not sent: READY, and due again in a second. */
  async postpone(operation: LeasedOperation): Promise<void> {
    const dueMs = this.#deps.clock() + postponeMs;
    await this.#batcher.add({ operation, state: 'READY', dueMs, reference: null, calls: 0, lookUps: 0 });
  }

  /**
   * For an operation with an open outcome: looked up by the schedule (`lookUpWaitsMs`), unless another time is given.
   */
  async defer(
    operation: LeasedOperation,
    { calls, lookUps }: ProviderResult,
    outcome: OpenOutcome,
    lookUpMs?: number,
  ): Promise<void> {
    const reference = 'reference' in outcome ? (outcome.reference ?? null) : null;
    if (outcome.kind === 'needs_payer') await this.#showNextAction(operation, outcome.nextAction, reference);
    if (outcome.kind === 'pending') await this.#showPayerActed(operation);
    const wasAsked = calls + lookUps > 0;
    // A look-up that only confirms that the operation is pending adds nothing to the timeline.
    const hasMessage = wasAsked && (lookUps === 0 || outcome.kind === 'unknown');
    const message = hasMessage ? this.#messageFor(operation, outcome.kind, detailOf(outcome)) : undefined;
    // If our own database prevented the request, a WAITING operation stays WAITING.
    const isWaiting = outcome.kind !== 'unknown' || (!wasAsked && operation.state === 'WAITING');
    const state = isWaiting ? 'WAITING' : 'UNKNOWN';
    const dueMs = lookUpMs ?? (await this.#nextLookUp(operation, lookUps, outcome.kind));
    await this.#batcher.add({ operation, state, dueMs, reference, calls, lookUps, message });
  }

  /** By the schedule, but not later than the end of the time that the payer has; then Florin gives up waiting. */
  async #nextLookUp(operation: LeasedOperation, lookUps: number, outcome: OpenOutcome['kind']): Promise<number> {
    const { clock, payerTimeoutMs } = this.#deps;
    const nowMs = clock();
    const dueMs = lookUpAt(operation.look_ups + lookUps, nowMs);
    if (operation.kind !== 'CHARGE' || outcome !== 'needs_payer' || operation.is_given_up) return dueMs;
    const endMs = operation.operation_created_ms + payerTimeoutMs;
    if (nowMs < endMs) return Math.min(dueMs, endMs);
    await this.#giveUp(operation, 'payment_expired', nowMs);
    return dueMs;
  }

  /** For a charge of which less was authorized than its amount: it is cancelled, and the payment then fails. */
  async declineAuthorization(
    operation: LeasedOperation,
    result: ProviderResult,
    { reference }: Extract<Outcome, { kind: 'authorized' }>,
  ): Promise<void> {
    await this.#giveUp(operation, 'insufficient_funds', this.#deps.clock());
    await this.defer(operation, result, { kind: 'pending', reference });
  }

  async #giveUp(
    operation: LeasedOperation,
    code: 'payment_expired' | 'insufficient_funds',
    nowMs: number,
  ): Promise<void> {
    const { database, payments } = this.#deps;
    await database.transaction(async (transaction) => {
      const payment = await payments.lock(transaction, operation);
      if (!isFinal(payment.status)) await giveUpCharge(transaction, payment, operation, code, nowMs);
    });
  }

  /**
   * For an operation that a rate limit refused: one that was sent is READY again, and one that was looked up stays as
   * it is. Only the first refusal is on the timeline.
   */
  async awaitLimit(operation: LeasedOperation, { calls, lookUps }: ProviderResult, dueMs: number): Promise<void> {
    const wasSent = calls > 0;
    const state = wasSent ? 'READY' : operation.state === 'WAITING' ? 'WAITING' : 'UNKNOWN';
    const isFirst = wasSent && operation.operation_limited_ms === null;
    const message = isFirst ? this.#messageFor(operation, 'rate_limited', {}) : undefined;
    const limited = wasSent ? { limitedMs: this.#deps.clock() } : {};
    await this.#batcher.add({ operation, state, dueMs, reference: null, calls, lookUps, message, ...limited });
  }

  drained(): Promise<void> {
    return this.#batcher.drained();
  }

  /**
   * Records the payer's next step on the payment, with an event for the merchant. If the payment has changed meanwhile,
   * the next look-up does it instead.
   */
  async #showNextAction(operation: LeasedOperation, nextAction: NextAction, reference: string | null): Promise<void> {
    if (operation.kind !== 'CHARGE' || isFinal(operation.status)) return;
    // Nobody is there: such a payment never waits for a payer.
    if (operation.initiator === 'MERCHANT') return;
    if (JSON.stringify(operation.next_action) === JSON.stringify(nextAction)) return;
    const { database, payments, clock } = this.#deps;
    const transition: Transition = {
      row: operation,
      to: 'PROCESSING',
      atMs: clock(),
      nextAction,
      ...(reference !== null && { providerReference: reference }),
      writesEvent: true,
      requiresAction: true,
    };
    await payments.transitionWithInvoices(database, [transition]);
  }

  /** The payer has done what the provider asked for. The payment now waits for the provider (`waitingFor`). */
  async #showPayerActed(operation: LeasedOperation): Promise<void> {
    if (operation.kind !== 'CHARGE' || isFinal(operation.status) || operation.next_action === null) return;
    const { database, payments, clock } = this.#deps;
    await payments.transitionWithInvoices(database, [
      { row: operation, to: 'PROCESSING', atMs: clock(), writesEvent: true },
    ]);
  }

  #messageFor(
    { tenant_id, id, number }: LeasedOperation,
    kind: (OpenOutcome | RateLimited)['kind'],
    detail: Record<string, unknown>,
  ): TimelineMessage {
    const { clock, generateUuid } = this.#deps;
    return {
      tenantId: tenant_id,
      transactionId: id,
      id: generateUuid(),
      atMs: clock(),
      kind,
      operation: number,
      detail,
    };
  }

  /** Messages first: a retry writes them under the same ids, but could not repeat a deferral, which ends the lease. */
  async #write(deferrals: readonly DeferralWithMessage[]): Promise<undefined[]> {
    const { database } = this.#deps;
    await addTimelineMessages(
      database,
      deferrals.flatMap(({ message }) => message ?? []),
    );
    await database.run(deferOperations, deferralColumns.parametersOf(deferrals));
    return deferrals.map(() => undefined);
  }
}

/** Of an error only its code or name: a message from a provider's library may contain secrets. */
function detailOf(outcome: OpenOutcome): Record<string, unknown> {
  if (outcome.kind !== 'unknown') return { ...('reference' in outcome && { reference: outcome.reference ?? null }) };
  const { name, code } = (outcome.cause ?? {}) as { name?: string; code?: string };
  return { error: code ?? name ?? 'no answer' };
}
