import type { BillingApp } from '../../app.ts';
import { type SettleHold, settleExcess, settleHold } from './excess.ts';
import type { SettlementDeps } from './settle.ts';

/** What settling a payment of an invoice needs. */
export function settlementOf(app: BillingApp): SettlementDeps & { settleHold: SettleHold } {
  const { settings, generateUuid, invoiceFollowers: followers } = app;
  const returning = { ...app, refundsExcess: settings['app.invoice.refund-excess'] === 'true' };
  return {
    generateUuid,
    followers,
    settleExcess: (transaction, excess) => settleExcess(transaction, excess, returning),
    settleHold: (transaction, hold) => settleHold(transaction, hold, returning),
  };
}
