import type { Static } from 'typebox';
import type { Clock } from '../../../core/clock.ts';
import { notFound } from '../../../core/errors.ts';
import type { DrawUuid } from '../../../core/id.ts';
import { metadataJson } from '../../../core/metadata.ts';
import type { Principal } from '../../../core/principal.ts';
import type { Database, Queryable } from '../../../platform/postgres/database.ts';
import { answerOnce } from '../../../platform/postgres/idempotency-records.ts';
import type { TransactionReader } from './read.ts';
import { recordOf, type TransactionRecord } from './record.ts';
import { demandMeaningfulUpdate, demandUpdatable } from './rules.ts';
import type { updateInput } from './schema.ts';
import { lockOne, type TransactionRow } from './statements.ts';
import { note } from './timeline-messages.ts';
import { afterTransition, type Transition } from './transition.cte.ts';
import type { PaymentTransitions } from './transitions.ts';

type UpdateInput = Static<typeof updateInput>;

export interface UpdateTransactionDeps {
  database: Database;
  reader: TransactionReader;
  transitions: PaymentTransitions;
  drawUuid: DrawUuid;
  clock: Clock;
  /** Asks the provider, in the transaction that holds the payment's lock, to call a charge off that it has begun. */
  askToCancel: (transaction: Queryable, row: TransactionRow, nowMs: number) => Promise<void>;
}

const path = '/api/transaction/update';

/** The changed payment, and whether it is an earlier answer given again. */
export interface Updated {
  record: TransactionRecord;
  replayed: boolean;
}

/**
 * Changes a payment: its words, or its status along the transition table, with the event that tells of it. Under an
 * Idempotency-Key a repeat gets the first answer, where it would otherwise be refused as an illegal transition.
 *
 * Where the channel has a provider that has begun, CANCELLED is a question to that provider: the payment stays
 * PROCESSING until it says.
 */
export async function updateTransaction(
  input: UpdateInput,
  principal: Principal,
  deps: UpdateTransactionDeps,
  idempotencyKey?: string,
): Promise<Updated> {
  demandMeaningfulUpdate(input);
  const change = { ...input, metadataJson: metadataJson(input.metadata) ?? undefined };
  const { tenant_id, id } = await deps.reader.find(input.id, principal);
  const work = async (transaction: Queryable): Promise<TransactionRecord> => {
    const [row] = await transaction.run(lockOne, [tenant_id, id]);
    if (row === undefined) throw notFound('transaction', input.id);
    const move = await moveOf(change, row, principal, transaction, deps);
    const moved = await deps.transitions.apply(transaction, [move], deps.drawUuid);
    if (!moved.has(id)) throw new Error(`Payment ${id} moved while it was locked.`);
    return recordOf(afterTransition(move));
  };
  const request = { tenantId: tenant_id, path, key: idempotencyKey, input, nowMs: deps.clock() };
  const { answer, replayed } = await answerOnce(deps.database, request, work);
  return { record: answer, replayed };
}

/** What the update does to the payment; what it asks of others is written here. */
async function moveOf(
  input: Omit<UpdateInput, 'metadata'> & { metadataJson: string | undefined },
  row: TransactionRow,
  principal: Principal,
  transaction: Queryable,
  { clock, askToCancel, drawUuid }: UpdateTransactionDeps,
): Promise<Transition> {
  const atMs = clock();
  const { status, description, failureCode, failureMessage } = input;
  const words: Transition = {
    row,
    to: row.status,
    atMs,
    description,
    metadataJson: input.metadataJson,
    ...keeping(row),
  };
  if (status === undefined) return words;
  demandUpdatable(row.status, status, row.provider !== null);
  if (row.provider !== null && row.status === 'PROCESSING') {
    await askToCancel(transaction, row, atMs);
    await note(transaction, row, drawUuid(), atMs, 'cancel_asked', { userId: principal.userId });
    return words;
  }
  await note(transaction, row, drawUuid(), atMs, 'updated', { from: row.status, to: status, userId: principal.userId });
  return { ...words, to: status, failureCode, failureMessage, nextAction: undefined, news: true };
}

/** New words leave standing what the payer has to do. */
const keeping = ({ next_action }: TransactionRow) => (next_action === null ? {} : { nextAction: next_action });
