import { Refusal } from '../../../core/errors.ts';
import { rule } from '../../../core/refusal-rules.ts';
import type { Call } from '../../../platform/http/route.ts';
import { appendAudit } from '../../identity/audit/append.ts';
import type { BillingApp } from '../app.ts';
import { readCheckout } from './read.ts';
import { type CheckoutRecord, recordOf } from './record.ts';
import { statusOf } from './rules.ts';
import { type CheckoutRow, closeCheckout, findCheckout, lockCheckout } from './statements.ts';

/**
 * Closes an OPEN checkout, so that its page is no longer shown. Closing it again changes nothing. Refused with
 * `illegal_transition` while a payment is in progress, and when it is paid.
 */
export async function expireCheckout(
  { body: { id }, principal }: Call<{ id: number }>,
  app: BillingApp,
): Promise<CheckoutRecord> {
  const nowMs = app.clock();
  const { tenant_id: tenantId } = await readCheckout(app.database, id, principal);
  return app.database.transaction(async (transaction) => {
    await transaction.run(lockCheckout, [tenantId, id]);
    const [row] = (await transaction.run(findCheckout, [[tenantId], id])) as [CheckoutRow];
    const status = statusOf(row, nowMs);
    if (status === 'PAID' || status === 'PROCESSING') {
      const broken = rule(status === 'PAID' ? 'checkout_paid' : 'checkout_in_progress');
      throw new Refusal('illegal_transition', broken, {
        field: 'id',
        details: { from: status, to: 'EXPIRED' },
      });
    }
    await transaction.run(closeCheckout, [tenantId, id, nowMs]);
    const [closed] = (await transaction.run(findCheckout, [[tenantId], id])) as [CheckoutRow];
    const before = { ...recordOf(row, nowMs, app), url: undefined };
    const after = recordOf(closed, nowMs, app);
    await appendAudit(transaction, principal, {
      action: 'checkout.expire',
      tenantId,
      recordId: id,
      before,
      after: { ...after, url: undefined },
    });
    return after;
  });
}
