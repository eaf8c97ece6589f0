import { hash } from 'node:crypto';
import type { Static } from 'typebox';
import type { Answer, Call } from '../../../platform/http/route.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import type { BillingApp } from '../app.ts';
import { readCustomer } from '../customers/read.ts';
import { type CustomerRow, findCustomer } from '../customers/statements.ts';
import type { InvoiceKey } from '../invoices/lock.ts';
import { readInvoice } from '../invoices/read.ts';
import { detailOf } from '../invoices/record.ts';
import { findInvoice, type InvoiceRow } from '../invoices/statements.ts';
import { languageOf, sellerOf } from '../sellers/read.ts';
import { documentOf, type InvoiceDocument } from './document.ts';
import { contentPolicyOf, renderHtml } from './page.ts';
import { installedFaceNames } from './pdf/fonts.ts';
import type { printQuery } from './schema.ts';

export const printedTypes = ['text/html', 'application/pdf'] as const;

/**
 * Renders an invoice as an HTML page or a PDF file. The page runs no scripts and loads no resources; all texts of
 * merchants and customers are escaped. Nothing is rendered for a caller that has the current version (`If-None-Match`).
 */
export async function printInvoice(
  { query: { id, format }, principal }: Call<unknown, Static<typeof printQuery>>,
  { database, pdfRenderer }: BillingApp,
): Promise<Answer<never>> {
  const { invoice, fileName, tenantId } = await database.snapshot(async (snapshot) => {
    const row = await readInvoice(snapshot, id, principal);
    return renderable(snapshot, row, await readCustomer(snapshot, row.customer_id, principal));
  });
  const securityHeaders = { 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' };
  const tag = tagOf(invoice, format === 'pdf' ? 'pdf' : 'html');
  if (format !== 'pdf') {
    return {
      document: { type: 'text/html; charset=utf-8', tag, content: async () => renderHtml(invoice) },
      headers: { ...securityHeaders, 'content-security-policy': contentPolicyOf(invoice) },
    };
  }
  return {
    document: { type: 'application/pdf', tag, content: () => pdfRenderer.pdf({ tag, invoice, tenantId }) },
    headers: { ...securityHeaders, 'content-disposition': attachmentNamed(fileName) },
  };
}

interface Renderable {
  invoice: InvoiceDocument;
  fileName: string;
  tenantId: number;
}

async function renderable(snapshot: Queryable, row: InvoiceRow, customer: CustomerRow): Promise<Renderable> {
  const present = await sellerOf(snapshot, row.tenant_id);
  // Invoices that were finalized by versions that did not record the seller show only its name, as they did then.
  const seller = row.seller ?? (row.status === 'DRAFT' ? present : { name: present.name, address: null, taxId: null });
  const record = await detailOf(snapshot, row);
  const language = await languageOf(snapshot, row.tenant_id);
  return {
    invoice: documentOf(record, seller, customer, language),
    fileName: fileNameOf(seller.name, record),
    tenantId: row.tenant_id,
  };
}

/**
 * The PDF file of an invoice for its payer, who has no account; `payerPage` is the address of its page, if it has one.
 * Undefined: there is no such invoice.
 */
export async function pdfForPayer(
  { tenantId, invoiceId }: InvoiceKey,
  payerPage: string | null,
  { database, pdfRenderer }: BillingApp,
): Promise<{ content: Buffer; disposition: string } | undefined> {
  const found = await database.snapshot(async (snapshot) => {
    const [row] = await snapshot.run(findInvoice, [[tenantId], invoiceId]);
    const [customer] = row === undefined ? [] : await snapshot.run(findCustomer, [[tenantId], row.customer_id]);
    return row && customer && renderable(snapshot, row, customer);
  });
  if (found === undefined) return undefined;
  const { fileName } = found;
  const invoice = payerPage === null ? found.invoice : { ...found.invoice, payerPage };
  const content = await pdfRenderer.pdf({ tag: tagOf(invoice, 'pdf'), invoice, tenantId });
  return { content, disposition: attachmentNamed(fileName) };
}

/** Increase it with every change to the HTML or PDF of the same invoice; `version.test.ts` detects such changes. */
export const rendererVersion = 4;

/**
 * The ETag of a rendered document: a hash of everything that it depends on. Equal tags mean equal bytes, on every node.
 */
export function tagOf(invoice: InvoiceDocument, format: 'html' | 'pdf'): string {
  const input = JSON.stringify([rendererVersion, installedFaceNames, format, invoice]);
  return `"${hash('sha256', input, 'base64url')}"`;
}

/** Characters that some systems forbid in file names, and those that hide or reorder text. */
const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}/\\:*?"<>|]+/gu;

/** The longest seller's name in a file name, in characters: file systems allow 255 bytes in all. */
const longestSeller = 50;

/** The name of an invoice's file: the seller and the number, or the id of a draft, which has no number. */
export function fileNameOf(seller: string, invoice: { id: number; number: string | null }): string {
  const name = [...seller.replace(unsafe, ' ').replace(/\s+/g, ' ').trim()].slice(0, longestSeller).join('').trim();
  const parts = [name, invoice.number ?? `draft-${invoice.id}`].filter((part) => part !== '');
  return `${parts.join(' ')}.pdf`;
}

/**
 * A `Content-Disposition` header that saves the response under this name (RFC 6266): in UTF-8, encoded by RFC 8187, and
 * for old clients in ASCII, with `_` for every other character.
 */
export function attachmentNamed(name: string): string {
  const ascii = name.replace(/[^\x20-\x7e]|["\\%]/gu, '_');
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
