import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeCustomer } from '../support/billing/invoices.ts';
import { bodyShapeOf } from '../support/body-fields.ts';
import { administratorOf, channelInput, dataOf, makeTenant, unique } from '../support/factories.ts';
import { databaseFromTemplate, type TestDatabase } from '../support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../support/service/florin.ts';

/**
 * Names are one line: with more, or with a changed direction, they could pretend to be something else in a mail, a list
 * or a log.
 */

let db: TestDatabase;
let florin: TestFlorin;
let admin: string;
let tenantId: number;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db);
  admin = await administratorOf(florin);
  tenantId = await makeTenant(florin, admin);
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

const address = { line1: 'A 1', line2: 'B', postalCode: '1', city: 'C', state: 'D' };
const text = { subject: 'Paid {number}', body: 'Thanks\n\n{customer}' };

/** Bodies whose texts named here must be one line. */
const bodies: [path: string, body: () => Record<string, unknown>, fields: string[]][] = [
  ['/api/channel/modify', () => channelInput(), ['name', 'code']],
  ['/api/tenant/modify', () => ({ id: tenantId, name: 'A', address, taxId: '1' }), ['name', 'address.city', 'taxId']],
  ['/api/seller/modify', () => ({ id: tenantId, name: 'A', address, taxId: '1' }), ['name', 'taxId', 'address.line2']],
  [
    '/api/seller/modify',
    () => ({ id: tenantId, mailTexts: { en: { receipt: text } } }),
    ['mailTexts.en.receipt.subject'],
  ],
  [
    '/api/customer/modify',
    () => ({ name: 'A', phone: '1', externalId: unique('x'), address, email: 'a@example.com', paymentMethod: 'pm_1' }),
    ['name', 'phone', 'externalId', 'email', 'paymentMethod', ...Object.keys(address).map((part) => `address.${part}`)],
  ],
  ['/api/plan/modify', () => ({ name: 'A', amount: 1, currency: 'USD', interval: 'MONTH', state: true }), ['name']],
  ['/api/developer/mine/generate', () => ({ name: 'A' }), ['name']],
  ['/api/clock/create', () => ({ name: 'A' }), ['name']],
  ['/api/view/modify', () => ({ listName: 'payments', name: 'A', query: '' }), ['name', 'listName']],
];

const breaking = [
  '\n',
  '\r\n',
  '\t',
  '\u0000',
  '\u001b[31m',
  '\u007f',
  '\u0085',
  '\u2028',
  '\u2029',
  '\u202e',
  '\u2066',
  '\u200f',
];

test.each(bodies.flatMap(([path, body, fields]) => fields.map((field) => [path, field, body] as const)))(
  '%s refuses a %s of more than one line, and one that changes its direction',
  async (path, field, bodyOf) => {
    for (const character of breaking) {
      const body = structuredClone(bodyOf());
      const parts = field.split('.');
      const last = parts.pop() as string;
      const holder = parts.reduce((inner, part) => inner[part] as Record<string, unknown>, body);
      holder[last] = `Acme${character}Pay here instead`;
      const reply = await florin.post(path, body, admin);
      expect([JSON.stringify(character), reply.status, reply.body.error?.field]).toEqual([
        JSON.stringify(character),
        400,
        field,
      ]);
    }
  },
);

test('names in every script are accepted', async () => {
  for (const name of ['Zoë & Co', '東京 🎌', 'שלום בע״מ', 'می‌خواهم', '👩‍👩‍👧', "O'Neill"]) {
    expect(dataOf(await florin.post('/api/customer/modify', { name }, admin)).name).toBe(name);
  }
});

test('a name that was stored before is still read, and other fields of its record can be changed', async () => {
  const id = await makeCustomer(florin, admin);
  await db.query(`update customer set name = e'Acme\\nPay here' where id = $1`, [id]);
  expect(dataOf(await florin.get(`/api/customer/detail?id=${id}`, admin)).name).toBe('Acme\nPay here');
  expect(dataOf(await florin.post('/api/customer/modify', { id, phone: '1' }, admin)).name).toBe('Acme\nPay here');
});

