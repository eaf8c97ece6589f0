import type { GenerateUuid } from '../../../../core/id.ts';
import { type LineInput, type PricedLines, priceLines } from '../../../../core/price-lines.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import { appendEvents, type EventDraft } from '../../../webhooks/events/append-events.cte.ts';
import { sellersOf } from '../../sellers/read.ts';
import type { Seller } from '../../sellers/statements.ts';
import { type InvoiceEvent, invoiceEventDraft } from '../events.ts';
import { recordOf } from '../record.ts';
import type { InvoiceRow } from '../statements.ts';
import { insertInvoices } from './insert.ts';
import type { InvoiceFacts } from './insert-statements.ts';
import { allocateNumbers } from './numbers.ts';

/** An invoice to issue. `priceLines` calculates its amounts. */
export interface InvoiceDraft extends InvoiceFacts {
  dueMs: number;
  /** When it is issued, in its customer's time. */
  issuedMs: number;
  lines: readonly LineInput[];
}

/**
 * Issues invoices, finalized and numbered, with their events. It takes five statements for any number of invoices.
 * Invoices with a total of 0 are PAID at once, with an `invoice.paid` event. Runs in the caller's transaction and keeps
 * the tenants' number counters locked until it ends. Returns the rows in the order of the drafts.
 */
export async function issueInvoices(
  transaction: Queryable,
  drafts: readonly InvoiceDraft[],
  generateUuid: GenerateUuid,
): Promise<InvoiceRow[]> {
  if (drafts.length === 0) return [];
  const numbers = await allocateNumbers(transaction, drafts);
  const sellers = await sellersOf(
    transaction,
    drafts.map(({ tenantId }) => tenantId),
  );
  const priced = drafts.map(({ lines }) => priceLines(lines));
  const rows = await insertInvoices(
    transaction,
    drafts.map((draft, i) => {
      const totals = priced[i] as PricedLines;
      const status = totals.total === 0 ? 'PAID' : 'OPEN';
      const facts = { number: numbers[i] as number, seller: sellers[i] as Seller, createdMs: draft.issuedMs };
      return { ...draft, totals, status, ...facts };
    }),
  );
  await appendEvents(
    transaction,
    rows.flatMap((row, i) => eventsOfIssued(row, priced[i] as PricedLines, generateUuid)),
  );
  return rows;
}

/** The record is derived from the draft instead of read back. */
function eventsOfIssued(invoice: InvoiceRow, { lines }: PricedLines, generateUuid: GenerateUuid): EventDraft[] {
  const record = { ...recordOf(invoice), lines, payments: [] };
  const events: InvoiceEvent[] = [
    { type: 'invoice.created', invoice },
    { type: 'invoice.finalized', invoice },
  ];
  if (invoice.status === 'PAID') events.push({ type: 'invoice.paid', invoice });
  return events.map((event) => invoiceEventDraft(event, record, generateUuid()));
}
