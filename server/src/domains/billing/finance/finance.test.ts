import { readXlsx } from 'hucre/xlsx';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeCustomer, makeInvoice } from '../../../../tests/support/billing/invoices.ts';
import { administratorOf, dataOf, makeChannel } from '../../../../tests/support/factories.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../../../tests/support/service/florin.ts';

let db: TestDatabase;
let florin: TestFlorin;
let as: string;
let channelId: number;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db);
  as = await administratorOf(florin);
  channelId = await makeChannel(florin, as, { provider: 'sandbox', livemode: false, currency: 'USD,JPY,KWD' });
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

const today = () => new Date().toISOString().slice(0, 10);
const fetchFile = (path: string) => fetch(`${florin.address}/api/finance/${path}`, { headers: { authorization: as } });

async function workbook(path: string) {
  const response = await fetchFile(path);
  expect(response.status).toBe(200);
  const { sheets } = await readXlsx(new Uint8Array(await response.arrayBuffer()));
  const [sheet] = sheets;
  return { name: sheet?.name, rows: sheet?.rows as unknown[][], response };
}

async function paid(facts: Record<string, unknown>): Promise<string> {
  const body = { currency: 'USD', channelId, ...facts };
  const { id } = dataOf(await florin.post('/api/transaction/create', body, as));
  await eventually(
    'the payment has succeeded',
    async () => dataOf(await florin.get(`/api/transaction/detail?id=${id}`, as)).status === 'SUCCESS',
  );
  return id;
}

test('payments are a workbook of major units, names and times of the chosen zone, named by its days', async () => {
  const customerId = await makeCustomer(florin, as, { name: 'Müller & Söhne', livemode: false });
  await paid({ amount: 1999, customerId, description: '=1+1 _x0041_' });
  await paid({ amount: 12_000, currency: 'JPY' });
  const days = 'startDate=2020-01-01&endDate=2099-12-31&timeZone=Europe/Berlin';
  const { name, rows, response } = await workbook(`payments?livemode=false&${days}`);
  expect(response.headers.get('content-type')).toBe(
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  );
  expect(response.headers.get('content-disposition')).toContain('"Payments 2020-01-01 to 2099-12-31 (test).xlsx"');
  expect([name, rows[0]?.slice(0, 6)]).toEqual([
    'Payments',
    ['Created (Europe/Berlin)', 'Status', 'Amount', 'Refunded', 'Currency', 'Customer'],
  ]);
  expect(rows[2]?.slice(1, 8)).toEqual([
    'Succeeded',
    19.99,
    0,
    'USD',
    'Müller & Söhne',
    '=1+1 _x0041_',
    expect.any(String),
  ]);
  expect(rows[1]?.slice(1, 6)).toEqual(['Succeeded', 12_000, 0, 'JPY', null]);
  const created = rows[2]?.[0] as Date;
  expect(created).toBeInstanceOf(Date);
  // On the clock of Berlin, which is one or two hours ahead.
  expect(Math.round((created.getTime() - Date.now()) / 3_600_000)).toBeGreaterThan(0);
});

test('a file is named by the days of its range on the clock of its zone, and without an end until today', async () => {
  const nameOf = async (query: string) => {
    const response = await fetchFile(`payments?livemode=false&format=csv&${query}`);
    await response.arrayBuffer();
    return /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1];
  };
  const november = 'startDate=2026-10-31T23:00:00Z&endDate=2026-11-30T23:00:00Z&timeZone=Europe/Berlin';
  expect(await nameOf(november)).toBe('Payments 2026-11-01 to 2026-11-30 (test).csv');
  expect(await nameOf('startDate=2026-11-01&endDate=2026-11-01')).toBe('Payments 2026-11-01 (test).csv');
  expect(await nameOf('startDate=2020-01-01')).toBe(`Payments 2020-01-01 to ${today()} (test).csv`);
  expect(await nameOf('')).toBe(`Payments until ${today()} (test).csv`);
});

test('a number with more than 15 digits is text, because a spreadsheet would round it', async () => {
  await paid({ amount: 9_007_199_254_740_991 });
  const { rows } = await workbook('payments?livemode=false&amountFrom=9007199254740991');
  expect(rows[1]?.[2]).toBe('90071992547409.91');
});

test('a German CSV has decimal commas, semicolons and German words', async () => {
  const response = await fetchFile('payments?livemode=false&format=csv&language=de&currency=USD&amountTo=1999');
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(response.headers.get('content-disposition')).toContain(`"Zahlungen bis ${today()} (Test).csv"`);
  const [header, row] = Buffer.from(await response.arrayBuffer())
    .toString('utf8')
    .split('\r\n');
  expect(header).toMatch(/^\ufeffAngelegt \(UTC\);Status;Betrag;Erstattet;Währung;Kunde;/);
  expect(row).toContain(';Erfolgreich;19,99;0,00;USD;Müller & Söhne;');
});

