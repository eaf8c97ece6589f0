import type { BillingApp } from '../../app.ts';
import { settleExcess } from './excess.ts';
import type { SettlementDeps } from './settle.ts';

/** What settling a payment of an invoice needs. */
export function settlementOf(app: BillingApp): SettlementDeps {
  const { settings, generateUuid, invoiceFollowers: followers } = app;
  const returning = { ...app, refundsExcess: settings['app.invoice.refund-excess'] === 'true' };
  return {
    generateUuid,
    followers,
    settleExcess: (transaction, excess) => settleExcess(transaction, excess, returning),
  };
}
