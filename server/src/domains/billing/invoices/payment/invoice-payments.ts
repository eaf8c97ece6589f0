import { plainArray } from '../../../../platform/postgres/array-literal.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import type { WaitingPayments } from '../../../payments/operations/look-up-waiting.ts';
import { capturedAmountOf } from '../../../payments/transactions/captured.ts';
import type { InvoiceOfPayment, InvoicePayments } from '../../../payments/transactions/invoice-payments.ts';
import { isFinal } from '../../../payments/transactions/states.ts';
import { afterTransition, isManual, type Transition } from '../../../payments/transactions/transition.cte.ts';
import { queueMails } from '../../customer-mails/queue.ts';
import { keyOfRow, lockInvoices, mapKeyOf } from '../lock.ts';
import { type DisputeSettlementDeps, settleDispute } from '../settlement/dispute.ts';
import { keepHolds } from '../settlement/judge-holds.ts';
import { settlePayments } from '../settlement/settle.ts';
import { type EndedPayment, findRecordedPayments, type RecordedPayment } from '../settlement/settle-statements.ts';
import { findOpenPayments, invoiceExists } from '../statements.ts';
import { purchaseOf } from './purchase.ts';
import { reserve } from './reserve.ts';

export interface InvoicePaymentsDeps extends DisputeSettlementDeps {
  database: Queryable;
  waitingPayments: Pick<WaitingPayments, 'stillWaits'>;
}

/** What invoices do about their payments (`InvoicePayments`). */
export function invoicePaymentsOf(deps: InvoicePaymentsDeps): InvoicePayments {
  return {
    hasInvoice: async (database, { tenantId, invoiceId }) =>
      (await database.run(invoiceExists, [tenantId, invoiceId])).length > 0,
    purchaseOf,
    lookUpWaiting: (invoice) => lookUpWaiting(invoice, deps),
    lock: async (transaction, invoices) => {
      await lockInvoices(transaction, invoices);
    },
    reserve,
    follow: (transaction, transitions) => follow(transaction, transitions, deps),
    followDispute: (transaction, dispute) => settleDispute(transaction, dispute, deps),
    settleExcess: async (transaction, excess) => {
      await deps.settleExcess(transaction, excess);
    },
  };
}

async function lookUpWaiting(
  { tenantId, invoiceId }: InvoiceOfPayment,
  { database, waitingPayments }: InvoicePaymentsDeps,
): Promise<Set<string>> {
  const open = await database.run(findOpenPayments, [plainArray([tenantId]), plainArray([invoiceId])]);
  const waiting = open.filter(({ waits_for_payer }) => waits_for_payer).map(({ transaction_id }) => transaction_id);
  const answers = await Promise.all(waiting.map((id) => waitingPayments.stillWaits(tenantId, id)));
  return new Set(waiting.filter((_, i) => answers[i]));
}

async function follow(
  transaction: Queryable,
  transitions: readonly Transition[],
  deps: InvoicePaymentsDeps,
): Promise<void> {
  const found = await transaction.run(findRecordedPayments, [
    plainArray(transitions.map(({ row }) => row.tenant_id)),
    plainArray(transitions.map(({ row }) => row.id)),
  ]);
  const paymentOf = new Map(found.map((payment) => [payment.transaction_id, payment]));
  const recorded = transitions.flatMap((transition) => {
    const payment = paymentOf.get(transition.row.id);
    return payment === undefined ? [] : [{ transition, payment }];
  });
  const ended = recorded.flatMap(({ transition, payment }) => endOf(transition, payment));
  await settlePayments(transaction, ended, deps);
  const authorized = recorded.filter(({ transition }) => isAuthorization(transition)).map(({ payment }) => payment);
  await keepHolds(transaction, authorized);
  const waiting = recorded.filter(({ transition }) => beginsToWait(transition)).map(({ payment }) => payment);
  await mailInvoices(transaction, waiting, deps);
}

function endOf(transition: Transition, { excess: excessBefore, ...payment }: RecordedPayment): EndedPayment[] {
  const { row, to, atMs, failureCode, failureMessage, authorization } = transition;
  const captured = authorization?.capturedChange ?? 0;
  const ends = isFinal(to);
  if (!ends && captured === 0) return [];
  const finished_at = new Date(atMs).toISOString();
  const common = { ...payment, failure_code: null, failure_message: null, finished_at, method_id: row.method_id };
  const end = { ...common, takes: 0, ends, excessBefore };
  if (to === 'FAILED') {
    const failure_code = failureCode ?? row.failure_code;
    return [{ ...end, state: 'FAILED', failure_code, failure_message: failureMessage ?? row.failure_message }];
  }
  if (to === 'CANCELLED') return [{ ...end, state: 'CANCELLED' }];
  if (!isManual(transition)) return [{ ...end, state: 'SUCCEEDED', takes: payment.amount }];
  // A payment that is captured by requests is one of what was captured of it.
  const amount = ends ? capturedAmountOf(afterTransition(transition)) : payment.amount;
  return [{ ...end, state: 'SUCCEEDED', takes: captured, amount }];
}

const isAuthorization = ({ authorization }: Transition) => authorization?.begins !== undefined;

const beginsToWait = ({ row, requiresAction = false }: Transition) => requiresAction && row.next_action === null;

/** Mails the invoices of automatic payments that wait for their payer. Other payers are at the provider's page. */
async function mailInvoices(
  transaction: Queryable,
  payments: readonly RecordedPayment[],
  { generateUuid }: InvoicePaymentsDeps,
): Promise<void> {
  const automatic = payments.filter((payment) => payment.automatic);
  if (automatic.length === 0) return;
  const keys = automatic.map(({ tenant_id, invoice_id }) => ({ tenantId: tenant_id, invoiceId: invoice_id }));
  const invoices = await lockInvoices(transaction, keys);
  const wanted = new Set(keys.map(mapKeyOf));
  const occasions = invoices
    .filter((invoice) => wanted.has(mapKeyOf(keyOfRow(invoice))) && invoice.status === 'OPEN')
    .map((invoice) => ({ kind: 'INVOICE' as const, invoice }));
  await queueMails(transaction, occasions, generateUuid);
}
