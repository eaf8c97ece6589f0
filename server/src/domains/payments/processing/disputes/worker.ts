import { type Clock, minuteMs, secondMs } from '../../../../core/clock.ts';
import type { DrawUuid } from '../../../../core/id.ts';
import { ClaimLoop } from '../../../../platform/jobs/claim-loop.ts';
import { plainArray } from '../../../../platform/postgres/array-literal.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import type { ChannelCredentials } from '../../channels/credentials.ts';
import type { Providers } from '../../providers/directory.ts';
import type { Absent, Outcome } from '../../providers/provider.ts';
import { addTimelineMessages } from '../../transactions/timeline-messages.ts';
import { lookUpOperation, type PublicAddress, providerOperation } from '../call.ts';
import { lookUpAt, lookUpWaitsMs } from '../rules.ts';
import type { Settler } from '../settle.ts';
import { isFinalOutcome, reverses } from '../settlement.ts';
import { findOfPayment, type OperationRow } from '../statements.ts';
import { isFinished } from '../states.ts';
import { type Verdict, verdictOf } from './rules.ts';
import {
  claimDisputes,
  type DisputeState,
  type DueDispute,
  freeDisputeLeases,
  giveBackDisputes,
  recordDispute,
  releaseDisputes,
  shortenDisputeWaits,
} from './statements.ts';

export interface DisputeWorkerOptions extends PublicAddress {
  database: Queryable;
  providers: Providers;
  credentials: Pick<ChannelCredentials, 'of'>;
  settler: Settler;
  clock: Clock;
  drawUuid: DrawUuid;
  /** Deadline of a look-up: `app.provider.timeout`. */
  timeoutMs: number;
  /** Called when a look-up decides a dispute, and again only when the verdict changes. */
  onVerdict: (row: OperationRow, answer: Outcome | Absent, verdict: 'agrees' | 'disagrees') => void;
  pollMs?: () => number;
  onError: (error: unknown) => void;
  onRecovered?: () => void;
}

/** Disputes are rare; this few look-ups at a time cannot load a provider. */
const maximumInFlight = 5;
/** What a lease lasts beyond the deadline of the look-up: time to settle and to record the result. */
const leaseBeyondCallMs = 10 * secondMs;

interface LeasedDispute extends DueDispute {
  lease: string;
}

/**
 * Looks operations in dispute up at their provider.
 *
 * An operation that is still open is settled with the answer, and a refund that has failed after it had succeeded is
 * reversed. Otherwise the answer changes no payment: if the provider agrees with what is settled the dispute is closed; if
 * it disagrees that is shown, and the look-up is repeated every day.
 */
export class DisputeWorker {
  readonly #options: DisputeWorkerOptions;
  readonly #loop: ClaimLoop<LeasedDispute>;