test('the ledger of one account has the transfers that debit or credit it', async () => {
  const { rows } = await workbook('ledger?livemode=false&account=MERCHANT_PAYABLE');
  expect(rows).toHaveLength(4);
  expect((await workbook('ledger?livemode=false&account=REFUNDS')).rows).toHaveLength(1);
});

test('the ledger has each transfer as a row, oldest first', async () => {
  const { rows, name } = await workbook('ledger?livemode=false');
  expect(name).toBe('Ledger');
  const booked = rows.slice(1).map((row) => row.slice(1, 5));
  expect(booked).toEqual([
    ['Receivable from providers', 'Payable to the merchant', 19.99, 'USD'],
    ['Receivable from providers', 'Payable to the merchant', 12_000, 'JPY'],
    ['Receivable from providers', 'Payable to the merchant', '90071992547409.91', 'USD'],
  ]);
});

test('taxes are summed by month, country and rate, credits apart, and void invoices are left out', async () => {
  const address = { line1: 'Weg 1', city: 'Bern', postalCode: '3000', country: 'CH' };
  const customerId = await makeCustomer(florin, as, { name: 'Ada', livemode: false, address });
  const lines = [
    { description: 'Bread', quantity: 2, unitAmount: 1000, taxRate: 1900 },
    { description: 'Credit', quantity: 1, unitAmount: -500, taxRate: 1900 },
    { description: 'Book', quantity: 1, unitAmount: 700, taxRate: 700 },
  ];
  await makeInvoice(florin, as, customerId, { lines });
  const voided = await makeInvoice(florin, as, customerId, { lines });
  dataOf(await florin.post('/api/invoice/void', { id: voided }, as));
  const { rows } = await workbook('taxes?livemode=false');
  const month = new Date().toISOString().slice(0, 7);
  expect(rows.slice(1)).toEqual([
    [month, 'CH', 7, 'Charges', 7, 0.49, 'USD', 1],
    [month, 'CH', 19, 'Charges', 20, 3.8, 'USD', 1],
    [month, 'CH', 19, 'Credits', -5, -0.95, 'USD', 1],
  ]);
  const csv = await (await fetchFile('taxes?livemode=false&format=csv')).text();
  // A negative number is no formula that has to be marked as text.
  expect(csv).toContain(`${month},CH,19.00,Credits,-5.00,-0.95,USD,1`);
  const invoices = await workbook('invoices?livemode=false');
  expect(invoices.rows.map((row) => row[2])).toEqual(['Customer', 'Ada', 'Ada']);
  await florin
    .get('/api/audit/list?action=finance.export', as)
    .then((listed) => expect(dataOf(listed)).not.toEqual([]));
});

test('amounts have the decimals of their currencies, headers are bold and columns show ids whole', async () => {
  await paid({ amount: 1_234_567, currency: 'KWD' });
  const response = await fetchFile('payments?livemode=false');
  const { sheets } = await readXlsx(new Uint8Array(await response.arrayBuffer()), { readStyles: true });
  const { rows = [], cells, columns } = sheets[0] as NonNullable<(typeof sheets)[0]>;
  const formatOf = (currency: string) => {
    const row = rows.findIndex((cell) => cell[4] === currency);
    return cells?.get(`${row},2`)?.style?.numFmt;
  };
  expect(['USD', 'JPY', 'KWD'].map(formatOf)).toEqual(['#,##0.00', '#,##0', '#,##0.000']);
  expect(cells?.get('0,0')?.style?.font?.bold).toBe(true);
  expect(cells?.get('1,0')?.style?.font?.bold).not.toBe(true);
  const lastColumn = rows[0]?.length as number;
  const id = rows[1]?.[lastColumn - 1] as string;
  expect(id).toMatch(/^txn_/);
  expect(columns?.[lastColumn - 1]?.width).toBeGreaterThan(id.length);
});

test('a payment that is refunded in part is called so, as in the console', async () => {
  const id = await paid({ amount: 3111 });
  await florin.post('/api/refund/create', { transactionId: id, amount: 1000 }, as);
  await eventually(
    'the refund has succeeded',
    async () => dataOf(await florin.get(`/api/transaction/detail?id=${id}`, as)).status === 'REFUNDED',
  );
  const filter = 'payments?livemode=false&amountFrom=3111&amountTo=3111';
  expect((await workbook(filter)).rows[1]?.slice(1, 4)).toEqual(['Partly refunded', 31.11, 10]);
  expect((await workbook(`${filter}&language=de`)).rows[1]?.[1]).toBe('Teilerstattet');
});
