import type { Static } from 'typebox';
import { uuidTimeMs } from '../../../core/id.ts';
import type { Call } from '../../../platform/http/route.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { answerOnce, type IdempotentAnswer } from '../../../platform/postgres/idempotency-records.ts';
import { appendAudit } from '../../identity/audit/append.ts';
import type { PaymentsApp } from '../app.ts';
import { precisionRefusal } from '../channels/amounts.ts';
import { requireMultipleCaptures } from '../channels/capture.ts';
import { type CaptureRecord, type CaptureRow, captureRecordOf } from '../transactions/capture-record.ts';
import { requestFromProvider } from './request.ts';
import { amountToCapture, requireAuthorized } from './rules.ts';
import type { captureInput } from './schema.ts';
import { insertCapture } from './statements.ts';

export type CaptureInput = Static<typeof captureInput>;

const path = '/api/transaction/capture';

/**
 * Captures some of an authorized payment, or all of it. The capture is PENDING until the provider's result is known;
 * until then no other capture or release can begin.
 *
 * The amount is reserved on the locked payment (`amount_capturable`), so that captures never exceed what was
 * authorized. A check constraint holds the same limit, and an index that only one capture is under way.
 */
export async function createCapture(
  { body: input, principal, idempotencyKey }: Call<CaptureInput>,
  app: PaymentsApp,
): Promise<IdempotentAnswer<CaptureRecord>> {
  const found = await app.payments.find(input.id, principal);
  const work = async (transaction: Queryable): Promise<CaptureRecord> => {
    const payment = await app.payments.lock(transaction, found);
    requireAuthorized(payment);
    const id = app.generateUuid();
    let capture: CaptureRow | undefined;
    await requestFromProvider(transaction, payment, 'CAPTURE', app, async (channel) => {
      const amount = amountToCapture(payment, input.amount);
      const unable = precisionRefusal(channel.provider, { amount, currency: payment.currency });
      if (unable !== undefined) throw unable;
      const isFinal = (input.final ?? true) || amount === payment.amount_capturable;
      if (!isFinal) requireMultipleCaptures(channel);
      const values = [payment.tenant_id, id, payment.id, amount, isFinal, principal.userId, uuidTimeMs(id)];
      [capture] = await transaction.run(insertCapture, values);
      return { amount, captureId: id, isFinal, nowMs: uuidTimeMs(id) };
    });
    const after = captureRecordOf(capture as CaptureRow);
    const entry = { action: 'transaction.capture', tenantId: payment.tenant_id, recordId: after.id, after } as const;
    await appendAudit(transaction, principal, entry);
    return after;
  };
  const request = { tenantId: found.tenant_id, path, key: idempotencyKey, input, nowMs: app.clock() };
  return answerOnce(app.database, request, work);
}
