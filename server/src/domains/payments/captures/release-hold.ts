import type { Queryable } from '../../../platform/postgres/database.ts';
import { type Actor, appendAudit } from '../../identity/audit/append.ts';
import type { PaymentsApp } from '../app.ts';
import { requestCancellation } from '../operation-queue/request-cancellation.ts';
import { capturedAmountOf } from '../transactions/captured.ts';
import { type PaymentRow, payment as paymentOf } from '../transactions/record.ts';
import { addTimelineMessage } from '../transactions/timeline-message-statements.ts';
import { requestFromProvider } from './request.ts';
import { amountToRelease } from './rules.ts';

/**
 * Asks the provider to release what is left of a locked and authorized payment, of which nothing else is under way: all
 * of it, which cancels the payment, or after a capture the rest, with which it succeeds.
 */
export async function releaseHold(
  transaction: Queryable,
  payment: PaymentRow,
  actor: Actor,
  app: Pick<PaymentsApp, 'channels' | 'payments' | 'clock' | 'generateUuid'>,
): Promise<void> {
  const atMs = app.clock();
  const isCancelled = capturedAmountOf(payment) === 0;
  if (isCancelled) {
    await requestCancellation(transaction, payment, atMs);
    await addTimelineMessage(transaction, payment, { id: app.generateUuid(), atMs, kind: 'hold_released', detail: {} });
  } else {
    const rest = { amount: amountToRelease(payment), captureId: null, isFinal: null, nowMs: atMs };
    await requestFromProvider(transaction, payment, 'RELEASE', app, async () => rest);
  }
  const { id } = paymentOf.show(payment);
  await appendAudit(transaction, actor, {
    action: isCancelled ? 'transaction.update' : 'transaction.release',
    tenantId: payment.tenant_id,
    recordId: id,
    ...(isCancelled && { details: { requestedStatus: 'CANCELLED' } }),
  });
}
