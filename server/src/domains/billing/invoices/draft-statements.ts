import { statement } from '../../../platform/postgres/statement.ts';
import { lineColumns } from './issue/line-columns.ts';
import { type InvoiceRow, invoiceColumns } from './statements.ts';

/** Values: tenant, invoice. */
export const deleteLines = statement(
  'invoices.delete_lines',
  'delete from invoice_line where tenant_id = $1 and invoice_id = $2',
);

/** Values: tenant, invoice, those of `lineColumns`. */
export const insertLines = statement(
  'invoices.insert_lines',
  `insert into invoice_line (tenant_id, invoice_id, number, description, quantity, unit_amount, amount, tax_rate,
       tax_amount)
   select $1, $2, number, description, quantity, unit_amount, amount, tax_rate, tax_amount
     from (${lineColumns.relation([], 3)}) as line`,
);

/**
 * Changes a locked DRAFT. Values: tenant, id; subtotal and tax, null keeps them; description, metadata as JSON, channel
 * and due date, each preceded by whether to write it; now (ms).
 */
export const updateDraft = statement<InvoiceRow>(
  'invoices.update_draft',
  `update invoice i
      set subtotal = coalesce($3::bigint, i.subtotal), tax = coalesce($4::bigint, i.tax),
          total = coalesce($3::bigint, i.subtotal) + coalesce($4::bigint, i.tax),
          description = case when $5 then $6 else i.description end,
          metadata = case when $7 then $8::json else i.metadata end,
          channel_id = case when $9 then $10::bigint else i.channel_id end,
          due_date = case when $11 then $12::date else i.due_date end,
          version = i.version + 1, updated_at = greatest(to_timestamp($13::float8 / 1000), i.updated_at)
    where i.tenant_id = $1 and i.id = $2 and i.status = 'DRAFT'
   returning ${invoiceColumns}`,
);