  constructor(options: DisputeWorkerOptions) {
    const { onError, onRecovered } = options;
    this.#options = options;
    this.#loop = new ClaimLoop<LeasedDispute>({
      claim: (maximum, lease) => this.#claim(maximum, lease),
      releaseLeases: async (leases) => {
        await options.database.run(giveBackDisputes, [leases]);
      },
      perform: (dispute) => this.#perform(dispute),
      release: (notStarted) => this.#release(notStarted),
      slots: () => maximumInFlight,
      maxBatch: maximumInFlight,
      pollMs: options.pollMs,
      onError,
      ...(onRecovered && { onRecovered }),
    });
  }

  start(): void {
    this.#loop.start();
  }

  wake(): void {
    this.#loop.wake();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
    await this.#loop.drained();
  }

  async freeDeadLeases(): Promise<void> {
    await this.#options.database.run(freeDisputeLeases);
  }

  async clockWasSetBack(): Promise<void> {
    const { database, clock } = this.#options;
    const values = [clock(), this.#leaseMs, minuteMs, [...lookUpWaitsMs.slice(0, -1)], lookUpWaitsMs.at(-1)];
    await database.run(shortenDisputeWaits, values);
    this.#loop.wake();
  }

  get #leaseMs(): number {
    return this.#options.timeoutMs + leaseBeyondCallMs;
  }

  async #claim(maximum: number, lease: string): Promise<LeasedDispute[]> {
    const { database, clock } = this.#options;
    const nowMs = clock();
    const rows = await database.run(claimDisputes, [nowMs, nowMs + this.#leaseMs, maximum, lease]);
    return rows.map((row) => ({ ...row, lease }));
  }

  async #perform(dispute: LeasedDispute): Promise<void> {
    const row = await this.#read(dispute);
    if (row === undefined) return;
    const answer = await this.#lookUp(row, dispute.reference);
    const current = await this.#settle(dispute, row, answer);
    await this.#record(dispute, current, answer, verdictOf(current, answer));
  }

  async #lookUp(row: OperationRow, reference: string | null): Promise<Outcome | Absent> {
    const { providers, credentials, publicUrl, timeoutMs } = this.#options;
    // Without a reference, some providers can be looked up only by sending the request again.
    if (reference === null)
      return { kind: 'unknown', cause: new Error('The provider has given no reference for the operation.') };
    try {
      const connector = await providers.of(row.operation_provider);
      const opened = await credentials.of(row.operation_channel_id);
      const { callbackToken } = opened;
      const operation = providerOperation({ ...row, operation_reference: reference }, { publicUrl, callbackToken });
      return await lookUpOperation(connector, row, operation, { credentials: opened, timeoutMs });
    } catch (cause) {
      return { kind: 'unknown', cause };
    }
  }

  /** Settles an open operation or reverses a refund, and returns the operation as it is then. */
  async #settle(dispute: LeasedDispute, row: OperationRow, answer: Outcome | Absent): Promise<OperationRow> {
    if (answer.kind === 'absent' || !isFinalOutcome(answer)) return row;
    if (isFinished(row.state) && !reverses(row, answer)) return row;
    if ((await this.#options.settler.settle(row, answer, 'look_up', { lookUps: 1 })) === 'mismatch') return row;
    return (await this.#read(dispute)) ?? row;
  }

  async #record(dispute: LeasedDispute, row: OperationRow, answer: Outcome | Absent, verdict: Verdict): Promise<void> {
    const { database, clock, onVerdict } = this.#options;
    const state = stateAfter(dispute, verdict);
    const isNewVerdict = verdict !== undefined && state !== dispute.state;
    if (isNewVerdict) await this.#addTimelineMessage(row, answer, verdict);
    const lookUps = Math.min(dispute.look_ups + 1, 32_767);
    // After a verdict the longest wait applies.
    const dueMs = lookUpAt(verdict === undefined ? dispute.look_ups : Number.POSITIVE_INFINITY, clock());
    const { tenant_id, transaction_id, number, lease } = dispute;
    const values = [tenant_id, transaction_id, number, lease, state, lookUps, dueMs, clock()];
    const recorded = await database.run(recordDispute, values);
    if (isNewVerdict && recorded.length > 0) onVerdict(row, answer, verdict);
  }

  async #addTimelineMessage(row: OperationRow, answer: Outcome | Absent, verdict: Verdict): Promise<void> {
    const { database, clock, drawUuid } = this.#options;
    const said = answer.kind === 'unknown' ? (answer.mismatch?.kind ?? answer.kind) : answer.kind;
    const detail = { said, agrees: verdict === 'agrees', stands: row.state, payment: row.status };
    const { tenant_id: tenantId, id: transactionId, number: operation } = row;
    const id = drawUuid();
    await addTimelineMessages(database, [
      { tenantId, transactionId, id, atMs: clock(), kind: 'looked_up', operation, detail },
    ]);
  }

  async #read({ tenant_id, transaction_id, number }: DueDispute): Promise<OperationRow | undefined> {
    const rows = await this.#options.database.run(findOfPayment, [tenant_id, transaction_id]);
    return rows.find((row) => row.number === number);
  }

  async #release(notStarted: readonly LeasedDispute[]): Promise<void> {
    await this.#options.database.run(releaseDisputes, [
      plainArray(notStarted.map(({ tenant_id }) => tenant_id)),
      plainArray(notStarted.map(({ transaction_id }) => transaction_id)),
      plainArray(notStarted.map(({ number }) => number)),
      plainArray(notStarted.map(({ lease }) => lease)),
    ]);
  }
}

function stateAfter({ state }: DueDispute, verdict: Verdict): DisputeState {
  if (verdict === undefined) return state;
  return verdict === 'agrees' ? 'AGREES' : 'DISAGREES';
}
