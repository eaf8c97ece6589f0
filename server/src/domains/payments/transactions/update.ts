import type { Static } from 'typebox';
import { Refusal } from '../../../core/errors.ts';
import { changedMetadata } from '../../../core/metadata.ts';
import type { Principal } from '../../../core/principal.ts';
import { rule } from '../../../core/refusal-rules.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { answerOnce, type IdempotentAnswer } from '../../../platform/postgres/idempotency-records.ts';
import { type Actor, appendAudit } from '../../identity/audit/append.ts';
import type { PaymentsApp } from '../app.ts';
import { requestCancellation } from '../operation-queue/request-cancellation.ts';
import { cancelUnsentCharge, findUnderWay } from '../operation-queue/statements.ts';
import { capturedAmountOf, isAuthorized } from './captured.ts';
import { type PaymentRecord, type PaymentRow, payment } from './record.ts';
import { captureUnderWay, requireChange, requireUpdatable } from './rules.ts';
import type { updateInput } from './schema.ts';
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
export async function updatePayment(
  input: UpdateInput,
  principal: Principal,
  app: Pick<PaymentsApp, 'database' | 'payments' | 'generateUuid' | 'clock'>,
  { idempotencyKey, actor = principal }: { idempotencyKey?: string | undefined; actor?: Actor } = {},
): Promise<IdempotentAnswer<PaymentRecord>> {
  requireChange(input);
  changedMetadata(null, input);
  const found = await app.payments.find(input.id, principal);
  const { tenant_id, id } = found;
  const work = async (transaction: Queryable): Promise<PaymentRecord> => {
    if (input.status !== undefined) await app.payments.lockInvoices(transaction, [found]);
    const row = await app.payments.lock(transaction, found);
    const transition = await transitionOf(input, row, principal, transaction, app);
    const changed = await app.payments.transition(transaction, [transition]);
    if (!changed.has(id)) throw new Error(`Payment ${id} changed while it was locked.`);
    const [before, after] = [payment.show(row), payment.show(afterTransition(transition))];
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
  row: PaymentRow,
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
    metadata: changedMetadata(row.metadata, input),
    nextAction: row.next_action ?? undefined,
  };
  if (status === undefined) return sameStatus;
  requireUpdatable(row.status, status, row.provider !== null);
  const mustAskProvider = row.provider !== null && row.status === 'PROCESSING';
  if (isAuthorized(row)) await requireNothingCaptured(row, transaction);
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

/** An authorization is cancelled as a whole: after a capture, the rest is released instead. */
async function requireNothingCaptured(row: PaymentRow, transaction: Queryable): Promise<void> {
  const underWay = await transaction.run(findUnderWay, [row.tenant_id, row.id]);
  if (underWay.some(({ kind }) => kind !== 'CANCEL')) throw captureUnderWay(row, 'status');
  if (capturedAmountOf(row) === 0) return;
  throw new Refusal('illegal_transition', rule('partly_captured'), {
    field: 'status',
    details: { from: row.status, to: 'CANCELLED', allowed: [] },
  });
}
