import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import { pagesOf } from '../../../../../tests/support/billing/pdf-text.ts';
import type { InvoiceDocument } from '../document.ts';
import { renderHtml } from '../page.ts';
import { renderPdf } from '../pdf/pdf.ts';
import { rendererVersion, tagOf } from '../print.ts';

const invoice: InvoiceDocument = {
  id: 7,
  language: 'en',
  title: 'Invoice INV-000007',
  stamp: 'Paid',
  seller: { name: 'Mill', details: ['Mill Road 1', 'Tax ID: DE123456789'] },
  buyer: ['Ада', 'שלום 12'],
  paymentSummary: 'EUR 1.00 paid on 1 June 2027',
  facts: [['Date', '1 June 2027']],
  description: 'Bread & more',
  lines: [{ description: 'Bread', quantity: '1', unitPrice: '1.00', tax: '', amount: '1.00' }],
  sums: [['Total', 'EUR 1.00']],
  changedAt: new Date(0),
};

test('a change of the rendered content needs a new version, so that no client keeps the old content', async () => {
  // The texts of the PDF with their positions, because its compressed bytes differ between processors.
  const rendered = [renderHtml(invoice), JSON.stringify(pagesOf(await renderPdf(invoice)))];
  expect({ rendererVersion, hashes: rendered.map((content) => hash('sha256', content)) }).toEqual({
    rendererVersion: 4,
    hashes: [
      '7cc7f9ad72b3e4b02ab97397b131296e848210145e2f2b9c1a4f488c69610e5a',
      '0a501a5070395324b43031497c7f7b141e1c5773cb0209c19feaa7d5354b19ab',
    ],
  });
});

test('the tag depends on the format and on every part of the invoice', () => {
  const changed = { ...invoice, lines: [] };
  expect(new Set([tagOf(invoice, 'pdf'), tagOf(invoice, 'html'), tagOf(changed, 'pdf')]).size).toBe(3);
  expect(tagOf({ ...invoice }, 'pdf')).toBe(tagOf(invoice, 'pdf'));
});
