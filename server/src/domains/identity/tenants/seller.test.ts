import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminPassword, type Identity, identity } from '../../../../tests/support/identity.ts';

let node: Identity;
let admin: string;
let own: string;
let tenantId: number;

beforeAll(async () => {
  node = await identity();
  admin = await node.bearer('admin', adminPassword);
  tenantId = (await node.post('/api/tenant/modify', { name: 'Quay Shop', state: true }, { bearer: admin })).body.data
    .id;
  const owner = { userName: 'owner', email: 'o@x.example', userType: 'MERCHANT_ADMIN', state: true, tenantId };
  await node.post('/api/user/modify', { ...owner, password: 'green boats' }, { bearer: admin });
  own = await node.bearer('owner', 'green boats');
});
afterAll(() => node.stop());

const save = (body: object, bearer = own) => node.post('/api/seller/modify', { id: tenantId, ...body }, { bearer });
const read = (id: number, bearer = own) => node.get(`/api/seller/detail?id=${id}`, { bearer });

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
