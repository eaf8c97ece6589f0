import { expect, test } from 'vitest';
import { pagesOf, rowsOf } from '../../../../../../tests/support/billing/pdf-text.ts';
import type { InvoiceDocument } from '../../document.ts';
import { renderPdf } from '../pdf.ts';

const empty: InvoiceDocument = {
  id: 7,
  language: 'en',
  title: 'Invoice INV-000007',
  stamp: null,
  seller: { name: 'Mill', details: [] },
  buyer: [],
  paymentSummary: null,
  facts: [],
  description: null,
  lines: [],
  sums: [['Total', 'EUR 1.00']],
  changedAt: new Date(0),
};

test('all text can be searched and copied, no matter what the process has rendered before', async () => {
  const rowsFor = async (name: string) => pagesOf(await renderPdf({ ...empty, buyer: [name] })).flatMap(rowsOf);
  expect(await rowsFor('Ösz')).toContain('Ösz');
  expect(await rowsFor('Otto')).toContain('Otto');
});
