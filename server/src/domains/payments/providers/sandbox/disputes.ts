import type { Clock } from '../../../../core/clock.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import type {
  AcceptDisputeOperation,
  DisputePage,
  DisputeReading,
  DisputeReference,
  RefundReading,
  SubmitEvidenceOperation,
} from '../dispute.ts';
import { failure } from '../failures.ts';
import type { Outcome } from '../outcome.ts';
import type { Call, DisputeAnswers, DisputeProvider } from '../provider.ts';
import { disputeAt, keyOfDispute, losingEvidence, winningEvidence } from './dispute-script.ts';
import { answerDispute, type DisputeAnswer, findDisputed, findDisputedSince } from './dispute-statements.ts';
import { referenceOf, signedDisputeMessage } from './messages.ts';

const pageSize = 100;

interface SandboxDisputesOptions {
  database: Queryable;
  clock: Clock;
  delayMs: number;
}

/**
 * The disputes of the sandbox: they follow from the words of its operations and from the time (`dispute-script.ts`).
 */
export class SandboxDisputes implements DisputeProvider {
  readonly #options: SandboxDisputesOptions;

  constructor(options: SandboxDisputesOptions) {
    this.#options = options;
  }

  async read({ dispute }: DisputeReference, { channelId }: Call): Promise<DisputeReading> {
    const { database, clock, delayMs } = this.#options;
    const key = keyOfDispute(dispute);
    const [record] = key === undefined ? [] : await database.run(findDisputed, [key, channelId, clock()]);
    return record === undefined ? { kind: 'absent' } : { kind: 'read', dispute: disputeAt(record, clock(), delayMs) };
  }

  async listSince(sinceMs: number, cursor: string | null, { channelId }: Call): Promise<DisputePage> {
    const { database, clock, delayMs } = this.#options;
    const skipped = Number(cursor ?? 0);
    // A dispute can change until this long after it began or was answered.
    const fromMs = sinceMs - 2 * delayMs;
    const records = await database.run(findDisputedSince, [channelId, fromMs, clock(), skipped, pageSize]);
    return {
      kind: 'page',
      disputes: records.map((record) => disputeAt(record, clock(), delayMs)),
      refunds: [],
      next: records.length < pageSize ? null : String(skipped + pageSize),
    };
  }

  /** The sandbox refunds nothing by itself. */
  async readRefund(): Promise<RefundReading> {
    return { kind: 'absent' };
  }

  readonly answers: DisputeAnswers = {
    submit: (operation, call) => this.#answer(operation, verdictOf(operation), call),
    accept: (operation, call) => this.#answer(operation, 'ACCEPTED', call),
  };

  async #answer(
    { key, reference }: SubmitEvidenceOperation | AcceptDisputeOperation,
    answer: DisputeAnswer,
    { channelId, credentials: { webhookSecret } }: Call,
  ): Promise<Outcome> {
    const { database, clock, delayMs } = this.#options;
    const [record] = await database.run(findDisputed, [keyOfDispute(reference) ?? '', channelId, clock()]);
    if (record === undefined) return { kind: 'failed', failure: failure('invalid_operation', 'no_such_dispute') };
    if (record.answer_by === key) return { kind: 'succeeded', reference };
    if (record.answer !== null || disputeAt(record, clock(), delayMs).actions.length === 0) {
      return { kind: 'failed', failure: failure('invalid_operation', 'not_answerable') };
    }
    const secret = webhookSecret === '' ? null : webhookSecret;
    const told = {
      of: 'DISPUTE',
      reference,
      chargeReference: referenceOf(record.charge_key),
      sequence: 'answered',
    } as const;
    const callback =
      secret === null ? null : JSON.stringify({ ...signedDisputeMessage(told, secret), afterMs: delayMs });
    const values = [record.key, channelId, answer, key, clock(), callback, clock() + delayMs];
    await database.run(answerDispute, values);
    return { kind: 'succeeded', reference };
  }
}

function verdictOf({ texts }: SubmitEvidenceOperation): DisputeAnswer {
  if (texts.some(({ text }) => text.includes(winningEvidence))) return 'WINNING';
  return texts.some(({ text }) => text.includes(losingEvidence)) ? 'LOSING' : 'SUBMITTED';
}
