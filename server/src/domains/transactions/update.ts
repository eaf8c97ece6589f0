import type { Static } from 'typebox';
import type { Database, Queryable } from '../../platform/postgres/database.ts';
import { answerOnce } from '../../platform/postgres/kept-answers.ts';
import type { Clock } from '../../vocabulary/clock.ts';
import { notFound } from '../../vocabulary/errors.ts';
import { type DrawUuid, publicId, uuidTimeMs } from '../../vocabulary/id.ts';
import type { Principal } from '../../vocabulary/principal.ts';
import { eventBody, recordEvent } from '../events/outbox.ts';
import type { TransactionReader } from './read.ts';
import { recordJson, recordOf, type TransactionRecord } from './record.ts';
import { demandMeaningfulUpdate, demandTransition, metadataJson, requestHash } from './rules.ts';
import type { updateInput } from './schema.ts';
import { lockOne, type TransactionRow, updateOne } from './sql.ts';
import { eventOfStatus, statusesBefore } from './states.ts';

type UpdateInput = Static<typeof updateInput>;

export interface UpdateTransactionDeps {
  database: Database;
  reader: TransactionReader;
  drawUuid: DrawUuid;
  clock: Clock;
  onDeliveries: () => void;
  onWritten: () => void;
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
 */
export async function updateTransaction(
  input: UpdateInput,
  principal: Principal,
  deps: UpdateTransactionDeps,
  idempotencyKey?: string,
): Promise<Updated> {
  demandMeaningfulUpdate(input);
  const metadata = metadataJson(input.metadata);
  const { tenant_id, id } = await deps.reader.find(input.id, principal);
  let deliveries = 0;
  const work = async (transaction: Queryable): Promise<TransactionRecord> => {
    const changed = await change(transaction, { ...input, metadata }, tenant_id, id, deps);
    if (input.status !== undefined) deliveries = await recordEvent(transaction, newsOf(changed, deps.drawUuid()));
    return recordOf(changed);
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
  if (deliveries > 0) deps.onDeliveries();
  return { record: answer, replayed };
}

async function change(
  transaction: Queryable,
  input: Omit<UpdateInput, 'metadata'> & { metadata: string | null },
  tenantId: number,
  id: string,
  { clock }: UpdateTransactionDeps,
): Promise<TransactionRow> {
  const [locked] = await transaction.run(lockOne, [tenantId, id]);
  if (locked === undefined) throw notFound('transaction', input.id);
  if (input.status !== undefined) demandTransition(locked.status, input.status);
  const [changed] = await transaction.run(updateOne, [
    tenantId,
    id,
    input.status === undefined ? [locked.status] : statusesBefore(input.status),
    input.status ?? null,
    input.description ?? null,
    input.metadata,
    input.failureCode ?? null,
    input.failureMessage ?? null,
    clock(),
    locked.status,
  ]);
  if (changed === undefined) throw new Error(`Payment ${id} moved while it was locked.`);
  return changed;
}

function newsOf(row: TransactionRow, eventId: string) {
  const type = eventOfStatus[row.status];
  const createdMs = uuidTimeMs(eventId);
  return {
    tenantId: row.tenant_id,
    id: eventId,
    type,
    objectId: publicId('txn', row.id),
    createdMs,
    body: eventBody(eventId, type, createdMs, recordJson(recordOf(row))),
  };
}
