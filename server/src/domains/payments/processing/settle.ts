import { type Clock, secondMs } from '../../../core/clock.ts';
import type { DrawUuid } from '../../../core/id.ts';
import { Batcher } from '../../../platform/postgres/batcher.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import type { ChannelDirectory } from '../channels/directory.ts';
import { areMixed, mayUse } from '../channels/rules.ts';
import { isRetriable } from '../providers/failures.ts';
import { findRefund, type RefundRow } from '../refunds/statements.ts';
import { isFinal } from '../transactions/states.ts';
import { addNotesTo } from '../transactions/timeline-messages.ts';
import { valuesOfTransitions } from '../transactions/transition.cte.ts';
import type { PaymentTransitions } from '../transactions/transitions.ts';
import { type DisputeKind, differsInMoney } from './disputes.ts';
import { dispute } from './disputes-statements.ts';
import { settleOperations } from './settle-statements.ts';
import {
  contradicts,
  type FinalOutcome,
  type NextChannel,
  reverses,
  type Settlement,
  type SettlementFacts,
  settlementOf,
  valuesOfSettlements,
} from './settlement.ts';
import { findOfPayment, type OperationRow, type SettledBy } from './statements.ts';

export interface SettlerDeps {
  /** One settling statement at a time. */
  database: Queryable;
  channels: ChannelDirectory;
  transitions: PaymentTransitions;
  clock: Clock;
  drawUuid: DrawUuid;
  /** A provider has said two things that cannot both be true, or named another amount: it is to be looked up. */
  onContradiction: (row: OperationRow, outcome: FinalOutcome, kind: DisputeKind) => void;
}

/** Under which lease, and by how many calls and look-ups, it was learned. */
export type Learned = Pick<SettlementFacts, 'lease' | 'calls' | 'lookUps'>;

const maximumBatch = 200;
const maximumQueued = 20_000;
/** How long a settlement outlasts a database that restarts. Then the operation is looked up again instead. */
const retryForMs = 5 * secondMs;
/** Reading a payment anew that others change at the same time. */
const maximumTries = 20;

/**
 * The one home of what follows from a provider's word: payment, totals, ledger, refund, event, deliveries and operation are
 * written together, many settlements in one statement, or not at all. A payment's final state is never moved backwards,
 * except by a refund that fails after it had succeeded; a word that contradicts it is noted and shown.
 */
export class Settler {
  readonly #deps: SettlerDeps;
  readonly #batcher: Batcher<Settlement, boolean>;
  readonly #settleOperations: ReturnType<typeof settleOperations>;

