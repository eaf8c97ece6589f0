import type { GenerateUuid } from '../../../../core/id.ts';
import { publicId } from '../../../../core/id.ts';
import { afterCommit, type Queryable } from '../../../../platform/postgres/database.ts';
import type { Log } from '../../../../platform/process/log.ts';
import { systemActor } from '../../../identity/audit/append.ts';
import { chargeOf, isAtItsProvider } from '../../../payments/operation-queue/request-refund.ts';
import { refundLocked } from '../../../payments/refunds/create.ts';
import type { Payments } from '../../../payments/transactions/payments.ts';
import type { BillingApp } from '../../app.ts';
import type { Excess, SettlementDeps } from './settle.ts';

export interface ReturnExcessDeps {
  payments: Payments;
  generateUuid: GenerateUuid;
  log: Pick<Log, 'warn'>;
  /** `app.invoice.refund-excess`. */
  refundsExcess: boolean;
  /** Called for each excess after the commit. */
  onExcess: BillingApp['onExcess'];
}

/**
 * Refunds what a payment took beyond its invoice or checkout, once and with the reason `duplicate`. Without a provider,
 * if the channel is at another provider by now, or if the setting forbids it, the money stands as `amountToReturn` of
 * the invoice or checkout until an operator refunds the payment. Returns that amount.
 */
export async function returnExcess(
  transaction: Queryable,
  { tenantId, transactionId, amount, ...purchase }: Excess,
  { payments, generateUuid, log, refundsExcess, onExcess }: ReturnExcessDeps,
): Promise<number> {
  const payment = await payments.lock(transaction, { tenant_id: tenantId, id: transactionId });
  const isRefunded =
    refundsExcess && payment.provider !== null && isAtItsProvider(await chargeOf(transaction, payment));
  afterCommit(transaction, () => onExcess(isRefunded ? 'refunded' : 'to_return'));
  if (!isRefunded) {
    const facts = { tenantId, ...purchase, transactionId: publicId('txn', transactionId), amount };
    log.warn(facts, 'A payment took more than was left to pay; somebody must give it back');
    return amount;
  }
  const refund = { amount, reason: 'duplicate', metadata: null, userId: payment.user_id };
  await refundLocked(transaction, payment, refund, systemActor, { payments, generateUuid });
  return 0;
}

/** What settling a payment of an invoice needs. */
export function settlementOf(app: BillingApp): SettlementDeps {
  const { settings, generateUuid, invoiceFollowers: followers } = app;
  const returning = { ...app, refundsExcess: settings['app.invoice.refund-excess'] === 'true' };
  return {
    generateUuid,
    followers,
    returnExcess: (transaction, excess) => returnExcess(transaction, excess, returning),
  };
}
