import type { Static } from 'typebox';
import type { Database, Queryable } from '../../platform/postgres/database.ts';
import { answerOnce, requestHash } from '../../platform/postgres/kept-answers.ts';
import type { Clock } from '../../vocabulary/clock.ts';
import { notFound } from '../../vocabulary/errors.ts';
import type { DrawUuid } from '../../vocabulary/id.ts';
import { metadataJson } from '../../vocabulary/metadata.ts';
import type { Principal } from '../../vocabulary/principal.ts';
import { type Move, moved, movePayments } from './moving.ts';
import { note } from './notes.ts';
import type { TransactionReader } from './read.ts';
import { recordOf, type TransactionRecord } from './record.ts';
import { demandMeaningfulUpdate, demandUpdatable } from './rules.ts';
import type { updateInput } from './schema.ts';
import { lockOne, type TransactionRow } from './sql.ts';

type UpdateInput = Static<typeof updateInput>;

export interface UpdateTransactionDeps {
  database: Database;
  reader: TransactionReader;
  drawUuid: DrawUuid;
  clock: Clock;
  /** Asks the provider, in the transaction that holds the payment's lock, to call a charge off that it has begun. */
  askToCancel: (transaction: Queryable, row: TransactionRow, nowMs: number) => Promise<void>;
  onDeliveries: () => void;
  onWritten: () => void;
  onOperations: () => void;
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
  let deliveries = 0;
  const work = async (transaction: Queryable): Promise<TransactionRecord> => {
    const [row] = await transaction.run(lockOne, [tenant_id, id]);
    if (row === undefined) throw notFound('transaction', input.id);
    const move = await moveOf(change, row, principal, transaction, deps);
    const made = await movePayments(transaction, [move], deps.drawUuid);
    if (!made.moved.has(id)) throw new Error(`Payment ${id} moved while it was locked.`);
    deliveries = made.deliveries;
    return recordOf(moved(move));
  };
  const { answer, replayed } =
    idempotencyKey === undefined
      ? { answer: await deps.database.transaction(work), replayed: false }
      : await answerOnce(
          deps.database,
          { tenantId: tenant_id, path, key: idempotencyKey, hash: requestHash(input), nowMs: deps.clock() },
          work,
        );
  deps.onWritten();
  deps.onOperations();
  if (deliveries > 0) deps.onDeliveries();
  return { record: answer, replayed };
}

/** What the update does to the payment; what it asks of others is written here. */
async function moveOf(
  input: Omit<UpdateInput, 'metadata'> & { metadataJson: string | undefined },
  row: TransactionRow,
  principal: Principal,
  transaction: Queryable,
  { clock, askToCancel, drawUuid }: UpdateTransactionDeps,
): Promise<Move> {
  const atMs = clock();
  const { status, description, failureCode, failureMessage } = input;
  const words: Move = { row, to: row.status, atMs, description, metadataJson: input.metadataJson, ...keeping(row) };
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
