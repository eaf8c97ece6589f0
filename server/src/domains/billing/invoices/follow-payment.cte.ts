/**
 * A CTE that writes down how payments of invoices ended, in the statement that moves them, so that neither can be without the
 * other: from a CTE `moved (tenant_id, id, invoice_id, from_status, to_status, failure_code, failure_message, at)`. The
 * invoices themselves follow a moment later (settle.ts), so that payments never wait for each other by an invoice.
 *
 * A payment without an invoice costs a look at `invoice_id`; one that names an invoice kept elsewhere, a look into an index.
 */
export const followPaymentsCte = `
  invoice_told as (
    update invoice_payment p
       set state = case moved.to_status when 'SUCCESS' then 'SUCCEEDED' else moved.to_status end,
           failure_code = case moved.to_status when 'FAILED' then moved.failure_code end,
           failure_message = case moved.to_status when 'FAILED' then moved.failure_message end, finished_at = moved.at
      from moved
     where moved.invoice_id is not null and moved.to_status in ('SUCCESS', 'FAILED', 'CANCELLED')
       and moved.from_status <> moved.to_status
       and p.tenant_id = moved.tenant_id and p.transaction_id = moved.id and p.state = 'OPEN'
  )`;