const description = ['description'];
const ownTexts = [
  'invoice',
  'receipt',
  'paymentFailed',
  'lastPaymentFailed',
  'confirmationNeeded',
  'otherMethodNeeded',
  'debitAnnounced',
  'reminder',
];

/** Texts that may have several lines. */
const paragraphs: Record<string, string[]> = {
  '/api/checkout/create': description,
  '/api/discrepancy/close': ['note'],
  '/api/invoice/create': ['lines[].description', ...description],
  '/api/invoice/modify': ['lines[].description', ...description],
  '/api/refund/create': ['reason'],
  '/api/seller/modify': ['en', 'de'].flatMap((language) =>
    ownTexts.map((kind) => `mailTexts.${language}.${kind}.body`),
  ),
  '/api/transaction/create': ['lines[].description', ...description],
  '/api/transaction/update': [...description, 'failureMessage'],
};

/** Texts that are looked up, or that code checks further. */
const checked: Record<string, string[]> = {
  '/api/console/session': ['account'],
  '/api/developer/mine/generate': ['allowedAddresses[]'],
  '/api/device/decide': ['userCode'],
  '/api/device/token': ['deviceCode'],
  '/api/discrepancy/close': ['id'],
  '/api/dispute/evidence': ['id'],
  '/api/dispute/submit': ['id', 'defenseReason'],
  '/api/dispute/accept': ['id'],
  '/api/invoice/pay': ['methodId'],
  '/api/payment-method/default': ['id'],
  '/api/payment-method/detach': ['id', 'replaceWith'],
  '/api/customer/modify': ['consent.ipAddress'],
  '/api/payment-method/setup': ['consent.ipAddress'],
  '/api/refund/create': ['transactionId'],
  '/api/seller/modify': ['logo'],
  '/api/subscription/create': ['methodId', 'timeZone'],
  '/api/subscription/update': ['methodId'],
  '/api/transaction/capture': ['id'],
  '/api/transaction/create': ['consent.ipAddress', 'methodId'],
  '/api/transaction/release': ['id'],
  '/api/transaction/update': ['id'],
  '/api/user/forgot-password': ['email'],
  '/api/user/login': ['account'],
  '/api/user/passkey/register': ['credential.response.transports[]'],
  '/api/view/modify': ['query'],
  '/api/webhook/replay': ['deliveryId'],
};

interface Shape {
  type?: string | string[];
  pattern?: string;
  format?: string;
  enum?: unknown[];
  const?: unknown;
  writeOnly?: boolean;
  $ref?: string;
  properties?: Record<string, Shape>;
  items?: Shape;
  anyOf?: Shape[];
  oneOf?: Shape[];
}

test('every free text of a body is one line, or is named here', async () => {
  const { body: document } = await florin.get('/openapi.json');
  const resolved = (shape: Shape): Shape =>
    shape.$ref === undefined ? shape : document.components.schemas[shape.$ref.split('/').at(-1) as string];
  const freeTexts = (given: Shape, at: string): string[] => {
    const shape = resolved(given);
    const inner = [...(shape.anyOf ?? []), ...(shape.oneOf ?? [])].flatMap((one) => freeTexts(one, at));
    const named = Object.entries(shape.properties ?? {}).flatMap(([name, one]) =>
      freeTexts(one, at === '' ? name : `${at}.${name}`),
    );
    const listed = shape.items === undefined ? [] : freeTexts(shape.items, `${at}[]`);
    const isText = [shape.type].flat().includes('string');
    const isBound =
      [shape.pattern, shape.format, shape.enum, shape.const].some((rule) => rule !== undefined) || shape.writeOnly;
    return [...(isText && !isBound ? [at] : []), ...inner, ...named, ...listed];
  };
  const found: string[] = [];
  for (const [path, { post }] of Object.entries(document.paths as Record<string, { post?: object }>)) {
    const texts = new Set(freeTexts(bodyShapeOf(post ?? {}, document) as Shape, ''));
    if (path.startsWith('/api/')) found.push(...[...texts].map((text) => `${path} ${text}`));
  }
  const named = [paragraphs, checked].flatMap(Object.entries<string[]>);
  expect(found.toSorted()).toEqual(named.flatMap(([path, texts]) => texts.map((text) => `${path} ${text}`)).toSorted());
});
