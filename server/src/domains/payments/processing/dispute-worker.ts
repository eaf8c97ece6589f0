import { type Clock, minuteMs, secondMs } from '../../../core/clock.ts';
import type { DrawUuid } from '../../../core/id.ts';
import { ClaimLoop } from '../../../platform/jobs/claim-loop.ts';
import { plainArray } from '../../../platform/postgres/array-literal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import type { ChannelCredentials } from '../channels/credentials.ts';
import type { Providers } from '../providers/directory.ts';
import type { Absent, Outcome } from '../providers/provider.ts';
import { addNotesTo } from '../transactions/timeline-messages.ts';
import { type Addresses, lookUpOnce, operationOf } from './call.ts';
import { type Verdict, verdictOf } from './disputes.ts';
import {
  bringDisputesForward,
  claimDisputes,
  type DisputeState,
  type DueDispute,
  freeDisputeLeases,
  giveBackDisputes,
  recordDispute,
  releaseDisputes,
} from './disputes-statements.ts';
import { lookUpAt, lookUpWaitsMs } from './rules.ts';
import type { Settler } from './settle.ts';
import { isFinalOutcome, reverses } from './settlement.ts';
import { findOfPayment, type OperationRow } from './statements.ts';

export interface DisputeWorkerOptions extends Addresses {
  database: Queryable;
  providers: Providers;
  credentials: Pick<ChannelCredentials, 'of'>;
  settler: Settler;
  clock: Clock;
  drawUuid: DrawUuid;
  /** `app.provider.timeout` */
  timeoutMs: number;
  /** The provider has decided a dispute; told once for each time it says something else. */
  onVerdict: (row: OperationRow, answer: Outcome | Absent, verdict: 'agrees' | 'disagrees') => void;
  pollMs?: () => number;
  onError: (error: unknown) => void;
  onRecovered?: () => void;
}

/** Disputes are rare. So few cannot keep a provider busy. */
const slots = 5;
const leaseBeyondCallMs = 10 * secondMs;

interface Leased extends DueDispute {
  lease: string;
}

/**
 * Asks the provider about operations in dispute. A final status is not moved by the answer: where the provider agrees
 * with what stands, the dispute is closed; where it does not, that is shown, and asked again every day. An operation that is
 * still open is settled with the answer, and a refund that has failed after all is reversed.
 */
export class DisputeWorker {
  readonly #options: DisputeWorkerOptions;
  readonly #loop: ClaimLoop<Leased>;

  constructor(options: DisputeWorkerOptions) {
    const { onError, onRecovered } = options;
    this.#options = options;
    this.#loop = new ClaimLoop<Leased>({
      claim: (room, lease) => this.#claim(room, lease),
      giveBack: async (leases) => {
        await options.database.run(giveBackDisputes, [leases]);
      },
      perform: (dispute) => this.#perform(dispute),
      release: (notStarted) => this.#release(notStarted),
      slots: () => slots,
      maxBatch: slots,
      pollMs: options.pollMs,
      onError: onError,
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

  /** Before it starts on a node that knows itself alone with the database. */
  async freeDeadLeases(): Promise<void> {
    await this.#options.database.run(freeDisputeLeases);
  }

  /** The database's clock was set back. */
  async clockWasSetBack(): Promise<void> {
    const { database, clock } = this.#options;
    const values = [clock(), this.#leaseMs, minuteMs, [...lookUpWaitsMs.slice(0, -1)], lookUpWaitsMs.at(-1)];
    await database.run(bringDisputesForward, values);
    this.#loop.wake();
  }

  get #leaseMs(): number {
    return this.#options.timeoutMs + leaseBeyondCallMs;
  }

  async #claim(room: number, lease: string): Promise<Leased[]> {
    const { database, clock } = this.#options;
    const nowMs = clock();
    const rows = await database.run(claimDisputes, [nowMs, nowMs + this.#leaseMs, room, lease]);
    return rows.map((row) => ({ ...row, lease }));
  }

  async #perform(dispute: Leased): Promise<void> {
    const row = await this.#read(dispute);
    if (row === undefined) return;
    const answer = await this.#lookUp(row, dispute.reference);
    const current = await this.#settled(dispute, row, answer);
    await this.#record(dispute, current, answer, verdictOf(current, answer));
  }

  async #lookUp(row: OperationRow, reference: string | null): Promise<Outcome | Absent> {
    const { providers, credentials, publicUrl, timeoutMs } = this.#options;
    // Without a reference some providers can only be asked by sending the request again.
    if (reference === null) return { kind: 'unknown', cause: new Error('The provider has not named the operation.') };
    try {
      const connector = await providers.of(row.operation_provider);
      const opened = await credentials.of(row.operation_channel_id);
      const operation = operationOf({ ...row, operation_reference: reference }, { publicUrl });
      return await lookUpOnce(connector, row, operation, { credentials: opened, timeoutMs });
    } catch (cause) {
      return { kind: 'unknown', cause };
    }
  }

  /** The operation as it stands once the answer has been taken into account. */
  async #settled(dispute: Leased, row: OperationRow, answer: Outcome | Absent): Promise<OperationRow> {
    if (answer.kind === 'absent' || !isFinalOutcome(answer)) return row;
    const isOpen = !['SUCCEEDED', 'FAILED', 'CANCELLED'].includes(row.state);
    if (!isOpen && !reverses(row, answer)) return row;
    if ((await this.#options.settler.settle(row, answer, 'look_up', { lookUps: 1 })) === 'mismatch') return row;
    return (await this.#read(dispute)) ?? row;
  }

  async #record(dispute: Leased, row: OperationRow, answer: Outcome | Absent, verdict: Verdict): Promise<void> {
    const { database, clock, drawUuid, onVerdict } = this.#options;
    const state: DisputeState =
      verdict === undefined ? dispute.state : verdict === 'agrees' ? 'AGREES' : ('DISAGREES' as const);
    const lookUps = Math.min(dispute.look_ups + 1, 32_767);
    const isNew = verdict !== undefined && state !== dispute.state;
    if (isNew) {
      const said = answer.kind === 'unknown' ? (answer.mismatch?.kind ?? answer.kind) : answer.kind;
      const detail = { said, agrees: verdict === 'agrees', stands: row.state, payment: row.status };
      const { tenant_id: tenantId, id: transactionId, number: operation } = row;
      const id = drawUuid();
      await addNotesTo(database, [
        { tenantId, transactionId, id, atMs: clock(), kind: 'looked_up', operation, detail },
      ]);
    }
    const dueMs = lookUpAt(verdict === undefined ? dispute.look_ups : Number.POSITIVE_INFINITY, clock());
    const { tenant_id, transaction_id, number, lease } = dispute;
    const values = [tenant_id, transaction_id, number, lease, state, lookUps, dueMs, clock()];
    const recorded = await database.run(recordDispute, values);
    if (isNew && recorded.length > 0) onVerdict(row, answer, verdict);
  }

  async #read({ tenant_id, transaction_id, number }: DueDispute): Promise<OperationRow | undefined> {
    const rows = await this.#options.database.run(findOfPayment, [tenant_id, transaction_id]);
    return rows.find((row) => row.number === number);
  }

  async #release(notStarted: readonly Leased[]): Promise<void> {
    await this.#options.database.run(releaseDisputes, [
      plainArray(notStarted.map(({ tenant_id }) => tenant_id)),
      plainArray(notStarted.map(({ transaction_id }) => transaction_id)),
      plainArray(notStarted.map(({ number }) => number)),
      plainArray(notStarted.map(({ lease }) => lease)),
    ]);
  }
}
