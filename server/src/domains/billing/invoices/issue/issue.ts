import type { DrawUuid } from '../../../../core/id.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import { appendPaidEvents } from '../events.ts';
import type { InvoiceRow } from '../statements.ts';
import { type InvoiceFacts, insertInvoices } from './insert.ts';
import { allocateNumbers } from './numbers.ts';
import { type LineInput, priceLines } from './price-lines.ts';

/** An invoice to issue. Its amounts follow from its lines (`priceLines`). */
export interface InvoiceDraft extends InvoiceFacts {
  dueMs: number;
  /** When it is issued, in its customer's time. */
  issuedMs: number;
  lines: readonly LineInput[];
}

/**
 * Issues many invoices, finalized and numbered, in three statements for any number of them. Invoices with a total of 0 are
 * PAID at once, with their `invoice.paid` event. Runs in the caller's transaction and keeps the tenants' number counters
 * locked until it ends. Returns the rows in the order of the drafts.
 */
export async function issueInvoices(
  transaction: Queryable,
  drafts: readonly InvoiceDraft[],
  drawUuid: DrawUuid,
): Promise<InvoiceRow[]> {
  if (drafts.length === 0) return [];
  const numbers = await allocateNumbers(transaction, drafts);
  const rows = await insertInvoices(
    transaction,
    drafts.map((draft, i) => {
      const totals = priceLines(draft.lines);
      const status = totals.total === 0 ? 'PAID' : 'OPEN';
      return { ...draft, totals, status, number: numbers[i] as number, createdMs: draft.issuedMs };
    }),
  );
  await appendPaidEvents(
    transaction,
    rows.filter(({ status }) => status === 'PAID'),
    drawUuid,
  );
  return rows;
}
