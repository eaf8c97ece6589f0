import type { TransitionFollower } from '../../../payments/transactions/transition.cte.ts';
import { invoicesDue } from './settle-statements.ts';

/**
 * A CTE in the statement that changes payments. It records how payments of invoices ended, so that both are committed
 * together. Input: a CTE `moved (tenant_id, id, invoice_id, from_status, to_status, failure_code, failure_message, at)`.
 * The invoices are settled shortly afterwards (settle.ts), so that payments never wait for a lock on their invoice.
 *
 * Cost: a check of `invoice_id` for a payment without an invoice; an index lookup for the id of an invoice of another system.
 */
const followPaymentsCte = `
  ended_invoice_payment as (
    update invoice_payment p
       set state = case moved.to_status when 'SUCCESS' then 'SUCCEEDED' else moved.to_status end,
           failure_code = case moved.to_status when 'FAILED' then moved.failure_code end,
           failure_message = case moved.to_status when 'FAILED' then moved.failure_message end, finished_at = moved.at
      from moved
     where moved.invoice_id is not null and moved.to_status in ('SUCCESS', 'FAILED', 'CANCELLED')
       and moved.from_status <> moved.to_status
       and p.tenant_id = moved.tenant_id and p.transaction_id = moved.id and p.state = 'OPEN'
    returning 1
  )`;

/** Billing's part of the statement that changes payments (`transition.cte.ts`). */
export const invoiceFollower: TransitionFollower = {
  cte: followPaymentsCte,
  wakes: { topic: invoicesDue, changed: 'ended_invoice_payment' },
};
