import type { Static } from 'typebox';
import type { Principal } from '../../../../core/principal.ts';
import type { Answer } from '../../../../platform/http/route.ts';
import type { Database } from '../../../../platform/postgres/database.ts';
import { statement } from '../../../../platform/postgres/statement.ts';
import { readCustomer } from '../../customers/read.ts';
import { readInvoice } from '../read.ts';
import { detailOf } from '../record.ts';
import type { printQuery } from '../schema.ts';
import { documentOf } from './document.ts';
import { contentPolicy, renderHtml } from './html.ts';

export const printedTypes = ['text/html', 'application/pdf'] as const;

const findSeller = statement<{ name: string }>('invoices.find_seller', 'select name from tenant where id = $1');

/**
 * The invoice as a page or a PDF. The page needs no script and may load nothing; whatever merchants and customers wrote is
 * text in it.
 */
export async function renderInvoice(
  { id, format }: Static<typeof printQuery>,
  principal: Principal,
  database: Database,
): Promise<Answer<never>> {
  const printed = await database.snapshot(async (moment) => {
    const row = await readInvoice(moment, id, principal);
    const customer = await readCustomer(moment, row.customer_id, principal);
    const [seller] = await moment.run(findSeller, [row.tenant_id]);
    return documentOf(await detailOf(moment, row), seller?.name ?? '', customer);
  });
  const safe = { 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' };
  if (format !== 'pdf') {
    return {
      document: { type: 'text/html; charset=utf-8', content: renderHtml(printed) },
      headers: { ...safe, 'content-security-policy': contentPolicy },
    };
  }
  // Loaded when the first PDF is asked for: library and fonts cost 20 MB and 0.2 s.
  const { renderPdf: pdfOf } = await import('./pdf.ts');
  const name = `attachment; filename="invoice-${id}.pdf"`;
  return {
    document: { type: 'application/pdf', content: await pdfOf(printed) },
    headers: { ...safe, 'content-disposition': name },
  };
}
