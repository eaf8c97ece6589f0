import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeCustomer, makeDraft, makeInvoice, settledInvoice } from '../../../../../tests/support/billing/invoices.ts';
import { pagesOf, rowsOf } from '../../../../../tests/support/billing/pdf-text.ts';
import {
  administratorOf,
  dataOf,
  makeChannel,
  makeKey,
  makeMember,
  makeTenant,
} from '../../../../../tests/support/factories.ts';
import { databaseFromTemplate, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../../../../tests/support/service/florin.ts';
import { aRefusal } from '../../../../../tests/support/shapes.ts';

let db: TestDatabase;
let florin: TestFlorin;
let admin: string;
let bank: number;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db);
  admin = await administratorOf(florin);
  bank = await makeChannel(florin, admin, { currency: 'USD,EUR,JPY,KWD' });
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

const formats = ['html', 'pdf'] as const;
type Format = (typeof formats)[number];

async function printed(id: number, format: Format, as = admin): Promise<Response> {
  const address = `${florin.address}/api/invoice/print?id=${id}&format=${format}`;
  const response = await fetch(address, { headers: { authorization: as } });
  expect(response.status).toBe(200);
  return response;
}

/** The text of a rendered invoice, line by line. */
async function readOn(id: number, format: Format): Promise<string[]> {
  const response = await printed(id, format);
  if (format === 'pdf') return pagesOf(Buffer.from(await response.arrayBuffer())).flatMap(rowsOf);
  const shown = (await response.text()).replace(/<style>[\s\S]*<\/style>/, '').replaceAll(/<\/(dt|td|th)>/g, ' ');
  return shown.split('\n').map((line) => line.replaceAll(/<[^>]*>/g, '').trim());
}

async function paid(id: number, amount?: number): Promise<void> {
  const { transactionId } = dataOf(await florin.post('/api/invoice/pay', { id, amount, channelId: bank }, admin));
  dataOf(await florin.post('/api/transaction/update', { id: transactionId, status: 'SUCCESS' }, admin));
  await settledInvoice(florin, admin, id, db);
}

const nasty = '<script>alert(1)</script>"\'&';
const today = () => new Date().toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

