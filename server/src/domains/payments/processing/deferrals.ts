import { type Clock, secondMs } from '../../../core/clock.ts';
import type { DrawUuid } from '../../../core/id.ts';
import { plainArray, textArray } from '../../../platform/postgres/array-literal.ts';
import { Batcher } from '../../../platform/postgres/batcher.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import type { Outcome } from '../providers/provider.ts';
import { isFinal } from '../transactions/states.ts';
import { addNotesTo, type Note } from '../transactions/timeline-messages.ts';
import type { Transition } from '../transactions/transition.cte.ts';
import type { PaymentTransitions } from '../transactions/transitions.ts';
import type { ProviderResult } from './call.ts';
import { deferOperations } from './claim-statements.ts';
import { lookUpAt } from './rules.ts';
import type { FinalOutcome } from './settlement.ts';
import type { OperationRow } from './statements.ts';

/** A claimed operation and the lease it is held under. */
export interface LeasedOperation extends OperationRow {
  lease: string;
}

/** What a provider says that is not for good. */
export type OpenOutcome = Exclude<Outcome, FinalOutcome>;

interface Deferral {
  held: LeasedOperation;
  state: 'UNKNOWN' | 'WAITING' | 'READY';
  dueMs: number;
  reference: string | null;
  calls: number;
  lookUps: number;
  note?: Note | undefined;
}

export interface DeferralsDeps {
  database: Queryable;
  transitions: PaymentTransitions;
  clock: Clock;
  drawUuid: DrawUuid;
}

/** How long what cannot be called just now waits, again and again. */
const postponeMs = secondMs;
const maximumBatch = 200;
const maximumQueued = 2_000;
/** How long writing outlasts a database that restarts. Then the lease runs out, and the operation is looked up. */
const retryForMs = 5 * secondMs;

/** What is put off: when to ask again, what the payer has to do meanwhile, and a note of it for the timeline. */
export class Deferrals {
  readonly #deps: DeferralsDeps;
  readonly #batcher: Batcher<Deferral, undefined>;

  constructor(deps: DeferralsDeps) {
    this.#deps = deps;
    this.#batcher = new Batcher({
      run: (deferrals) => this.#write(deferrals),
      maxBatch: maximumBatch,
      maxQueued: maximumQueued,
      retryForMs,
    });
  }

  /** Not called, and due again shortly. */
  async postpone(held: LeasedOperation): Promise<void> {
    const dueMs = this.#deps.clock() + postponeMs;
    await this.#batcher.add({ held, state: 'READY', dueMs, reference: null, calls: 0, lookUps: 0 });
  }

  /** Asked, or kept from asking by our own database, and nothing said for good yet. */
  async defer(held: LeasedOperation, { calls, lookUps }: ProviderResult, outcome: OpenOutcome): Promise<void> {
    const reference = 'reference' in outcome ? (outcome.reference ?? null) : null;
    if (outcome.kind === 'needs_payer') await this.#showPayer(held, outcome.nextAction, reference);
    const wasAsked = calls + lookUps > 0;
    const isNoted = wasAsked && (lookUps === 0 || outcome.kind === 'unknown');
    const note = isNoted ? this.#noteOf(held, outcome) : undefined;
    // Without an answer of the provider nothing has become less known than it was.
    const isWaiting = outcome.kind !== 'unknown' || (!wasAsked && held.state === 'WAITING');
    const state = isWaiting ? 'WAITING' : 'UNKNOWN';
    const dueMs = lookUpAt(held.look_ups + lookUps, this.#deps.clock());
    await this.#batcher.add({ held, state, dueMs, reference, calls, lookUps, note });
  }

  drained(): Promise<void> {
    return this.#batcher.drained();
  }

  /** The merchant learns by an event what its payer has to do. A payment that moved meanwhile is told of at the next look-up. */
  async #showPayer(held: LeasedOperation, nextAction: object, reference: string | null): Promise<void> {
    if (held.kind !== 'CHARGE' || isFinal(held.status)) return;
    if (JSON.stringify(held.next_action) === JSON.stringify(nextAction)) return;
    const { database, transitions, clock, drawUuid } = this.#deps;
    const move: Transition = {
      row: held,
      to: 'PROCESSING',
      atMs: clock(),
      nextAction: { ...nextAction },
      ...(reference !== null && { providerReference: reference }),
      news: true,
    };
    await transitions.apply(database, [move], drawUuid);
  }

  #noteOf(held: LeasedOperation, outcome: OpenOutcome): Note {
    const { clock, drawUuid } = this.#deps;
    return {
      tenantId: held.tenant_id,
      transactionId: held.id,
      id: drawUuid(),
      atMs: clock(),
      kind: outcome.kind,
      operation: held.number,
      detail: detailOf(outcome),
    };
  }

  /** Notes first: written again under the same id they stay one, while a deferral that was written frees the lease. */
  async #write(deferrals: readonly Deferral[]): Promise<undefined[]> {
    const { database } = this.#deps;
    await addNotesTo(
      database,
      deferrals.flatMap(({ note }) => note ?? []),
    );
    await database.run(deferOperations, [
      plainArray(deferrals.map(({ held }) => held.tenant_id)),
      plainArray(deferrals.map(({ held }) => held.id)),
      plainArray(deferrals.map(({ held }) => held.number)),
      plainArray(deferrals.map(({ held }) => held.lease)),
      textArray(deferrals.map(({ state }) => state)),
      plainArray(deferrals.map(({ dueMs }) => dueMs)),
      textArray(deferrals.map(({ reference }) => reference)),
      plainArray(deferrals.map(({ calls }) => calls)),
      plainArray(deferrals.map(({ lookUps }) => lookUps)),
    ]);
    return deferrals.map(() => undefined);
  }
}

/** What a note may say of an outcome: the kind of trouble, never what a provider's library put into it. */
function detailOf(outcome: OpenOutcome): Record<string, unknown> {
  if (outcome.kind !== 'unknown') return { ...('reference' in outcome && { reference: outcome.reference ?? null }) };
  const { name, code } = (outcome.cause ?? {}) as { name?: string; code?: string };
  return { error: code ?? name ?? 'no answer' };
}
