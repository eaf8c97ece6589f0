import { invoicePaymentsOf } from '../../../src/domains/billing/invoices/payment/invoice-payments.ts';
import { settleExcess } from '../../../src/domains/billing/invoices/settlement/excess.ts';
import type { InvoiceFollower } from '../../../src/domains/billing/invoices/settlement/followers.ts';
import type { SettlementDeps } from '../../../src/domains/billing/invoices/settlement/settle.ts';
import type { ChannelDirectory } from '../../../src/domains/payments/channels/directory.ts';
import { RegisteredInvoicePayments } from '../../../src/domains/payments/transactions/invoice-payments.ts';
import { Payments, type PaymentsDeps } from '../../../src/domains/payments/transactions/payments.ts';

/** The payments of a node with their invoices, as a node assembles them. `settled` can be replaced later. */
export function paymentsWithInvoices(deps: Omit<PaymentsDeps, 'invoicePayments' | 'methodCustomers' | 'clock'>) {
  const { database, generateUuid } = deps;
  const invoicePayments = new RegisteredInvoicePayments();
  const payments = new Payments({
    ...deps,
    invoicePayments,
    methodCustomers: { find: async () => undefined },
    clock: Date.now,
  });
  const followers: Pick<InvoiceFollower, 'settled'> = { settled: async () => {} };
  const settling: SettlementDeps = {
    generateUuid,
    followers: { settled: (transaction, settled) => followers.settled(transaction, settled) },
    settleExcess: (transaction, excess) =>
      settleExcess(transaction, excess, {
        payments,
        channels: deps.channels as ChannelDirectory,
        clock: Date.now,
        generateUuid,
        log: { warn: () => {} },
        refundsExcess: true,
        onExcess: () => undefined,
      }),
  };
  const waitingPayments = { stillWaits: async () => false };
  const following = { ...settling.followers, reopened: async () => {} };
  const ofInvoices = { ...settling, followers: following, clock: Date.now, database, waitingPayments };
  invoicePayments.register(invoicePaymentsOf(ofInvoices));
  return { payments, invoicePayments, followers, settling };
}
