import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeCustomer, makeInvoice } from '../../../../../tests/support/billing/invoices.ts';
import {
  administratorOf,
  dataOf,
  makeChannel,
  makeMember,
  makeTenant,
} from '../../../../../tests/support/factories.ts';
import { childrenOf } from '../../../../../tests/support/faults/freeze.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../../../../tests/support/service/florin.ts';
import { aRefusal } from '../../../../../tests/support/shapes.ts';

let db: TestDatabase;
let florin: TestFlorin;
let admin: string;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db, { APP_INVOICE_PDF_WAITING: '19', APP_INVOICE_PDF_TIMEOUT: '90s' });
  admin = await administratorOf(florin);
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

const pdfOf = (id: number, as = admin) => florin.get(`/api/invoice/print?id=${id}&format=pdf`, as);

/** Suspends the process that renders as soon as it exists, so that its first PDF takes as long as the test needs. */
async function suspendedRenderer(): Promise<{ resume: () => void }> {
  const pid = await eventually('a process renders', async () =>
    childrenOf(process.pid).find((child) => readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('pdf-process')),
  );
  process.kill(pid, 'SIGSTOP');
  return { resume: () => process.kill(pid, 'SIGCONT') };
}

/** Renders for seconds. */
const heavyLines = Array.from({ length: 150 }, (_, i) => ({
  description: `${i} ${'Größe Ελένη Παπαδοπούλου Щербаков שלום עולם مرحبا بالعالم '.repeat(3)}`,
  quantity: 1,
  unitAmount: 100,
}));

test('a request with the current ETag gets no content, and gets the new content after a change', async () => {
  const id = await makeInvoice(florin, admin, await makeCustomer(florin, admin));
  for (const format of ['html', 'pdf']) {
    const path = `/api/invoice/print?id=${id}&format=${format}`;
    const first = await florin.get(path, admin);
    const tag = first.headers.get('etag') as string;
    expect(first.headers.get('cache-control')).toBe('no-store');
    for (const known of [tag, `"other", W/${tag}`, '*']) {
      const again = await florin.call('GET', path, { as: admin, headers: { 'if-none-match': known } });
      expect([again.status, again.body, again.headers.get('etag')]).toEqual([304, '', tag]);
    }
    // The tag grants no access.
    const stranger = await florin.call('GET', path, { headers: { 'if-none-match': tag } });
    expect(stranger.status).toBe(401);
    expect((await florin.call('GET', path, { as: admin, headers: { 'if-none-match': '"other"' } })).status).toBe(200);
  }
  const before = (await pdfOf(id)).headers.get('etag') as string;
  dataOf(await florin.post('/api/invoice/void', { id }, admin));
  const after = await florin.call('GET', `/api/invoice/print?id=${id}&format=pdf`, {
    as: admin,
    headers: { 'if-none-match': before },
  });
  expect(after.status).toBe(200);
  expect(after.headers.get('etag')).not.toBe(before);
});

test('while twenty PDFs are rendered the service answers, and another tenant is not refused', async () => {
  const channelId = await makeChannel(florin, admin, { currency: 'USD' });
  const customer = await makeCustomer(florin, admin);
  const ids = [await makeInvoice(florin, admin, customer, { lines: heavyLines })];
  for (let i = 1; i < 20; i++) ids.push(await makeInvoice(florin, admin, customer, { lines: heavyLines }));
  const { as: other } = await makeMember(florin, admin, {
    userType: 'MERCHANT_ADMIN',
    tenantId: await makeTenant(florin, admin),
  });
  const othersInvoice = await makeInvoice(florin, other, await makeCustomer(florin, other));

  const events: string[] = [];
  const pdfs = ids.map(async (id) => {
    const reply = await pdfOf(id);
    events.push(`pdf ${reply.status}`);
    return reply;
  });
  const renderer = await suspendedRenderer();
  await eventually('one PDF is rendered and the others wait', async () => {
    const { body } = await florin.get('/metrics');
    return body.includes('florin_invoice_pdfs{state="waiting"} 19');
  });
  expect((await florin.get('/health/live')).status).toBe(200);
  events.push('health');
  const payment = { amount: 100, currency: 'USD', channelId };
  dataOf(await florin.post('/api/transaction/create', payment, admin));
  events.push('create');
  expect(events).toEqual(['health', 'create']);

  // The queue is full: the newest request of the tenant with the most requests is refused.
  const others = pdfOf(othersInvoice, other);
  const refused = await Promise.race(pdfs);
  expect(refused).toMatchObject({ status: 503, body: aRefusal(503, { type: 'overloaded' }) });
  expect(refused.headers.get('retry-after')).toBe('5');
  renderer.resume();
  expect((await others).status).toBe(200);
  expect(events.filter((event) => event === 'pdf 200').length).toBeLessThan(3);

  // Stopping does not wait for the PDFs that have not begun.
  await florin.stop();
  const statuses = (await Promise.all(pdfs)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 503).length).toBeGreaterThan(15);
}, 60_000);
