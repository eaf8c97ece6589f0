import { afterAll, beforeAll, expect, test } from 'vitest';
import { administratorOf, dataOf, makeMember, makeTenant } from '../../../../tests/support/factories.ts';
import { databaseFromTemplate, type TestDatabase } from '../../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../../../tests/support/service/florin.ts';

let db: TestDatabase;
let florin: TestFlorin;
let admin: string;
let own: string;
let tenantId: number;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db);
  admin = await administratorOf(florin);
  tenantId = await makeTenant(florin, admin, 'Quay Shop');
  own = (await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId })).as;
});
afterAll(async () => {
  await florin.stop();
  await db.drop();
});

const save = (body: object, as = own) => florin.post('/api/seller/modify', { id: tenantId, ...body }, as);
const read = (id: number, as = own) => florin.get(`/api/seller/detail?id=${id}`, as);
const saveTenant = (body: object) => florin.post('/api/tenant/modify', body, admin);

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

test("an administrator of a tenant changes single fields of its seller, and not another tenant's", async () => {
  const mailTexts = { en: { receipt: { subject: 'Paid {number}', body: 'Thanks {customer}' } } };
  const first = await save({ name: 'Quay Ltd', brandColor: '#0F766E', logo: png, mailTexts });
  expect(first.body.data).toMatchObject({
    ...{ id: tenantId, name: 'Quay Ltd', brandColor: '#0f766e', mailTexts, customerMails: false },
    logo: `data:image/png;base64,${png}`,
  });
  const second = await save({ taxId: 'GB 123', customerMails: true });
  expect(second.body.data).toMatchObject({
    ...first.body.data,
    ...{ taxId: 'GB 123', customerMails: true },
    updatedTime: expect.any(String),
  });
  expect((await read(tenantId)).body.data).toEqual(second.body.data);
  const cleared = await save({ brandColor: null, logo: null, mailTexts: null, taxId: null });
  expect(cleared.body.data).toMatchObject({ brandColor: null, logo: null, mailTexts: null, taxId: null });
  for (const foreign of [0, 999_999]) {
    expect((await save({ id: foreign, name: 'Mine' })).status).toBe(404);
    expect((await read(foreign)).status).toBe(404);
  }
  expect((await save({ name: 'By the platform' }, admin)).body.data.name).toBe('By the platform');
  expect((await read(0, admin)).body.data.id).toBe(0);
  expect((await read(999_999, admin)).status).toBe(404);
});

test('of the platform’s own tenant, the endpoint of tenants changes the seller', async () => {
  const seller = { id: 0, name: 'Harbour Ltd', address: { city: 'Hull', country: 'GB' }, taxId: 'GB 123' };
  expect(dataOf(await saveTenant({ ...seller, state: true }))).toMatchObject({ ...seller, state: true });
});

test('an update of a tenant keeps its address and tax number unless it names them; null clears them', async () => {
  const address = { line1: 'Quay 1', city: 'Hull', country: 'GB' };
  const { id } = dataOf(await saveTenant({ name: 'Quay Shop', state: true, address, taxId: 'GB 123' }));
  const named = { id, name: 'Quay Shop', state: true };
  expect(dataOf(await saveTenant(named))).toMatchObject({ address, taxId: 'GB 123' });
  expect(dataOf(await saveTenant({ ...named, address: null }))).toMatchObject({ address: null, taxId: 'GB 123' });
  expect(dataOf(await saveTenant({ ...named, taxId: null }))).toMatchObject({ address: null, taxId: null });
});

test('tenants and sellers show the same record of the seller, however it was changed', async () => {
  const created = { name: 'Two Doors', state: true, customerMails: true, mailLanguage: 'de', taxId: 'DE 1' };
  const { id, ...tenant } = dataOf(await saveTenant(created));
  expect(tenant).toMatchObject(created);
  const { name, state: _, ...seller } = created;
  expect(dataOf(await read(id, admin))).toMatchObject({ id, name, ...seller });

  const changes = { name: 'One Door', taxId: 'DE 2', customerMails: false, address: { city: 'Kiel' } };
  const changed = dataOf(await save({ id, ...changes, brandColor: '#0f766e' }, admin));
  const { brandColor, logo, mailTexts, dueDays, ...shared } = changed;
  expect([brandColor, logo, mailTexts, dueDays]).toEqual(['#0f766e', null, null, 0]);
  expect(dataOf(await florin.get(`/api/tenant/detail?id=${id}`, admin))).toMatchObject(shared);
  const listed = dataOf(await florin.get('/api/tenant/list?pageSize=100', admin));
  expect(listed.find((one: { id: number }) => one.id === id)).toMatchObject(shared);

  dataOf(await saveTenant({ id, mailLanguage: 'en', reopenInvoices: 'ALWAYS' }));
  const kept = { ...changes, brandColor, mailLanguage: 'en', reopenInvoices: 'ALWAYS' };
  expect(dataOf(await read(id, admin))).toMatchObject(kept);
});

