import type { Static } from 'typebox';
import { Refusal } from '../../../core/errors.ts';
import { changedMetadata, refuseBothWays } from '../../../core/metadata.ts';
import { type PricedLine, priceLines } from '../../../core/price-lines.ts';
import { rule } from '../../../core/refusal-rules.ts';
import type { Call } from '../../../platform/http/route.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import type { BillingApp } from '../app.ts';
import { changeInvoice } from './change-invoice.ts';
import { requireChannel, requireOneTax } from './create.ts';
import { deleteLines, insertLines, updateDraft } from './draft-statements.ts';
import { lineColumns, numbered } from './issue/line-columns.ts';
import type { InvoiceRecord } from './record.ts';
import type { modifyInput } from './schema.ts';
import type { InvoiceRow, LockedInvoice } from './statements.ts';

type ModifyInput = Static<typeof modifyInput>;

/**
 * Changes the given fields of a DRAFT; null clears a field. `lines` replace all lines; metadata changes by key. Refused
 * with `invoice_not_draft` once it is finalized or void, because others may rely on it then.
 */
export async function modifyInvoice(
  { body: input, principal }: Call<ModifyInput>,
  app: BillingApp,
): Promise<InvoiceRecord> {
  requireAnyChange(input);
  if (input.lines !== undefined) requireOneTax(input.lines);
  refuseBothWays(input);
  const totals = input.lines && priceLines(input.lines);
  return changeInvoice('invoice.update', input.id, principal, app, async (transaction, invoice, nowMs) => {
    requireDraft(invoice);
    if (input.channelId != null) await requireChannel(input.channelId, invoice, app);
    if (totals !== undefined) await replaceLines(transaction, invoice, totals.lines);
    const metadata = changedMetadata(invoice.metadata, input);
    const [row] = await transaction.run(updateDraft, [
      invoice.tenant_id,
      invoice.id,
      totals?.subtotal ?? null,
      totals?.tax ?? null,
      ...given(input.description),
      ...given(metadata && JSON.stringify(metadata)),
      ...given(input.channelId),
      ...given(input.dueDate),
      nowMs,
    ]);
    return row as InvoiceRow;
  });
}

const given = (value: unknown) => [value !== undefined, value ?? null];

function requireAnyChange({ id: _, ...fields }: ModifyInput): void {
  if (Object.values(fields).every((field) => field === undefined)) {
    throw new Refusal('invalid_request', rule('change_something', { fields: ['lines', 'dueDate'] }));
  }
}

function requireDraft({ id, status }: InvoiceRow): void {
  if (status === 'DRAFT') return;
  throw new Refusal('invoice_not_draft', rule('invoice_not_draft', { id, status }), { field: 'id' });
}

async function replaceLines(
  transaction: Queryable,
  { tenant_id, id }: LockedInvoice,
  lines: readonly PricedLine[],
): Promise<void> {
  await transaction.run(deleteLines, [tenant_id, id]);
  await transaction.run(insertLines, [tenant_id, id, ...lineColumns.parametersOf(numbered(lines))]);
}