describe.each(formats)('as %s', (format) => {
  test('the figures equal those of the record, with the decimals of each currency', async () => {
    const customerId = await makeCustomer(florin, admin);
    const lines = [
      { description: 'Bread', quantity: 1200, unitAmount: 450, taxRate: 700 },
      { description: 'Delivery', quantity: 1, unitAmount: 1500, taxRate: 1900 },
      { description: 'Crates', quantity: 1, unitAmount: -250, taxRate: 1900 },
    ];
    const read = async (currency: string) => {
      const id = await makeInvoice(florin, admin, customerId, { currency, lines });
      const { subtotal, tax, total } = dataOf(await florin.get(`/api/invoice/detail?id=${id}`, admin));
      expect([subtotal, tax, total]).toEqual([541250, 38038, 579288]);
      return (await readOn(id, format)).map((row) => row.replaceAll('\u00a0', ' '));
    };
    expect(await read('EUR')).toEqual(
      expect.arrayContaining([
        'Bread 1,200 4.50 7 % 5,400.00',
        'Crates 1 −2.50 19 % −2.50',
        'Subtotal EUR 5,412.50',
        'Tax 7 % of 5,400.00 EUR 378.00',
        'Tax 19 % of 12.50 EUR 2.38',
        'Total EUR 5,792.88',
        'To pay EUR 5,792.88',
      ]),
    );
    expect(await read('JPY')).toEqual(
      expect.arrayContaining(['Bread 1,200 450 7 % 540,000', 'Tax 19 % of 1,250 JPY 238', 'To pay JPY 579,288']),
    );
    expect(await read('KWD')).toEqual(
      expect.arrayContaining(['Crates 1 −0.250 19 % −0.250', 'Total KWD 579.288', 'To pay KWD 579.288']),
    );
  });

  test('it shows the seller as it was when the invoice was finalized; a draft shows the current one', async () => {
    const tenantId = await makeTenant(florin, admin);
    const saveSeller = (name: string, changes: object = {}) =>
      florin.post('/api/tenant/modify', { id: tenantId, name, state: true, ...changes }, admin);
    const address = { line1: 'Mühlweg 1', postalCode: '04109', city: 'Leipzig', country: 'DE' };
    dataOf(await saveSeller('Mill', { address, taxId: 'DE123456789' }));
    const { as } = await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId });
    const customerId = await makeCustomer(florin, as);
    const [draft, open] = [await makeDraft(florin, as, customerId), await makeInvoice(florin, as, customerId)];
    const seller = { name: 'Mill', address, taxId: 'DE123456789' };
    expect(dataOf(await florin.get(`/api/invoice/detail?id=${open}`, as))).toMatchObject({ seller });
    expect(dataOf(await florin.get(`/api/invoice/detail?id=${draft}`, as))).toMatchObject({ seller: null });
    dataOf(await saveSeller('Bakery', { address: null, taxId: null }));
    const shown = (await readOn(open, format)).join('\n');
    for (const part of ['Mill', 'Mühlweg 1', '04109 Leipzig', 'Germany', 'Tax ID: DE123456789'])
      expect(shown).toContain(part);
    expect(shown).not.toContain('Bakery');
    const ofDraft = (await readOn(draft, format)).join('\n');
    expect(ofDraft).toContain('Bakery');
    expect(ofDraft).not.toContain('Mill');
  });

  test('it shows a draft, the amount to pay with its due date, a payment, and a void invoice', async () => {
    const customerId = await makeCustomer(florin, admin);
    const due = { dueDate: '2027-06-30' };
    const id = await makeDraft(florin, admin, customerId, due);
    const textOf = async (of: number) => (await readOn(of, format)).join('\n').replaceAll('\u00a0', ' ');
    const draft = await textOf(id);
    expect(draft).toMatch(/draft/i);
    expect(draft).not.toMatch(/to pay/i);
    const { number } = dataOf(await florin.post('/api/invoice/finalize', { id }, admin));
    const open = await textOf(id);
    expect(open).toContain(`Invoice ${number}`);
    expect(open).toContain('USD 10.00 to pay by 30 June 2027');
    expect(open).not.toMatch(/draft|paid|void/i);
    await paid(id, 300);
    const part = await textOf(id);
    expect(part).toContain('USD 7.00 to pay by 30 June 2027');
    for (const row of ['Total USD 10.00', 'Paid USD −3.00', 'To pay USD 7.00']) expect(part.split('\n')).toContain(row);
    await paid(id);
    const whole = await textOf(id);
    expect(whole.replaceAll(/paid/gi, 'PAID')).toMatch(/^(Invoice INV-\d+)?PAID$/m);
    expect(whole).toContain(`USD 10.00 paid on ${today()}`);
    expect(whole.split('\n')).toContain('To pay USD 0.00');
    const { payments } = dataOf(await florin.get(`/api/invoice/detail?id=${id}`, admin));
    const refund = { transactionId: payments[0].transactionId, amount: 200 };
    dataOf(await florin.post('/api/refund/create', refund, admin));
    expect(await textOf(id)).toContain(`USD 10.00 paid on ${today()}, USD 2.00 refunded`);
    const voided = await makeInvoice(florin, admin, customerId, due);
    dataOf(await florin.post('/api/invoice/void', { id: voided }, admin));
    expect(await textOf(voided)).toContain(`Void since ${today()}: nothing to pay`);
    expect(await textOf(voided)).not.toContain('30 June 2027');
  });

  test('it is in German for a tenant whose mails are German, with German numbers, dates and countries', async () => {
    const tenantId = await makeTenant(florin, admin);
    const changes = { id: tenantId, mailLanguage: 'de', taxId: 'DE123456789' };
    dataOf(await florin.post('/api/tenant/modify', changes, admin));
    const { as } = await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId });
    const customerId = await makeCustomer(florin, as, { address: { city: 'Wien', country: 'AT' } });
    const invoice = {
      lines: [{ description: 'Brot', quantity: 1200, unitAmount: 450, taxRate: 725 }],
      ...{ currency: 'EUR', dueDate: '2027-06-30', customerId, tenantId },
    };
    const id = dataOf(await florin.post('/api/invoice/create', invoice, admin)).id;
    const read = async () => (await readOn(id, format)).map((row) => row.replaceAll('\u00a0', ' '));
    expect((await read()).join('\n')).toMatch(/entwurf/i);
    const { number } = dataOf(await florin.post('/api/invoice/finalize', { id }, as));
    const rows = await read();
    for (const row of [
      ...['Steuernummer: DE123456789', 'Rechnung an', 'Österreich', 'Fällig am 30. Juni 2027'],
      ...['5.791,50 EUR zu zahlen bis 30. Juni 2027', 'Brot 1.200 4,50 7,25 % 5.400,00'],
      ...['Zwischensumme 5.400,00 EUR', '7,25 % Steuer auf 5.400,00 391,50 EUR', 'Gesamtbetrag 5.791,50 EUR'],
      'Zu zahlen 5.791,50 EUR',
    ]) {
      expect(rows.join('\n')).toContain(row);
    }
    expect(rows.join('\n')).toContain(`Rechnung ${number}`);
    expect(rows.join('\n')).not.toMatch(/Invoice|Unit price|Total|To pay|Page/);
  });

  test('the customer is shown with the whole address, in any script', async () => {
    const address = { line1: 'Žižkovská 12', postalCode: '130 00', city: 'Praha', country: 'CZ' };
    const names = ['Šárka Ångström', 'Ελένη Παπαδοπούλου', 'Иван Щербаков'];
    for (const name of names) {
      const customerId = await makeCustomer(florin, admin, { name, address, email: 'to@example.com' });
      const rows = (await readOn(await makeInvoice(florin, admin, customerId), format)).join('\n');
      for (const shown of [name, 'Žižkovská 12', '130 00 Praha', 'Czechia', 'to@example.com'])
        expect(rows).toContain(shown);
    }
  });

  test('it is refused without a login and without the scope, and not found by other tenants', async () => {
    const id = await makeInvoice(florin, admin, await makeCustomer(florin, admin));
    const path = `/api/invoice/print?id=${id}&format=${format}`;
    expect((await florin.get(path)).status).toBe(401);
    const { as: narrow } = await makeKey(florin, admin, 'transaction_read,transaction_write');
    expect((await florin.get(path, narrow)).body).toEqual(
      aRefusal(403, { type: 'scope_missing', details: { scope: 'invoice_read' } }),
    );
    const tenantId = await makeTenant(florin, admin);
    const { as: other } = await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId });
    expect((await florin.get(path, other)).body).toEqual(aRefusal(404, { type: 'record_not_found', field: 'id' }));
  });
});