const withEnd = (start: string, size: number, end: string) =>
  Buffer.concat([Buffer.from(start, 'hex'), Buffer.alloc(size), Buffer.from(end, 'hex')]).toString('base64');

test.each([
  ['a JPEG file', withEnd('ffd8ff', 1000, 'ffd9'), 200],
  ['40 KiB', withEnd('ffd8ff', 40 * 1024 - 5, 'ffd9'), 200],
  ['more', withEnd('ffd8ff', 40 * 1024 - 4, 'ffd9'), 400],
  ['an SVG file', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64'), 400],
  ['HTML that begins like a PNG file', withEnd('89504e470d0a1a0a', 10, '3c2f68746d6c3e'), 400],
  ['another data address', `data:image/svg+xml;base64,${png}`, 400],
  ['no base64', '<script>', 400],
])('a logo that is %s', async (_, logo, status) => {
  const reply = await save({ logo });
  expect([reply.status, reply.body.error?.field]).toEqual([status, status === 400 ? 'logo' : undefined]);
});

test.each([
  [{ brandColor: 'teal' }, 'brandColor'],
  [{ brandColor: '#fff' }, 'brandColor'],
  [{ mailTexts: { fr: {} } }, 'mailTexts.fr'],
  [{ mailTexts: { en: { farewell: {} } } }, 'mailTexts.en.farewell'],
  [{ mailTexts: { en: { receipt: { subject: 'x' } } } }, 'mailTexts.en.receipt.body'],
  [{ mailTexts: { de: { receipt: { subject: '{dueDate}', body: 'x' } } } }, 'mailTexts.de.receipt.subject'],
  [{ mailTexts: { de: { invoice: { subject: 'x', body: 'Hi {custommer}' } } } }, 'mailTexts.de.invoice.body'],
  [{ state: false }, 'state'],
])('a seller with %j is refused naming %s', async (body, field) => {
  const reply = await save(body);
  expect([reply.status, reply.body.error.field]).toEqual([400, field]);
});

test('an invoice without a day is due after the days of its customer, or else of its seller', async () => {
  const { id: customerId } = dataOf(await florin.post('/api/customer/modify', { name: 'Given time' }, admin));
  const finalized = async (fields: object) => {
    const lines = [{ description: 'Bread', quantity: 1, unitAmount: 500 }];
    const draft = { customerId, currency: 'EUR', lines, ...fields };
    const { id } = dataOf(await florin.post('/api/invoice/create', draft, admin));
    return dataOf(await florin.post('/api/invoice/finalize', { id }, admin));
  };
  const daysOf = ({ dueDate, finalizedTime }: { dueDate: string; finalizedTime: string }) =>
    (Date.parse(dueDate) - Date.parse(finalizedTime.slice(0, 10))) / 86_400_000;
  expect(daysOf(await finalized({}))).toBe(0);
  expect(dataOf(await florin.post('/api/seller/modify', { id: 0, dueDays: 14 }, admin))).toMatchObject({ dueDays: 14 });
  expect(dataOf(await florin.post('/api/seller/modify', { id: 0, taxId: null }, admin))).toMatchObject({ dueDays: 14 });
  expect(daysOf(await finalized({}))).toBe(14);
  expect(await finalized({ dueDate: '2030-01-31' })).toMatchObject({ dueDate: '2030-01-31' });

  const saveCustomer = (dueDays: number | null) =>
    florin.post('/api/customer/modify', { id: customerId, dueDays }, admin);
  for (const [dueDays, days] of [
    [30, 30],
    [0, 0],
    [null, 14],
  ] as const) {
    expect(dataOf(await saveCustomer(dueDays))).toMatchObject({ dueDays });
    expect(daysOf(await finalized({}))).toBe(days);
  }
  const tooLong = await saveCustomer(366);
  expect(tooLong.body.error).toMatchObject({ field: 'dueDays', details: { limit: 365 } });

  const refused = await florin.post('/api/seller/modify', { id: 0, dueDays: 366 }, admin);
  expect(refused.body.error).toMatchObject({ field: 'dueDays', details: { rule: 'maximum', limit: 365 } });
});
