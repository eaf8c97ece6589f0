import type { Static } from 'typebox';
import type { Principal } from '../../../../core/principal.ts';
import type { Answer } from '../../../../platform/http/route.ts';
import type { Database } from '../../../../platform/postgres/database.ts';
import { readCustomer } from '../../customers/read.ts';
import { readInvoice } from '../read.ts';
import { detailOf } from '../record.ts';
import type { printQuery } from '../schema.ts';
import { findSeller } from '../statements.ts';
import { documentOf } from './document.ts';
import { contentPolicy, renderHtml } from './html.ts';

export const renderedTypes = ['text/html', 'application/pdf'] as const;

/**
 * Renders an invoice as an HTML page or a PDF file. The page runs no scripts and loads no resources; all texts of merchants
 * and customers are escaped.
 */
export async function renderInvoice(
  { id, format }: Static<typeof printQuery>,
  principal: Principal,
  database: Database,
): Promise<Answer<never>> {
  const document = await database.snapshot(async (snapshot) => {
    const row = await readInvoice(snapshot, id, principal);
    const customer = await readCustomer(snapshot, row.customer_id, principal);
    const [seller] = await snapshot.run(findSeller, [row.tenant_id]);
    return documentOf(await detailOf(snapshot, row), seller?.name ?? '', customer);
  });
  const securityHeaders = { 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' };
  if (format !== 'pdf') {
    return {
      document: { type: 'text/html; charset=utf-8', content: renderHtml(document) },
      headers: { ...securityHeaders, 'content-security-policy': contentPolicy },
    };
  }
  // Loaded on the first request for a PDF: the library and fonts take 20 MB and 0.2 s.
  const { renderPdf: pdfOf } = await import('./pdf.ts');
  const name = `attachment; filename="invoice-${id}.pdf"`;
  return {
    document: { type: 'application/pdf', content: await pdfOf(document) },
    headers: { ...securityHeaders, 'content-disposition': name },
  };
}
