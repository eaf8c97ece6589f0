import type { GenerateUuid } from '../../../src/core/id.ts';
import { invoicePaymentsOf } from '../../../src/domains/billing/invoices/payment/invoice-payments.ts';
import type { InvoiceFollower } from '../../../src/domains/billing/invoices/settlement/followers.ts';
import { returnExcess } from '../../../src/domains/billing/invoices/settlement/return-excess.ts';
import type { SettlementDeps } from '../../../src/domains/billing/invoices/settlement/settle.ts';
import { RegisteredInvoicePayments } from '../../../src/domains/payments/transactions/invoice-payments.ts';
import type { Transition } from '../../../src/domains/payments/transactions/transition.cte.ts';
import { PaymentTransitions } from '../../../src/domains/payments/transactions/transition-statements.ts';
import type { Queryable } from '../../../src/platform/postgres/database.ts';

/** The transitions of payments with their invoices, as a node assembles them. `settled` can be replaced later. */
export function transitionsWithInvoices(
  database: Queryable,
  generateUuid: GenerateUuid,
  onApplied?: (transition: Transition) => void,
) {
  const invoicePayments = new RegisteredInvoicePayments();
  const transitions = new PaymentTransitions(invoicePayments, onApplied);
  const followers: Pick<InvoiceFollower, 'settled'> = { settled: async () => {} };
  const settling: SettlementDeps = {
    generateUuid,
    followers: { settled: (transaction, payments) => followers.settled(transaction, payments) },
    returnExcess: (transaction, excess) =>
      returnExcess(transaction, excess, {
        transitions,
        generateUuid,
        log: { warn: () => {} },
        refundsExcess: true,
        onExcess: () => undefined,
      }),
  };
  const waitingPayments = { stillWaits: async () => false };
  invoicePayments.register(invoicePaymentsOf({ ...settling, database, waitingPayments }));
  return { transitions, invoicePayments, followers, settling };
}