test('the page escapes all texts, runs no scripts and loads no resources', async () => {
  const address = { line1: nasty, city: 'Köln', country: 'DE' };
  const buyer = await makeCustomer(florin, admin, { name: nasty, address });
  const lines = [{ description: nasty, quantity: 2, unitAmount: 1050, taxRate: 725 }];
  const { headers, body } = await florin.get(
    `/api/invoice/print?id=${await makeInvoice(florin, admin, buyer, { lines, description: nasty })}`,
    admin,
  );
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-[^']+';(?!.*script)/);
  expect(body).not.toContain('<script');
  expect(body.split('&lt;script&gt;alert(1)&lt;/script&gt;&quot;')).toHaveLength(5);
});

describe('the PDF', () => {
  test('is a file with a name, and shows markup as text', async () => {
    const id = await makeInvoice(florin, admin, await makeCustomer(florin, admin, { name: nasty }));
    const { headers } = await printed(id, 'pdf');
    expect(headers.get('content-type')).toBe('application/pdf');
    expect(headers.get('content-disposition')).toMatch(
      /^attachment; filename="Platform INV-\d{6}\.pdf"; filename\*=UTF-8''Platform%20INV-\d{6}\.pdf$/,
    );
    expect(await readOn(id, 'pdf')).toContain(nasty);
  });

  test('shows each of sixty lines once, on numbered pages with column titles', async () => {
    const longText = 'a loaf of rye bread with caraway, which takes more than one line of text. ';
    const lines = Array.from({ length: 60 }, (_, i) => ({
      description: `Nr. ${i}: ${i % 3 === 0 ? longText : 'Žito'}`,
      quantity: i + 1,
      unitAmount: 100,
    }));
    const id = await makeInvoice(florin, admin, await makeCustomer(florin, admin), { lines });
    const pages = pagesOf(Buffer.from(await (await printed(id, 'pdf')).arrayBuffer())).map(rowsOf);
    expect(pages.length).toBeGreaterThan(2);
    for (const [i, rows] of pages.entries()) {
      expect(rows.filter((row) => row === 'Description Quantity Unit price Tax Amount')).toHaveLength(1);
      expect(rows.at(-1)).toMatch(new RegExp(`^Invoice INV-\\d+ · Platform Page ${i + 1} of ${pages.length}$`));
    }
    const shown = pages.flat().flatMap((row) => /^Nr\. (\d+): .* (\d+) 1\.00 \2\.00$/.exec(row)?.slice(1, 3) ?? []);
    expect(shown.map(Number)).toEqual(lines.flatMap((_, i) => [i, i + 1]));
  });

  test('breaks descriptions that are higher than a page, and never a figure', async () => {
    const lines = [
      { description: 'One under the other\n'.repeat(25).trim(), quantity: 1, unitAmount: 1 },
      { description: 'W'.repeat(500), quantity: 1_000_000_000, unitAmount: 9_007_198 },
      { description: 'Line\n'.repeat(100).trim(), quantity: 1, unitAmount: 100 },
    ];
    const id = await makeInvoice(florin, admin, await makeCustomer(florin, admin), { lines });
    const rows = await readOn(id, 'pdf');
    expect(rows.filter((row) => row.startsWith('Line'))).toHaveLength(100);
    expect(rows.filter((row) => row.startsWith('One under'))).toHaveLength(25);
    expect(rows.join('').match(/W/g)).toHaveLength(500);
    expect(rows.find((row) => row.startsWith('WW'))).toMatch(/ 1,000,000,000 90,071\.98 90,071,980,000,000\.00$/);
  });

  test('has a total for each of two hundred tax rates', async () => {
    const lines = Array.from({ length: 200 }, (_, i) => ({
      description: 'Bread',
      quantity: 1,
      unitAmount: 1000,
      taxRate: i,
    }));
    const rows = await readOn(await makeInvoice(florin, admin, await makeCustomer(florin, admin), { lines }), 'pdf');
    expect(rows.filter((row) => /^Tax \S+\u00a0% of 10\.00 /.test(row))).toHaveLength(200);
  });

  test('shows a note when no font has a character, and only then', async () => {
    const missingGlyphs = 'This file has no font for some characters, which are shown as □.';
    const of = async (name: string) => {
      const id = await makeInvoice(florin, admin, await makeCustomer(florin, admin, { name }));
      return { rows: await readOn(id, 'pdf') };
    };
    const { rows } = await of('ꦗꦮ & Co');
    expect(rows.some((row) => /^□+ & Co/.test(row))).toBe(true);
    expect(rows).toContain(missingGlyphs);
    expect(rows).toContain("The invoice's page shows them correctly.");
    expect((await of('Zoë\u200d & Co')).rows).not.toContain(missingGlyphs);
  });

  test('leaves out emoji that no font has, and names them', async () => {
    const id = await makeInvoice(florin, admin, await makeCustomer(florin, admin, { name: 'Ada 🎌🇩🇪 & Co 🎌' }));
    const rows = await readOn(id, 'pdf');
    expect(rows.some((row) => row.startsWith('Ada & Co'))).toBe(true);
    expect(rows).toContain('Emoji are left out of this file: U+1F38C, U+1F1E9 U+1F1EA.');
    expect(rows.join('')).not.toMatch(/□|This file has no font/);
  });
});
