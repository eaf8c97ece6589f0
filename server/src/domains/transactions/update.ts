import type { Static } from 'typebox';
import type { Database } from '../../platform/postgres/database.ts';
import type { Clock } from '../../vocabulary/clock.ts';
import { notFound } from '../../vocabulary/errors.ts';
import { type DrawUuid, publicId, uuidTimeMs } from '../../vocabulary/id.ts';
import type { Principal } from '../../vocabulary/principal.ts';
import { eventBody, recordEvent } from '../events/outbox.ts';
import type { TransactionReader } from './read.ts';
import { recordJson, recordOf, type TransactionRecord } from './record.ts';
import { demandMeaningfulUpdate, demandTransition, metadataJson } from './rules.ts';
import type { updateInput } from './schema.ts';
import { lockOne, type TransactionRow, updateOne } from './sql.ts';
import { eventOfStatus, statusesBefore } from './states.ts';

export interface UpdateTransactionDeps {
  database: Database;
  reader: TransactionReader;
  drawUuid: DrawUuid;
  clock: Clock;
  onDeliveries: () => void;
  onWritten: () => void;
}

/** Changes a payment: its words, or its status along the transition table, with the event that tells of it. */
export async function updateTransaction(
  input: Static<typeof updateInput>,
  principal: Principal,
  deps: UpdateTransactionDeps,
): Promise<TransactionRecord> {
  demandMeaningfulUpdate(input);
  const metadata = metadataJson(input.metadata);
  const { tenant_id, id } = await deps.reader.find(input.id, principal);
  const { row, deliveries } = await deps.database.transaction(async (transaction) => {
    const [locked] = await transaction.run(lockOne, [tenant_id, id]);
    if (locked === undefined) throw notFound('transaction', input.id);
    if (input.status !== undefined) demandTransition(locked.status, input.status);
    const [changed] = await transaction.run(updateOne, [
      tenant_id,
      id,
      input.status === undefined ? [locked.status] : statusesBefore(input.status),
      input.status ?? null,
      input.description ?? null,
      metadata,
      input.failureCode ?? null,
      input.failureMessage ?? null,
      deps.clock(),
      locked.status,
    ]);
    if (changed === undefined) throw new Error(`Payment ${id} moved while it was locked.`);
    const announced = input.status === undefined ? 0 : await recordEvent(transaction, newsOf(changed, deps.drawUuid()));
    return { row: changed, deliveries: announced };
  });
  deps.onWritten();
  if (deliveries > 0) deps.onDeliveries();
  return recordOf(row);
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
