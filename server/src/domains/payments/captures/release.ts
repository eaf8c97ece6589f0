import type { Static } from 'typebox';
import type { Call } from '../../../platform/http/route.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { answerOnce, type IdempotentAnswer } from '../../../platform/postgres/idempotency-records.ts';
import { appendAudit } from '../../identity/audit/append.ts';
import type { PaymentsApp } from '../app.ts';
import { type PaymentRecord, payment as paymentOf } from '../transactions/record.ts';
import { requestFromProvider } from './request.ts';
import { amountToRelease, requireAuthorized } from './rules.ts';
import type { releaseInput } from './schema.ts';

const path = '/api/transaction/release';

/**
 * Releases what was not captured of an authorized payment, after a capture. The payment is SUCCESS when the provider
 * has confirmed that; until then no other capture or release can begin.
 */
export async function releaseRest(
  { body: input, principal, idempotencyKey }: Call<Static<typeof releaseInput>>,
  app: PaymentsApp,
): Promise<IdempotentAnswer<PaymentRecord>> {
  const found = await app.payments.find(input.id, principal);
  const work = async (transaction: Queryable): Promise<PaymentRecord> => {
    const payment = await app.payments.lock(transaction, found);
    requireAuthorized(payment);
    const changed = await requestFromProvider(transaction, payment, 'RELEASE', app, async () => ({
      amount: amountToRelease(payment),
      captureId: null,
      isFinal: null,
      nowMs: app.clock(),
    }));
    const [before, after] = [paymentOf.show(payment), paymentOf.show(changed)];
    await appendAudit(transaction, principal, {
      action: 'transaction.release',
      tenantId: payment.tenant_id,
      recordId: after.id,
      before,
      after,
    });
    return after;
  };
  const request = { tenantId: found.tenant_id, path, key: idempotencyKey, input, nowMs: app.clock() };
  return answerOnce(app.database, request, work);
}