  constructor(deps: SettlerDeps) {
    this.#deps = deps;
    this.#settleOperations = settleOperations(deps.transitions);
    this.#batcher = new Batcher({
      run: (settlements) => this.#write(settlements),
      maxBatch: maximumBatch,
      maxQueued: maximumQueued,
      retryForMs,
    });
  }

  /**
   * Resolves when it is on disk. A lease is demanded only where one is given. What is said of another amount or currency is
   * not believed: it is disputed, and whoever heard it has to ask again.
   */
  async settle(
    row: OperationRow,
    outcome: FinalOutcome,
    by: SettledBy,
    learned: Learned = {},
  ): Promise<'settled' | 'mismatch'> {
    if (differsInMoney(row, outcome)) {
      await this.mismatch(row, outcome, by);
      return 'mismatch';
    }
    let current: OperationRow | undefined = row;
    let isNoted = false;
    for (let tries = 0; tries < maximumTries; tries++) {
      if (current === undefined) return 'settled';
      if (!isNoted && contradicts(current, outcome, learned.calls)) {
        isNoted = true;
        await this.#contradiction(current, outcome, by);
      }
      if (isFinished(current) && !reverses(current, outcome, learned.calls)) return 'settled';
      const facts: SettlementFacts = { row: current, outcome, by, ...learned, atMs: this.#deps.clock() };
      const nextChannel = await this.#nextChannel(current, outcome);
      const refund = await this.#failedRefund(current, outcome);
      if (await this.#batcher.add(settlementOf({ ...facts, nextChannel, refund }))) return 'settled';
      current = await this.#read(row);
    }
    throw new Error(`Payment ${row.id} could not be settled: it never stood still.`);
  }

  /** Whether another channel would take the charge if it ended so. */
  async hasFallback(row: OperationRow, outcome: FinalOutcome): Promise<boolean> {
    return (await this.#nextChannel(row, outcome)) !== null;
  }

  drained(): Promise<void> {
    return this.#batcher.drained();
  }

  /** Which of them were applied. A payment that stands twice in a batch is settled once; its other one goes again. */
  async #write(settlements: readonly Settlement[]): Promise<boolean[]> {
    const { database, drawUuid } = this.#deps;
    const seen = new Set<string>();
    const first = settlements.map(({ move }) => !seen.has(move.row.id) && seen.add(move.row.id) !== undefined);
    const written = settlements
      .filter((_, i) => first[i])
      .sort(({ move: { row: a } }, { move: { row: b } }) => (a.id < b.id ? -1 : 1));
    const rows = await database.run(this.#settleOperations, [
      ...valuesOfTransitions(
        written.map(({ move }) => move),
        drawUuid,
      ),
      ...valuesOfSettlements(written),
    ]);
    const applied = new Set(rows.map(({ id }) => id));
    return settlements.map(({ move }, i) => first[i] === true && applied.has(move.row.id));
  }

  async #read({ tenant_id, id, number }: OperationRow): Promise<OperationRow | undefined> {
    const rows = await this.#deps.database.run(findOfPayment, [tenant_id, id]);
    return rows.find((row) => row.number === number);
  }

  /** The refund, where its event is going to tell of it. */
  async #failedRefund(row: OperationRow, outcome: FinalOutcome): Promise<RefundRow | undefined> {
    if (row.kind !== 'REFUND' || outcome.kind === 'succeeded') return undefined;
    const [refund] = await this.#deps.database.run(findRefund, [[row.tenant_id], row.refund_id]);
    return refund;
  }

  /** After a definite failure that another provider may not have: the next channel that was not tried and takes it. */
  async #nextChannel(row: OperationRow, outcome: FinalOutcome): Promise<NextChannel | null> {
    if (row.kind !== 'CHARGE' || outcome.kind !== 'failed' || !isRetriable(outcome.failure)) return null;
    const { channels, database } = this.#deps;
    const asked = await channels.find(row.channel_id);
    if (asked === undefined || asked.fallback_channel_ids.length === 0 || isFinal(row.status)) return null;
    const tried = new Set(
      (await database.run(findOfPayment, [row.tenant_id, row.id])).map((operation) => operation.operation_channel_id),
    );
    for (const id of asked.fallback_channel_ids) {
      const channel = await channels.find(id);
      if (channel === undefined || tried.has(id) || channel.provider === null || !channel.state) continue;
      // Refused when channels are saved; a row from before may still say so.
      if (channel.is_disabled || areMixed(channel, { provider: row.operation_provider })) continue;
      if (mayUse(channel, row.tenant_id) && channel.currencies.includes(row.currency)) {
        return { id, provider: channel.provider };
      }
    }
    return null;
  }

  async #contradiction(row: OperationRow, outcome: FinalOutcome, by: SettledBy): Promise<void> {
    const { database, clock, drawUuid, onContradiction } = this.#deps;
    await dispute(database, row, outcome, clock());
    onContradiction(row, outcome, 'contradiction');
    await addNotesTo(database, [
      {
        tenantId: row.tenant_id,
        transactionId: row.id,
        id: drawUuid(),
        atMs: clock(),
        kind: 'contradiction',
        operation: row.number,
        detail: {
          stands: row.state,
          payment: row.status,
          said: outcome.kind,
          by,
          reference: outcome.reference ?? null,
        },
      },
    ]);
  }

  /** Another amount or currency was named. The same is told at every look-up: it is noted once. */
  async mismatch(row: OperationRow, outcome: FinalOutcome, by: SettledBy): Promise<void> {
    const { database, clock, drawUuid, onContradiction } = this.#deps;
    if (!(await dispute(database, row, outcome, clock()))) return;
    onContradiction(row, outcome, 'mismatch');
    const detail = { said: outcome.kind, by, reference: outcome.reference ?? null, ...outcome.money };
    await addNotesTo(database, [
      {
        tenantId: row.tenant_id,
        transactionId: row.id,
        id: drawUuid(),
        atMs: clock(),
        kind: 'mismatch',
        operation: row.number,
        detail,
      },
    ]);
  }
}

function isFinished({ state }: OperationRow): boolean {
  return state === 'SUCCEEDED' || state === 'FAILED' || state === 'CANCELLED';
}
