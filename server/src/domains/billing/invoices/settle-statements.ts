import { statement } from '../../../platform/postgres/statement.ts';
import type { Topic } from '../../../platform/postgres/topics.ts';
import { permittedTransitions } from './states.ts';

/** Invoices are due to follow their payments. */
export const invoicesDue: Topic = 'invoices';

/** A payment of an invoice that has ended, and that the invoice does not know of yet. */
export interface EndedPayment {
  tenant_id: number;
  invoice_id: number;
  number: number;
  transaction_id: string | null;
  amount: number;
  automatic: boolean;
  state: 'SUCCEEDED' | 'FAILED' | 'CANCELLED';
  failure_code: string | null;
  failure_message: string | null;
  finished_at: string;
}

/** For a lookout: whether a payment has ended and its invoice does not know. */
export const endedPaymentDue = `select from invoice_payment where state <> 'OPEN' and applied_at is null`;

/** The oldest $1 at most that nobody else is at work on; held until the transaction ends. */
export const claimEndedPayments = statement<EndedPayment>(
  'invoices.claim_ended_payments',
  `select tenant_id, invoice_id, number, transaction_id, amount, automatic, state, failure_code, failure_message, finished_at
     from invoice_payment
    where state <> 'OPEN' and applied_at is null
    order by finished_at
    limit $1
      for update skip locked`,
);

/** One array a column: tenant, invoice, number. */
export const markPaymentsApplied = statement(
  'invoices.apply_payments',
  `update invoice_payment p
      set applied_at = p.finished_at
     from unnest($1::bigint[], $2::bigint[], $3::int[]) as applied (tenant_id, invoice_id, number)
    where p.tenant_id = applied.tenant_id and p.invoice_id = applied.invoice_id and p.number = applied.number`,
);

/** Invoices as they are after their payments, guarded by the table of transitions. One array a column. */
export const updateSettledInvoices = statement<{ id: number }>(
  'invoices.settle',
  `update invoice i
      set status = settled.status, amount_paid = settled.amount_paid, amount_held = settled.amount_held,
          paid_at = settled.paid_at::timestamptz, version = settled.version, updated_at = settled.updated_at::timestamptz
     from unnest($1::bigint[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::text[], $7::int[], $8::text[])
       as settled (tenant_id, id, status, amount_paid, amount_held, paid_at, version, updated_at)
    where i.tenant_id = settled.tenant_id and i.id = settled.id and (i.status, settled.status) in (${permittedTransitions})
   returning i.id`,
);
