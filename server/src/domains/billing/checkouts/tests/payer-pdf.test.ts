import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeShop, pathOf, type Shop } from '../../../../../tests/support/billing/checkouts.ts';
import { makeCustomer, makeInvoice } from '../../../../../tests/support/billing/invoices.ts';
import { pagesOf, rowsOf } from '../../../../../tests/support/billing/pdf-text.ts';
import { makePortal } from '../../../../../tests/support/billing/portals.ts';
import { administratorOf, dataOf } from '../../../../../tests/support/factories.ts';
import { databaseFromTemplate, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../../../../tests/support/service/florin.ts';

let db: TestDatabase;
let florin: TestFlorin;
let shop: Shop;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db);
  shop = await makeShop(florin, await administratorOf(florin));
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

/** The rows of text of a payer's PDF file. */
async function rowsAt(path: string): Promise<string[]> {
  const response = await fetch(`${florin.address}${path}`);
  expect(response.status).toBe(200);
  return pagesOf(Buffer.from(await response.arrayBuffer())).flatMap(rowsOf);
}

/** The address in a row, which may be broken over two. */
const addressIn = (rows: readonly string[]) => /(https?:\/\/\S+\/p\/[\w-]{43})/.exec(rows.join(''))?.[1];

test('a PDF without a font for a name leads its payer to the page of the invoice, which shows the name', async () => {
  const customerId = await makeCustomer(florin, shop.as, { name: 'ꦗꦮ & Co', livemode: false });
  const invoiceId = await makeInvoice(florin, shop.as, customerId, { currency: 'EUR' });
  const input = { invoiceId, channelIds: [shop.bank] };
  const { url } = dataOf(await florin.post('/api/checkout/create', input, shop.as));
  const portal = await makePortal(florin, shop, customerId);
  for (const path of [`${pathOf(url)}/invoice.pdf`, `${portal}/invoice/${invoiceId}.pdf`]) {
    const rows = await rowsAt(path);
    expect(rows).toContain('This file has no font for some characters, which are shown as □.');
    expect(rows.join('')).not.toContain('/api/');
    const page = await fetch(florin.address + pathOf(addressIn(rows) ?? ''));
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('ꦗꦮ &amp; Co')]);
  }
});
