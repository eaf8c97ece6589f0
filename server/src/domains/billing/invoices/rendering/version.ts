import { hash } from 'node:crypto';
import type { InvoiceDocument } from './document.ts';
import { installedFaceNames } from './fonts.ts';

/** Raise it with every change of the HTML or the PDF of the same invoice; `version.test.ts` finds such a change. */
export const rendererVersion = 2;

/** Identifies a rendered document by everything that it depends on. The same tag means the same bytes, on every node. */
export function tagOf(invoice: InvoiceDocument, format: 'html' | 'pdf'): string {
  const input = JSON.stringify([rendererVersion, installedFaceNames, format, invoice]);
  return `"${hash('sha256', input, 'base64url')}"`;
}
