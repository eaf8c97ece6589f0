import { type FailureReports, Worker } from '../../../../platform/jobs/worker.ts';
import type { Database } from '../../../../platform/postgres/database.ts';
import { lockInvoices } from '../lock.ts';
import { type SettlementDeps, settlePayments } from './settle.ts';
import { claimEndedPayments, type EndedPayment, endedPaymentDue, invoicesDue } from './settle-statements.ts';

export interface LeftOverSettlementDeps extends SettlementDeps, FailureReports {
  database: Database;
}

/** Payments in one transaction. */
const maximumBatch = 200;

/**
 * Settles payments that a node of an earlier release has ended: those releases settled invoices in a transaction of
 * their own, shortly after that of the payment. One transaction claims the payments and writes everything, so no leases
 * are needed.
 */
export function leftOverSettlementWorker(deps: LeftOverSettlementDeps): Worker<EndedPayment> {
  const { onError, onRecovered } = deps;
  return new Worker<EndedPayment>({
    name: 'invoices',
    dueWork: { topic: invoicesDue, due: endedPaymentDue },
    claim: (limit) => settleLeftOver(limit, deps),
    slots: maximumBatch,
    onError,
    onRecovered,
  });
}

async function settleLeftOver(limit: number, deps: LeftOverSettlementDeps): Promise<readonly EndedPayment[]> {
  const { database } = deps;
  // Nearly every poll finds nothing and needs no transaction.
  if ((await database.run(claimEndedPayments, [1])).length === 0) return [];
  return database.transaction(async (transaction) => {
    const claimed = await transaction.run(claimEndedPayments, [limit]);
    await lockInvoices(
      transaction,
      claimed.map(({ tenant_id, invoice_id }) => ({ tenantId: tenant_id, invoiceId: invoice_id })),
    );
    await settlePayments(transaction, claimed, deps);
    return claimed;
  });
}
