import type { Static } from 'typebox';
import { notFound } from '../../../core/errors.ts';
import { changedMetadata, metadataJson } from '../../../core/metadata.ts';
import type { Principal } from '../../../core/principal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { answerOnce, type IdempotentAnswer } from '../../../platform/postgres/idempotency-records.ts';
import { type Actor, appendAudit } from '../../identity/audit/append.ts';
import type { PaymentsApp } from '../app.ts';
import { requestCancellation } from '../operation-queue/request-cancellation.ts';
import { cancelUnsentCharge } from '../operation-queue/statements.ts';
import { recordOf, type TransactionRecord } from './record.ts';
import { requireChange, requireUpdatable } from './rules.ts';
import type { updateInput } from './schema.ts';
import { lockPayment, type TransactionRow } from './statements.ts';
import { addTimelineMessage } from './timeline-message-statements.ts';
import { afterTransition, type Transition } from './transition.cte.ts';

type UpdateInput = Static<typeof updateInput>;

const path = '/api/transaction/update';

/**
 * Changes a payment's description, metadata or status; a status change also writes its event. A repeat with the same
 * idempotency key gets the first answer; without a key it would be refused as an illegal transition.
 *
 * CANCELLED for a payment that a provider is processing only requests the cancellation: the payment stays PROCESSING
 * until the provider confirms it. While its charge waits to be sent, it is cancelled at once. `actor`: who changes the
 * payment, for the audit log; default: the caller.
 */
export async function updateTransaction(
  input: UpdateInput,
  principal: Principal,
  app: Pick<PaymentsApp, 'database' | 'reader' | 'transitions' | 'generateUuid' | 'clock'>,
  { idempotencyKey, actor = principal }: { idempotencyKey?: string | undefined; actor?: Actor } = {},
): Promise<IdempotentAnswer<TransactionRecord>> {
  requireChange(input);
  changedMetadata(null, input);
  const payment = await app.reader.find(input.id, principal);
  const { tenant_id, id } = payment;
  const work = async (transaction: Queryable): Promise<TransactionRecord> => {
    if (input.status !== undefined) await app.transitions.lockInvoices(transaction, [payment]);
    const [row] = await transaction.run(lockPayment, [tenant_id, id]);
    if (row === undefined) throw notFound('transaction', input.id);
    const transition = await transitionOf(input, row, principal, transaction, app);
    const changed = await app.transitions.apply(transaction, [transition], app.generateUuid);
    if (!changed.has(id)) throw new Error(`Payment ${id} changed while it was locked.`);
    const [before, after] = [recordOf(row), recordOf(afterTransition(transition))];
    await appendAudit(transaction, actor, {
      action: 'transaction.update',
      tenantId: tenant_id,
      recordId: after.id,
      before,
      after,
      ...(input.status !== undefined && { details: { requestedStatus: input.status } }),
    });
    return after;
  };
  const request = { tenantId: tenant_id, path, key: idempotencyKey, input, nowMs: app.clock() };
  return answerOnce(app.database, request, work);
}

/** The transition of the update. Also writes its timeline message and its cancellation request. */
async function transitionOf(
  input: UpdateInput,
  row: TransactionRow,
  principal: Principal,
  transaction: Queryable,
  { clock, generateUuid }: Pick<PaymentsApp, 'clock' | 'generateUuid'>,
): Promise<Transition> {
  const atMs = clock();
  const { status, description, failureCode, failureMessage } = input;
  const sameStatus: Transition = {
    row,
    to: row.status,
    atMs,
    description,
    metadataJson: metadataJson(changedMetadata(row.metadata, input)) ?? undefined,
    nextAction: row.next_action ?? undefined,
  };
  if (status === undefined) return sameStatus;
  requireUpdatable(row.status, status, row.provider !== null);
  const mustAskProvider = row.provider !== null && row.status === 'PROCESSING';
  if (mustAskProvider && (await transaction.run(cancelUnsentCharge, [row.tenant_id, row.id, atMs])).length === 0) {
    await requestCancellation(transaction, row, atMs);
    const detail = { userId: principal.userId };
    await addTimelineMessage(transaction, row, { id: generateUuid(), atMs, kind: 'cancel_asked', detail });
    return sameStatus;
  }
  const detail = { from: row.status, to: status, userId: principal.userId };
  await addTimelineMessage(transaction, row, { id: generateUuid(), atMs, kind: 'updated', detail });
  return { ...sameStatus, to: status, failureCode, failureMessage, nextAction: undefined, writesEvent: true };
}
