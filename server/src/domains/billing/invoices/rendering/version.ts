import { hash } from 'node:crypto';
import type { InvoiceDocument } from './document.ts';
import { installedFaceNames } from './fonts.ts';

/** Increase it with every change to the HTML or PDF of the same invoice; `version.test.ts` detects such changes. */
export const rendererVersion = 4;

/**
 * The ETag of a rendered document: a hash of everything that it depends on. Equal tags mean equal bytes, on every node.
 */
export function tagOf(invoice: InvoiceDocument, format: 'html' | 'pdf'): string {
  const input = JSON.stringify([rendererVersion, installedFaceNames, format, invoice]);
  return `"${hash('sha256', input, 'base64url')}"`;
}
