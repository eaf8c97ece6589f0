import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type BodyShape, bodyShapeOf } from '../support/body-fields.ts';
import {
  administratorOf,
  channelInput,
  dataOf,
  makeChannel,
  makeKey,
  makePayment,
  unique,
} from '../support/factories.ts';
import { databaseFromTemplate, type TestDatabase } from '../support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../support/service/florin.ts';
import { aRefusal } from '../support/shapes.ts';

/** Invalid input is refused with the field that is wrong, and nothing makes the service fail. */

let db: TestDatabase;
let florin: TestFlorin;
let admin: string;
let channelId: number;
let transactionId: string;
let webhookId: number;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db);
  admin = await administratorOf(florin);
  channelId = await makeChannel(florin, admin);
  transactionId = await makePayment(florin, admin, channelId);
  const hook = { url: 'http://127.0.0.1:9/', events: ['transaction.refunded'], secret: 'a secret of tests' };
  webhookId = dataOf(await florin.post('/api/webhook/register', hook, admin)).id;
});

afterEach(async () => {
  expect((await florin.get('/health/ready')).status).toBe(200);
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

type Kind =
  | 'text'
  | 'text or null'
  | 'id'
  | 'id or null'
  | 'from nothing on'
  | 'amount'
  | 'boolean'
  | 'object'
  | 'object or null'
  | 'texts'
  | 'tenant'
  | 'lines'
  | 'ids'
  | 'provider'
  | 'cap'
  | 'yes';

interface Write {
  /** A body that would be accepted. */
  body: () => Record<string, unknown>;
  fields: Record<string, Kind>;
  required: string[];
  /** No single field is required, but a body is. */
  needsBody?: true;
}

/** Codes of callers without a second factor. */
const oneCode: Write = { body: () => ({ code: '123456' }), fields: { code: 'text' }, required: ['code'] };

/** An answer of an unknown authenticator. */
const asserted = {
  ...{ id: 'AAAA', rawId: 'AAAA', type: 'public-key' },
  response: { clientDataJSON: 'AAAA', authenticatorData: 'AAAA', signature: 'AAAA' },
};

/** Every endpoint that takes a body, with every field of it. */
const writes: Record<string, Write> = {
  '/api/user/login': {
    body: () => ({ account: 'admin', password: 'not the password' }),
    fields: { account: 'text', password: 'text' },
    required: ['account', 'password'],
  },
  '/api/user/refresh': {
    body: () => ({ refreshToken: 'x' }),
    fields: { refreshToken: 'text' },
    required: ['refreshToken'],
  },
  '/api/user/forgot-password': {
    body: () => ({ email: 'somebody@example.com' }),
    fields: { email: 'text' },
    required: ['email'],
  },
  '/api/user/reset-password': {
    body: () => ({ token: 'x', newPassword: 'a long enough one' }),
    fields: { token: 'text', newPassword: 'text' },
    required: ['token', 'newPassword'],
  },
  '/api/user/logout': { body: () => ({ all: false }), fields: { all: 'boolean' }, required: [] },
  '/api/console/session': {
    body: () => ({ account: 'admin', password: 'not the password' }),
    fields: { account: 'text', password: 'text' },
    required: ['account', 'password'],
  },
  '/api/console/session/second-factor': {
    body: () => ({ challenge: 'x', code: '123456' }),
    fields: { challenge: 'text', code: 'text' },
    required: ['challenge', 'code'],
  },
  '/api/console/session/passkey': {
    body: () => ({ credential: asserted }),
    fields: { challenge: 'text', credential: 'object' },
    required: ['credential'],
  },
  '/api/console/session/end': { body: () => ({ all: false }), fields: { all: 'boolean' }, required: [] },
  '/api/user/modify': {
    body: () => {
      const userName = unique('user');
      return {
        userName,
        email: `${userName}@example.com`,
        password: 'a long enough one',
        userType: 'MERCHANT_USER',
        tenantId: null,
        roles: ['viewer'],
        state: true,
      };
    },
    fields: {
      id: 'id',
      userName: 'text',
      email: 'text',
      password: 'text',
      oldPassword: 'text',
      userType: 'text',
      tenantId: 'tenant',
      roles: 'texts',
      state: 'boolean',
    },
    required: ['userName', 'email', 'userType', 'state'],
  },
  '/api/tenant/modify': {
    body: () => ({ name: 'One', state: true }),
    fields: {
      // 0 is the platform's own tenant.
      id: 'from nothing on',
      name: 'text',
      state: 'boolean',
      secondFactorRequired: 'boolean',
      address: 'object or null',
      taxId: 'text or null',
      customerMails: 'boolean',
      mailLanguage: 'text',
    },
    required: ['name', 'state'],
  },
  '/api/seller/modify': {
    body: () => ({ id: 0, name: 'One' }),
    fields: {
      id: 'from nothing on',
      name: 'text',
      address: 'object or null',
      taxId: 'text or null',
      brandColor: 'text or null',
      logo: 'text or null',
      customerMails: 'boolean',
      mailLanguage: 'text',
      mailTexts: 'object or null',
    },
    required: ['id'],
  },
  '/api/developer/mine/generate': {
    body: () => ({
      scope: 'channel_read',
      name: 'till',
      expiresTime: '2999-01-01T00:00:00Z',
      allowedAddresses: ['127.0.0.0/8'],
    }),
    fields: { scope: 'text', name: 'text', livemode: 'boolean', expiresTime: 'text', allowedAddresses: 'texts' },
    required: [],
  },
  '/api/developer/revoke': { body: () => ({ id: 987_654 }), fields: { id: 'id' }, required: ['id'] },
  '/api/developer/mine/rotate': {
    body: () => ({ id: 987_654, overlapSeconds: 60, expiresTime: '2099-01-01T00:00:00Z' }),
    fields: { id: 'id', overlapSeconds: 'from nothing on', expiresTime: 'text' },
    required: ['id'],
  },
  '/api/device/code': {
    body: () => ({ client: 'till', scope: 'channel_read' }),
    fields: { client: 'text', scope: 'text', livemode: 'boolean' },
    required: ['client'],
  },
  '/api/device/token': { body: () => ({ deviceCode: 'x' }), fields: { deviceCode: 'text' }, required: ['deviceCode'] },
  '/api/device/decide': {
    body: () => ({ userCode: 'BBBB-BBBB', approve: false }),
    fields: { userCode: 'text', approve: 'boolean', scope: 'text', livemode: 'boolean' },
    required: ['userCode', 'approve'],
  },
  '/api/session/revoke': {
    body: () => ({ id: '0b6f2c1e-8f6a-4d55-9a43-3f2f9d6c1b7e', all: false }),
    fields: { id: 'text', all: 'boolean' },
    required: [],
    needsBody: true,
  },
  '/api/user/change-password': {
    body: () => ({ oldPassword: 'not the present one', newPassword: 'a long enough one' }),
    fields: { oldPassword: 'text', newPassword: 'text' },
    required: ['oldPassword', 'newPassword'],
  },
  '/api/user/login/second-factor': {
    body: () => ({ challenge: 'never issued', code: '123456' }),
    fields: { challenge: 'text', code: 'text' },
    required: ['challenge', 'code'],
  },
  '/api/user/second-factor/begin': {
    body: () => ({ password: 'not the present one' }),
    fields: { password: 'text' },
    required: ['password'],
  },
  '/api/user/second-factor/confirm': oneCode,
  '/api/user/second-factor/recovery-codes': oneCode,
  '/api/user/second-factor/remove': oneCode,
  '/api/user/step-up': oneCode,
  '/api/user/login/passkey/begin': {
    body: () => ({ challenge: 'never issued' }),
    fields: { challenge: 'text' },
    required: [],
    needsBody: true,
  },
  '/api/user/login/passkey': {
    body: () => ({ credential: asserted }),
    fields: { challenge: 'text', credential: 'object' },
    required: ['credential'],
  },
  '/api/user/passkey/begin': {
    body: () => ({ password: 'not the present one' }),
    fields: { password: 'text' },
    required: ['password'],
  },
  '/api/user/passkey/register': {
    body: () => ({
      name: 'Phone',
      credential: { ...asserted, response: { clientDataJSON: 'AAAA', attestationObject: 'AAAA' } },
    }),
    fields: { name: 'text', credential: 'object' },
    required: ['credential'],
  },
  '/api/user/passkey/modify': {
    body: () => ({ id: '0b6f2c1e-8f6a-4d55-9a43-3f2f9d6c1b7e', name: 'Phone' }),
    fields: { id: 'text', name: 'text' },
    required: ['id', 'name'],
  },
  '/api/view/modify': {
    body: () => ({ listName: 'payments', name: 'Mine', query: 'status=FAILED' }),
    fields: { listName: 'text', name: 'text', query: 'text' },
    required: ['listName', 'query'],
  },
  '/api/view/remove': {
    body: () => ({ listName: 'payments', name: 'Never saved' }),
    fields: { listName: 'text', name: 'text' },
    required: ['listName'],
  },
  '/api/user/passkey/remove': {
    body: () => ({ id: '0b6f2c1e-8f6a-4d55-9a43-3f2f9d6c1b7e' }),
    fields: { id: 'text' },
    required: ['id'],
  },
  '/api/user/step-up/passkey/begin': { body: () => ({}), fields: {}, required: [] },
  '/api/user/step-up/passkey': {
    body: () => ({ credential: asserted }),
    fields: { credential: 'object' },
    required: ['credential'],
  },
  '/api/user/second-factor/revoke': { body: () => ({ id: 987_654 }), fields: { id: 'id' }, required: ['id'] },
  '/api/developer/mine/revoke': { body: () => ({ id: 987_654 }), fields: { id: 'id' }, required: ['id'] },
  '/api/channel/modify': {
    body: () => ({
      ...channelInput(),
      apiKey: 'a',
      apiSecret: 'b',
      webhookSecret: 'c',
      provider: null,
      fallbackChannelIds: [],
    }),
    fields: {
      id: 'id',
      name: 'text',
      code: 'text',
      type: 'text',
      currency: 'text',
      country: 'text',
      apiKey: 'text',
      apiSecret: 'text',
      webhookSecret: 'text',
      state: 'boolean',
      provider: 'provider',
      livemode: 'boolean',
      fallbackChannelIds: 'ids',
      tenantId: 'tenant',
    },
    required: ['name', 'code', 'type', 'currency', 'country', 'state'],
  },
  '/api/transaction/create': {
    body: () => ({
      amount: 5,
      currency: 'USD',
      channelId,
      description: 'x',
      metadata: {},
      customerId: 1,
      invoiceId: 1,
      paymentMethod: 'pm_1',
      returnUrl: 'https://shop.example.com/done',
    }),
    fields: {
      amount: 'amount',
      currency: 'text',
      channelId: 'id',
      description: 'text',
      metadata: 'object',
      customerId: 'id',
      invoiceId: 'id',
      paymentMethod: 'text',
      returnUrl: 'text',
      tenantId: 'tenant',
    },
    required: ['amount', 'currency', 'channelId'],
  },
  '/api/transaction/update': {
    body: () => ({
      id: transactionId,
      status: 'FAILED',
      description: 'x',
      metadata: {},
      failureCode: 'x',
      failureMessage: 'x',
    }),
    fields: {
      id: 'text',
      status: 'text',
      description: 'text',
      metadata: 'object',
      metadataReplace: 'object',
      failureCode: 'text',
      failureMessage: 'text',
    },
    required: ['id'],
  },
  '/api/refund/create': {
    body: () => ({ transactionId, amount: 1, reason: 'x', metadata: {} }),
    fields: { transactionId: 'text', amount: 'amount', reason: 'text', metadata: 'object', tenantId: 'tenant' },
    required: ['transactionId'],
  },
  '/api/discrepancy/close': {
    body: () => ({ transactionId, operation: 1, note: 'x', outcome: 'SUCCEEDED', reference: 're_1' }),
    fields: { transactionId: 'text', operation: 'id', note: 'text', outcome: 'text', reference: 'text' },
    required: ['transactionId', 'operation', 'note'],
  },
  '/api/plan/modify': {
    body: () => ({
      name: 'Gold',
      currency: 'USD',
      amount: 100,
      interval: 'month',
      intervalCount: 1,
      trialDays: 0,
      channelId,
      state: true,
    }),
    fields: {
      id: 'id',
      name: 'text',
      currency: 'text',
      amount: 'from nothing on',
      interval: 'text',
      intervalCount: 'id',
      trialDays: 'from nothing on',
      channelId: 'id or null',
      taxRate: 'from nothing on',
      livemode: 'boolean',
      state: 'boolean',
      tenantId: 'tenant',
    },
    required: ['name', 'currency', 'amount', 'interval', 'state'],
  },
  '/api/subscription/create': {
    body: () => ({ customerId: 987_654, planId: 987_654 }),
    fields: {
      customerId: 'id',
      planId: 'id',
      quantity: 'id',
      trialDays: 'from nothing on',
      trialEnd: 'text',
      endTime: 'text',
      channelId: 'id or null',
      timeZone: 'text',
      metadata: 'object',
      tenantId: 'tenant',
    },
    required: ['customerId', 'planId'],
  },
  '/api/subscription/update': {
    body: () => ({ id: 987_654, quantity: 2 }),
    fields: {
      id: 'id',
      planId: 'id',
      quantity: 'id',
      atPeriodEnd: 'boolean',
      prorate: 'boolean',
      invoiceNow: 'boolean',
      cancelAtPeriodEnd: 'boolean',
      endTime: 'text or null',
      channelId: 'id or null',
      metadata: 'object',
      metadataReplace: 'object',
    },
    required: ['id'],
  },
  '/api/subscription/pause': { body: () => ({ id: 987_654 }), fields: { id: 'id' }, required: ['id'] },
  '/api/subscription/resume': { body: () => ({ id: 987_654 }), fields: { id: 'id' }, required: ['id'] },
  '/api/subscription/cancel': {
    body: () => ({ id: 987_654, cancelAtPeriodEnd: false }),
    fields: { id: 'id', cancelAtPeriodEnd: 'boolean' },
    required: ['id'],
  },
  '/api/customer/modify': {
    body: () => ({ name: 'One' }),
    fields: {
      id: 'id',
      name: 'text',
      email: 'text or null',
      phone: 'text or null',
      address: 'object or null',
      externalId: 'text or null',
      metadata: 'object',
      metadataReplace: 'object',
      defaultChannelId: 'id or null',
      paymentMethod: 'text or null',
      livemode: 'boolean',
      clockId: 'id or null',
      tenantId: 'tenant',
    },
    required: ['name'],
  },
  '/api/invoice/create': {
    body: () => ({
      customerId: 987_654,
      currency: 'USD',
      lines: [{ description: 'x', quantity: 1, unitAmount: 1 }],
    }),
    fields: {
      customerId: 'id',
      currency: 'text',
      lines: 'lines',
      description: 'text',
      metadata: 'object',
      channelId: 'id',
      dueDate: 'text',
      tenantId: 'tenant',
    },
    required: ['customerId', 'currency', 'lines'],
  },
  '/api/invoice/modify': {
    body: () => ({ id: 987_654, description: 'x' }),
    fields: {
      id: 'id',
      lines: 'lines',
      description: 'text or null',
      metadata: 'object',
      metadataReplace: 'object',
      channelId: 'id or null',
      dueDate: 'text or null',
    },
    required: ['id'],
  },
  '/api/invoice/finalize': { body: () => ({ id: 987_654 }), fields: { id: 'id' }, required: ['id'] },
  '/api/invoice/pay': {
    body: () => ({ id: 987_654 }),
    fields: { id: 'id', channelId: 'id', amount: 'amount', paymentMethod: 'text', returnUrl: 'text' },
    required: ['id'],
  },
  '/api/invoice/void': {
    body: () => ({ id: 987_654 }),
    fields: { id: 'id', uncollectible: 'boolean' },
    required: ['id'],
  },
  '/api/checkout/create': {
    body: () => ({ amount: 5, currency: 'USD', channelIds: [channelId] }),
    fields: {
      amount: 'amount',
      currency: 'text',
      invoiceId: 'id',
      channelIds: 'ids',
      returnUrl: 'text',
      description: 'text',
      customerId: 'id',
      expiresTime: 'text',
      expiresIn: 'id',
      metadata: 'object',
      tenantId: 'tenant',
    },
    required: [],
    needsBody: true,
  },
  '/api/checkout/expire': { body: () => ({ id: 987_654 }), fields: { id: 'id' }, required: ['id'] },
  '/api/customer/portal': {
    body: () => ({ customerId: 987_654 }),
    fields: { customerId: 'id', returnUrl: 'text' },
    required: ['customerId'],
  },
  '/api/clock/create': {
    body: () => ({ name: 'x' }),
    fields: { name: 'text', nowTime: 'text', livemode: 'boolean' },
    required: ['name'],
  },
  '/api/clock/advance': {
    body: () => ({ id: 987_654, toTime: '2027-01-31T00:00:00Z' }),
    fields: { id: 'id', toTime: 'text' },
    required: ['id', 'toTime'],
  },
  '/api/webhook/register': {
    body: () => ({ url: 'http://127.0.0.1:9/', events: ['transaction.refunded'], secret: 'a secret of tests' }),
    fields: { url: 'text', events: 'texts', secret: 'text', livemode: 'boolean', tenantId: 'tenant' },
    required: ['url', 'events'],
  },
  '/api/webhook/modify': {
    body: () => ({
      ...{ id: webhookId, url: 'http://127.0.0.1:9/', events: ['transaction.refunded'], state: true },
      ...{ maxInFlight: 5, ratePerSecond: null },
    }),
    fields: { id: 'id', url: 'text', events: 'texts', state: 'boolean', maxInFlight: 'cap', ratePerSecond: 'cap' },
    required: ['id'],
  },
  '/api/webhook/remove': { body: () => ({ id: 987_654 }), fields: { id: 'id' }, required: ['id'] },
  '/api/webhook/rotate': {
    body: () => ({
      id: webhookId,
      secret: 'the next one of them',
      promoteAt: new Date(Date.now() + 60_000).toISOString(),
    }),
    fields: { id: 'id', secret: 'text', promote: 'yes', promoteAt: 'text' },
    required: ['id'],
  },
  '/api/webhook/test': { body: () => ({ id: webhookId }), fields: { id: 'id' }, required: ['id'] },
  '/api/webhook/replay': {
    body: () => ({
      endpointId: webhookId,
      since: '2020-01-01T00:00:00Z',
      until: '2020-01-02T00:00:00Z',
      states: ['FAILED'],
    }),
    fields: { deliveryId: 'text', endpointId: 'id', since: 'text', until: 'text', states: 'texts' },
    required: [],
    needsBody: true,
  },
  '/api/inbox/create': {
    body: () => ({ secret: 'a secret of tests' }),
    fields: { secret: 'text', livemode: 'boolean' },
    required: [],
  },
};

/** Values that no field of that kind accepts, as JSON text, because some numbers can be written only there. */
const wrong: Record<Exclude<Kind, 'text or null' | 'id or null' | 'object or null' | 'from nothing on'>, string[]> = {
  ids: ['[0]', '[1.5]', '["1"]', '[9007199254740992]', '[1, 1]', '[1, 2, 3, 4, 5, 6]', '5', '{}', 'null'],
  provider: ['"paypal"', '""', '5', '[]', '{}'],
  cap: ['"5"', 'true', '[]', '{}', '0', '-1', '1.5', '-0', '100001', '9007199254740992', '1e400', '1e-400'],
  yes: ['false', '"true"', '1', '0', 'null', '[]', '{}'],
  text: ['5', 'true', 'null', '[]', '{}', '["x"]', '"\\u0000"', '"a\\u0000b"', '"\\ud800"', '"a\\udc00b"', '1e400'],
  id: [
    ...['"5"', 'true', 'null', '[]', '{}', '0', '-1', '1.5', '-0', '9007199254740992', '9007199254740993'],
    ...['9007199254740991.4', '1.00000000000000000001', '1e400', '-1e400', '1e-400', '123456789012345678901234567890'],
  ],
  amount: [
    ...['"5"', 'true', 'null', '[]', '{}', '0', '-1', '0.5', '-0', '9007199254740992', '9007199254740993'],
    ...['9007199254740991.4', '1.00000000000000000001', '1e400', '-1e400', '1e-400', '1999.0000000000000000000001'],
  ],
  boolean: ['"true"', '1', '0', 'null', '[]', '{}'],
  object: [
    ...['5', '"{}"', 'true', 'null', '[]', '[{}]', '{"a":"\\u0000"}', '{"\\u0000":1}', '{"a":{"b":["\\ud800"]}}'],
    ...['{"a":9007199254740993}', '{"a":1e400}', '{"a":[9007199254740991.4]}'],
  ],
  texts: [
    '5',
    '"x"',
    'true',
    'null',
    '{}',
    '[5]',
    '[null]',
    '[["x"]]',
    '["\\u0000"]',
    '["\\ud800"]',
    '["no such word"]',
  ],
  tenant: ['true', '[]', '{}', '-1', '1.5', '"one"', '""', '"1 or 1=1"', '9007199254740993', '"\\u0000"'],
  lines: [
    ...['5', '"x"', 'true', 'null', '{}', '[]', '[5]', '[{}]', '[{"description":"x","quantity":1}]'],
    ...['[{"description":"\\u0000","quantity":1,"unitAmount":1}]', '[{"description":"x","quantity":0,"unitAmount":1}]'],
    '[{"description":"x","quantity":1,"unitAmount":1e400}]',
  ],
};
const wrongOf: Record<Kind, string[]> = {
  ...wrong,
  'text or null': wrong.text.filter((json) => json !== 'null'),
  'id or null': wrong.id.filter((json) => json !== 'null'),
  'object or null': wrong.object.filter((json) => json !== 'null'),
  'from nothing on': wrong.amount.filter((json) => json !== '0' && json !== '-0'),
};

const post = (path: string, body: string, headers: Record<string, string> = {}) =>
  florin.call('POST', path, { as: admin, body, headers });

/** The body with one field written as this JSON text. */
function withField(body: Record<string, unknown>, field: string, json: string): string {
  const { [field]: _replaced, ...others } = body;
  return `{${JSON.stringify(field)}:${json},${JSON.stringify(others).slice(1)}`.replace(/,}$/, '}');
}

describe('every field of every body', () => {
  const fields = Object.entries(writes).flatMap(([path, { fields: kinds }]) =>
    Object.entries(kinds).map(([field, kind]) => [path, field, kind] as const),
  );

  test('is in the OpenAPI document, and the document has no others', async () => {
    const { body } = await florin.get('/openapi.json');
    const declared = Object.entries(body.paths as Record<string, { post?: Operation }>)
      .filter(([, { post: operation }]) => operation !== undefined && !takesAnyBody(operation))
      .map(([path, { post: operation }]) => {
        const { properties = {} } = bodyShapeOf(operation ?? {}, body);
        return [path, Object.keys(properties).toSorted()];
      });
    const tested = Object.entries(writes).map(([path, { fields: kinds }]) => [path, Object.keys(kinds).toSorted()]);
    expect(Object.fromEntries(tested)).toEqual(Object.fromEntries(declared));
  });

  test.each(fields)('%s refuses a wrong %s, and names it', async (path, field, kind) => {
    const { body, required } = writes[path] as Write;
    for (const json of wrongOf[kind]) {
      if (json === 'null' && !required.includes(field)) continue; // Not given: see below.
      const { status, body: answer } = await post(path, withField(body(), field, json));
      expect({ json, status, body: answer }).toEqual({
        json,
        status: 400,
        body: aRefusal(400, { type: 'invalid_request', field: expect.stringMatching(`^${field}($|[.])`) as never }),
      });
    }
  });

  test.each(Object.entries(writes))(
    '%s names what is missing and what nobody knows',
    async (path, { body, required }) => {
      for (const field of required) {
        const { [field]: _missing, ...others } = body();
        const { status, body: answer } = await post(path, JSON.stringify(others));
        expect({ status, body: answer }).toEqual({
          status: 400,
          body: aRefusal(400, { type: 'invalid_request', field }),
        });
      }
      for (const field of ['ammount', '__proto__', 'constructor', 'prototype', 'toString', '']) {
        const { status, body: answer } = await post(path, withField(body(), field, '{"polluted":true}'));
        expect({ field, status, body: answer }).toEqual({
          field,
          status: 400,
          body: aRefusal(400, { type: 'invalid_request', field }),
        });
      }
      expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    },
  );

  test.each(Object.entries(writes))('%s takes null for an optional field as not given', async (path, write) => {
    const clears = 'id' in write.body() ? ['text or null', 'id or null', 'object or null', 'cap'] : [];
    const nulls = Object.keys(write.fields).filter(
      (field) => !write.required.includes(field) && !clears.includes(write.fields[field] as Kind),
    );
    const given = (value: null | undefined) =>
      post(path, JSON.stringify({ ...write.body(), ...Object.fromEntries(nulls.map((field) => [field, value])) }));
    const [absent, asNull] = [await given(undefined), await given(null)];
    if (path.endsWith('logout')) admin = await administratorOf(florin);
    const { message, error = {} } = asNull.body;
    expect({ status: asNull.status, message, type: error.type, field: error.field }).toEqual({
      status: absent.status,
      message: absent.body.message,
      type: absent.body.error?.type,
      field: absent.body.error?.field,
    });
  });

  test.each(Object.keys(writes))('%s takes nothing but an object', async (path) => {
    for (const json of ['[]', '[{}]', '"text"', '5', 'true']) {
      const { status, body } = await post(path, json);
      expect({ json, status, body }).toEqual({ json, status: 400, body: aRefusal(400, { type: 'invalid_request' }) });
    }
  });
});

interface Operation {
  requestBody?: { content: { 'application/json': { schema: BodyShape }; 'application/octet-stream'?: unknown } };
}

/** Bodies whose form providers decide. */
const takesAnyBody = ({ requestBody }: Operation) => requestBody?.content['application/octet-stream'] !== undefined;

describe('formats and limits', () => {
  test.each([
    ['/api/channel/modify', 'type', '"online"'],
    ['/api/channel/modify', 'type', '"BOTH"'],
    ['/api/channel/modify', 'code', '"with space"'],
    ['/api/channel/modify', 'code', `"${'c'.repeat(65)}"`],
    ['/api/channel/modify', 'name', '""'],
    ['/api/channel/modify', 'name', `"${'n'.repeat(201)}"`],
    ['/api/channel/modify', 'country', '"us"'],
    ['/api/channel/modify', 'currency', '"EURO"'],
    ['/api/channel/modify', 'apiKey', `"${'k'.repeat(4097)}"`],
    ['/api/transaction/create', 'currency', '"usd"'],
    ['/api/transaction/create', 'currency', '"XXX"'],
    ['/api/transaction/create', 'currency', '""'],
    ['/api/transaction/create', 'currency', '"toString"'],
    ['/api/transaction/create', 'description', `"${'d'.repeat(2001)}"`],
    ['/api/transaction/update', 'status', '"success"'],
    ['/api/transaction/update', 'status', '"__proto__"'],
    ['/api/user/modify', 'userType', '"ADMIN"'],
    ['/api/user/modify', 'roles', '["viewer","viewer"]'],
    ['/api/user/modify', 'roles', '["admin"]'],
    ['/api/user/modify', 'email', '"no address"'],
    ['/api/user/modify', 'email', '"a@b\\r\\nBcc: c@d"'],
    ['/api/user/modify', 'userName', '"\\u202egnp.exe"'],
    ['/api/user/modify', 'password', '"12345"'],
    ['/api/user/modify', 'password', `"${'p'.repeat(1025)}"`],
    ['/api/developer/mine/generate', 'expiresTime', '"2020-01-01T00:00:00Z"'],
    ['/api/developer/mine/generate', 'expiresTime', '"tomorrow"'],
    ['/api/developer/mine/generate', 'scope', '"transaction_read,,"'],
  ])('%s refuses %s %s', async (path, field, json) => {
    const { status, body } = await post(path, withField((writes[path] as Write).body(), field, json));
    expect(status).toBe(400);
    expect(body.error.field).toMatch(new RegExp(`^${field}($|[.])`));
  });

  test('a field that is given twice is refused by name', async () => {
    const twice = `{"amount":7,"amount":7,"currency":"USD","channelId":${channelId}}`;
    const { status, body } = await post('/api/transaction/create', twice);
    expect({ status, body }).toEqual({
      status: 400,
      body: aRefusal(400, { type: 'invalid_request', field: 'amount' }),
    });
  });

  test('metadata may use names that are special in JavaScript, and they are returned', async () => {
    const metadata = '{"__proto__":{"polluted":true},"constructor":{"prototype":1},"toJSON":"x","hasOwnProperty":null}';
    const body = withField((writes['/api/transaction/create'] as Write).body(), 'metadata', metadata);
    const { id } = dataOf(await post('/api/transaction/create', body));
    const response = await fetch(`${florin.address}/api/transaction/detail?id=${id}`, {
      headers: { authorization: admin },
    });
    expect(await response.text()).toContain(`"metadata":${metadata}`);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  test('a body may be written with spaces, escapes and exponents', async () => {
    const body = ` {"amount" : 1.999e3 ,\n"currency":"\\u0055SD", "channelId":${channelId}.0, "description":"\\ud83d\\ude00"}\n`;
    expect(dataOf(await post('/api/transaction/create', body))).toMatchObject({ amount: 1999, description: '😀' });
  });
});

describe('bodies that are not JSON', () => {
  const create = '/api/transaction/create';
  const valid = () => JSON.stringify({ amount: 5, currency: 'USD', channelId });

  test.each([
    '{',
    '}',
    '{"amount":}',
    '{"amount":5,}',
    "{'amount':5}",
    '{amount:5}',
    '{"amount":05}',
    '{"amount":+5}',
    '{"amount":.5}',
    '{"amount":0x10}',
    '{"amount":NaN}',
    '{"amount":Infinity}',
    '{"amount":5}{"amount":5}',
    '{"amount":5} // five',
    '\ufeff{"amount":5}',
    'amount=5',
    '<amount>5</amount>',
    '"\u0000"',
    '{"a":"\n"}',
    '{"a":"\\x41"}',
    '[[[[',
    'undefined',
  ])('%j is malformed', async (body) => {
    const { status, body: answer } = await post(create, body);
    expect({ status, body: answer }).toEqual({ status: 400, body: aRefusal(400, { type: 'malformed_json' }) });
  });

  test.each([
    ['no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['a surrogate in UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
    ['an overlong NUL', Buffer.from([0x22, 0xc0, 0x80, 0x22])],
    ['UTF-16', Buffer.from('\ufeff{"amount":5}', 'utf16le')],
  ])('%s is malformed', async (_what, bytes) => {
    const response = await fetch(florin.address + create, {
      method: 'POST',
      headers: { authorization: admin, 'content-type': 'application/json' },
      body: bytes,
    });
    expect(await response.json()).toEqual(aRefusal(400, { type: 'malformed_json' }));
  });

  test('nesting beyond 20 levels is refused, however deep', async () => {
    const nested = (levels: number) => `{"metadata":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
    expect((await post(create, nested(20))).body.error).toMatchObject({ type: 'invalid_request' });
    for (const levels of [21, 1000, 30_000]) {
      expect((await post(create, nested(levels))).body).toEqual(aRefusal(400, { type: 'malformed_json' }));
    }
    const numbered = `{"metadata":${'{"a":'.repeat(9000)}123456789012345678901${'}'.repeat(9000)}}`;
    expect((await post(create, numbered)).status).toBe(400);
  });

  test('64 KiB are accepted, one byte more is refused, with a Content-Length or chunked', async () => {
    const padded = (bytes: number) => valid() + ' '.repeat(bytes - valid().length);
    expect((await post(create, padded(65_536))).status).toBe(200);
    const tooLarge = await post(create, padded(65_537));
    expect({ status: tooLarge.status, body: tooLarge.body }).toEqual({
      status: 413,
      body: aRefusal(413, { type: 'body_too_large' }),
    });
    const pieces = `${post1(create)}Transfer-Encoding: chunked\r\n\r\n${`1000\r\n${' '.repeat(4096)}\r\n`.repeat(17)}0\r\n\r\n`;
    expect((await raw(pieces)).status).toBe(413);
    expect((await raw(`${post1(create)}Content-Length: 1000000000\r\n\r\n{`)).status).toBe(413);
  });

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'application/jsonx',
    'application/vnd.api+json',
    'json',
    '*/*',
    '',
  ])('a body of type %j is refused', async (type) => {
    const { status, body } = await post(create, valid(), { 'content-type': type });
    expect({ status, body }).toEqual({ status: 415, body: aRefusal(415, { type: 'not_json' }) });
  });

  test('a body without a Content-Type is refused', async () => {
    const body = valid();
    const reply = await raw(`${post1(create, '')}Content-Length: ${body.length}\r\n\r\n${body}`);
    expect(reply).toEqual({ status: 415, body: aRefusal(415, { type: 'not_json' }) });
  });

  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON',
    'application/json;charset="UTF-8"',
  ])('a body of type %j is taken', async (type) => {
    expect((await post(create, valid(), { 'content-type': type })).status).toBe(200);
  });

  test.each(Object.entries(writes))('%s without a body', async (path, { required, needsBody = false }) => {
    const ofConsole = path.startsWith('/api/console/') ? { 'x-florin-console': '1', origin: florin.address } : {};
    for (const headers of [ofConsole, { ...ofConsole, 'content-type': 'application/json' }]) {
      const { status, body } = await florin.call('POST', path, { as: admin, headers });
      if (needsBody || required.length > 0) {
        expect({ status, body }).toEqual({ status: 400, body: aRefusal(400, { type: 'invalid_request' }) });
        // 409: the caller has no passkey to step up with.
      } else expect(status).toBe(path === '/api/user/step-up/passkey/begin' ? 409 : 200);
      if (path.endsWith('logout')) admin = await administratorOf(florin);
    }
  });
});

describe('path and query', () => {
  /** Called by programs that add parameters of their own: probes, providers, senders of webhooks. */
  const takesAnyQuery = ['/health/live', '/health/ready', '/api/callback/{channel}/{token}', '/api/callback/{channel}'];

  test('every endpoint refuses a query parameter that it does not know, by GET, HEAD and POST alike', async () => {
    const { paths } = (await florin.get('/openapi.json')).body as { paths: Record<string, object> };
    const strict = Object.entries(paths).filter(([path]) => ![...takesAnyQuery, '/inbox/{token}'].includes(path));
    const key = await makeKey(florin, admin, '*');
    const kept: string[] = [];
    for (const [path, operations] of strict) {
      for (const method of Object.keys(operations).flatMap((one) => (one === 'get' ? ['GET', 'HEAD'] : ['POST']))) {
        const { status, body } = await florin.call(method as 'GET', `${path}?nosuchname=1`, {
          as: path === '/api/developer/current' ? key.as : admin,
          ...(method === 'POST' && { body: writes[path]?.body() }),
        });
        const named = method === 'HEAD' || body.error?.field === 'nosuchname';
        if (status !== 400 || !named) kept.push(`${method} ${path}: ${status}`);
      }
    }
    expect(kept).toEqual([]);
    expect((await florin.get('/health/ready?t=1')).status).toBe(200);
  });

  test.each([
    ['/api/transaction/list?page_size=5', 'page_size', 'Did you mean pageSize?'],
    ['/api/transaction/list?channel=5', 'channel', 'Did you mean channelId?'],
    ['/api/transaction/list?colour=red', 'colour', 'Its query parameters: page, pageSize, '],
    ['/api/transaction/detail?ID=txn_1', 'ID', 'Did you mean id?'],
    ['/api/tenant/list?status=on', 'status', 'Its query parameters: page, pageSize.'],
  ])('%s gets a hint of what is known', async (path, field, hint) => {
    const { status, body } = await florin.get(path, admin);
    expect({ status, body }).toEqual({ status: 400, body: aRefusal(400, { type: 'invalid_request', field }) });
    expect(body.message).toContain(hint);
  });

  test('a misspelt field is named instead of the one that it leaves missing', async () => {
    const { body } = await florin.post('/api/transaction/create', { amout: 5, currency: 'USD', channelId }, admin);
    expect(body).toMatchObject({
      message: 'amout is not a field of this request. Did you mean amount?',
      error: { field: 'amout' },
    });
  });

  test.each([
    '/api/transaction/detail?id=%00',
    '/api/transaction/detail?id=txn_%00',
    '/api/transaction/list?unknown=%00',
  ])('%s holds a NUL', async (path) => {
    expect((await florin.get(path, admin)).status).toBe(400);
  });

  test.each([
    '/api/transaction/detail?id=%',
    '/api/transaction/detail?id=%zz',
    '/api/transaction/detail?id=%E0%A4%A',
    '/api/transaction/detail?id=%ED%A0%80',
    '/api/transaction/detail?id=%C0%80',
    '/api/transaction/detail?id[]=x',
    '/api/transaction/detail?id=a&id=b',
    '/api/transaction/detail?__proto__=x',
    '/api/transaction/detail?id=x&__proto__[a]=b&constructor=c',
    `/api/transaction/detail?id=${'x'.repeat(8000)}`,
    '/api/transaction/detail?&&&=&=',
    '/api/%zz',
    '/%',
    '/%00',
    '/api/channel/list%00',
    '/%ED%A0%80',
    '/..%2f..%2fetc%2fpasswd',
    '/docs/static/..%2f..%2f..%2fpackage.json',
    '/docs/static/%2e%2e/%2e%2e/package.json',
    `/${'x'.repeat(8000)}`,
    '/api/transaction/list?startDate=9999-99-99',
    '/api/transaction/list?startDate=0000-01-01',
    '/api/transaction/timeline',
    '/api/transaction/timeline?id=%',
    '/api/statistics/summary?endDate=0000-12-31',
    '/api/statistics/summary?startDate=2026-02-30',
    '/api/statistics/summary?startDate=2026-02-02&endDate=2026-02-01',
    '/api/statistics/summary?status=DONE',
    '/api/statistics/summary?channelId=0',
    '/api/statistics/summary?currency=usd',
    '/api/statistics/series?groupBy=user',
    '/api/statistics/series?startDate=2020-01-01&endDate=2026-01-01',
    '/api/transaction/list?page=99999999999999999999',
    '/api/refund/detail',
    '/api/refund/detail?id=ref_%00',
    '/api/refund/list?status=REFUNDED',
    '/api/refund/list?transactionId=ref_0198a5b87c1f7000800000000000dead',
    '/api/refund/list?startDate=0000-01-01',
    '/api/ledger/balance?date=0000-01-01',
    '/api/ledger/balance?currency=usd',
    '/api/ledger/entries?account=provider_fees',
    '/api/subscription/detail',
    '/api/subscription/detail?id=0',
    '/api/subscription/detail?id=sub_1',
    '/api/subscription/list?state=DONE',
    '/api/subscription/preview?id=1.5',
    '/api/subscription/preview?id=987654&quantity=0',
    '/api/plan/list?page=0',
    '/api/plan/list?state=maybe',
    '/api/customer/detail',
    '/api/customer/detail?id=0',
    '/api/customer/list?page=0',
    '/api/invoice/detail?id=inv_1',
    '/api/invoice/list?status=DONE',
    '/api/invoice/list?customerId=1.5',
    '/api/invoice/print?id=1&format=doc',
    '/api/clock/detail?id=0',
    '/api/ledger/entries?page=0',
    '/api/event/list?after=evt_%00',
    '/api/event/list?startDate=0000-01-01',
    '/api/event/detail?id=evt_',
    '/api/webhook/list?page=0',
    '/api/webhook/delivery/list?after=1',
    '/api/webhook/delivery/list?eventId=evt_ffffffffffffffffffffffffffffffff&endpointId=0',
    '/api/webhook/delivery/detail?id=dlv_%00',
    '/api/webhook/replay/detail?id=rpl_x',
    '/api/inbox/messages?id=1.5',
    '/api/ledger/entries?endDate=2026-02-30',
  ])('%s is refused', async (path) => {
    const { status, headers, body } = await florin.get(path, admin);
    expect([400, 404]).toContain(status);
    expect(headers.get('x-request-id')).toBeTruthy();
    expect(body).toEqual(aRefusal(status, { type: expect.any(String) as never, field: body.error.field }));
  });

  test('the last representable days are accepted', async () => {
    for (const path of [
      '/api/transaction/list',
      '/api/refund/list',
      '/api/ledger/entries',
      '/api/statistics/summary',
      '/api/event/list',
      '/api/webhook/delivery/list',
    ]) {
      expect((await florin.get(`${path}?startDate=0001-01-01&endDate=9999-12-31`, admin)).status).toBe(200);
    }
  });

  test('the last possible page is accepted', async () => {
    for (const path of [
      '/api/transaction/list',
      '/api/refund/list',
      '/api/ledger/entries',
      '/api/plan/list',
      '/api/subscription/list',
      '/api/customer/list',
      '/api/invoice/list',
    ]) {
      const { status, body } = await florin.get(`${path}?page=2147483647&pageSize=100`, admin);
      expect(status).toBe(200);
      expect(body.data).toEqual([]);
    }
  });
});

describe('headers', () => {
  test.each([
    ['authorization', 'Bearer \u00e9\u00ff'],
    ['authorization', `Bearer ${'x'.repeat(8000)}`],
    ['authorization', 'Bearer a.b.c'],
    ['authorization', 'ApiKey'],
    ['authorization', `ApiKey sk_live_${'x'.repeat(4000)}`],
    ['authorization', 'Bearer x, Bearer y'],
  ])('%s: %j is refused', async (name, value) => {
    const { status, body } = await florin.call('GET', '/api/channel/list', { headers: { [name]: value } });
    expect({ status, body }).toEqual({ status: 401, body: aRefusal(401, { type: 'credentials_invalid' }) });
  });

  test('an Idempotency-Key may have letters beyond ASCII', async () => {
    const body = JSON.stringify({ amount: 5, currency: 'USD', channelId });
    const [first, again] = [
      await post('/api/transaction/create', body, { 'idempotency-key': 'cl\u00e9 \u00ff' }),
      await post('/api/transaction/create', body, { 'idempotency-key': 'cl\u00e9 \u00ff' }),
    ];
    expect(dataOf(again).id).toBe(dataOf(first).id);
  });

  test('a repeat with null where the first request left a field out is the same request', async () => {
    const order = { amount: 5, currency: 'USD', channelId };
    const again = { ...order, description: null, metadata: null, customerId: null, paymentMethod: null };
    const headers = { 'idempotency-key': unique('null') };
    const first = await post('/api/transaction/create', JSON.stringify(order), headers);
    const repeat = await post('/api/transaction/create', JSON.stringify(again), headers);
    expect(repeat.headers.get('idempotency-replayed')).toBe('true');
    expect(dataOf(repeat).id).toBe(dataOf(first).id);
  });

  test('X-Forwarded-For of an unknown proxy is ignored', async () => {
    for (let i = 0; i < 10; i++) await forwarded(i);
    expect((await forwarded(11)).status).toBe(429);

    function forwarded(i: number) {
      const headers = { 'x-forwarded-for': `10.0.0.${i}`, 'x-real-ip': `10.0.0.${i}`, forwarded: `for=10.0.0.${i}` };
      const body = { account: 'forwarded', password: 'not the password' };
      return florin.call('POST', '/api/user/login', { body, headers });
    }
  });
});

describe('invalid HTTP', () => {
  const broken: [string, string | Buffer, number][] = [
    ['garbage', 'garbage\r\n\r\n', 400],
    ['random bytes', Buffer.from(Array.from({ length: 512 }, (_, i) => (i * 167 + 13) % 256)), 400],
    ['a TLS greeting', Buffer.from('16030100f8010000f40303', 'hex'), 400],
    ['another protocol', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    ['an unknown method', 'BREW /pot HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    ['a NUL in a header', 'GET /health/live HTTP/1.1\r\nHost: x\r\nX: a\0b\r\n\r\n', 400],
    ['a bare line feed in a header', 'GET /health/live HTTP/1.1\r\nHost: x\r\nX: a\nb c\r\n\r\n', 400],
    ['a negative length', 'POST /api/user/login HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n', 400],
    ['two lengths', 'POST /api/user/login HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 400],
    [
      'a length and pieces',
      'POST /api/user/login HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    [
      'a piece of no size',
      'POST /api/user/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
      400,
    ],
    ['headers beyond 16 KiB', `GET /health/live HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ['ten thousand headers', `GET /health/live HTTP/1.1\r\nHost: x\r\n${'A: b\r\n'.repeat(10_000)}\r\n`, 431],
  ];

  test.each(broken)('%s gets a clear answer', async (_what, bytes, status) => {
    expect(await raw(bytes)).toEqual({ status, body: aRefusal(status, { type: 'invalid_request' }) });
  });

  test('a request without a host gets a clear answer', async () => {
    const reply = await raw('GET /health/live HTTP/1.1\r\n\r\n');
    expect(reply).toEqual({ status: 400, body: aRefusal(400, { type: 'invalid_request', field: 'Host' }) });
    expect((await raw('GET /health/live HTTP/1.0\r\n\r\n')).status).toBe(200);
  });

  test('an unknown expectation is refused; those of HTTP/1.0 are ignored', async () => {
    const asked = (expectation: string, version = '1.1') =>
      raw(`GET /health/live HTTP/${version}\r\nHost: x\r\nExpect: ${expectation}\r\n\r\n`);
    for (const expectation of ['200-ok', 'x']) {
      const refusal = aRefusal(417, { type: 'expectation_not_supported' });
      expect(await asked(expectation)).toEqual({ status: 417, body: refusal });
    }
    expect((await asked('200-ok', '1.0')).status).toBe(200);
  });

  test('a request with Expect: 100-continue gets 100, and then its answer', async () => {
    const body = '{"account":"nobody","password":"wrong"}';
    const reply = await raw(
      `POST /api/user/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nExpect: 100-continue\r\n` +
        `Content-Length: ${body.length}\r\n\r\n${body}`,
      'HTTP/1.1 100 Continue\r\n\r\n',
    );
    expect(reply.status).toBe(401);
  });

  test('a body with a Content-Encoding is refused, unless that is identity', async () => {
    const login = (encoding: string) =>
      florin.call('POST', '/api/user/login', {
        body: { account: 'nobody', password: 'wrong' },
        headers: { 'content-encoding': encoding },
      });
    for (const encoding of ['gzip', 'br', 'zstd', 'x-unknown', 'identity, gzip', 'gzip, identity']) {
      const { status, headers, body } = await login(encoding);
      expect({ status, body }).toEqual({ status: 415, body: aRefusal(415, { type: 'encoding_not_supported' }) });
      expect(headers.get('accept-encoding')).toBe('identity');
    }
    for (const encoding of ['identity', 'Identity']) expect((await login(encoding)).status).toBe(401);
  });

  test('a request that ends early, at any byte, has no effect', async () => {
    const body = JSON.stringify({ amount: 4_242_424, currency: 'USD', channelId });
    const whole = `${post1('/api/transaction/create')}Content-Length: ${body.length}\r\n\r\n${body}`;
    for (let at = 1; at < whole.length; at += 7) {
      const socket = connect(Number(new URL(florin.address).port), '127.0.0.1');
      await once(socket, 'connect');
      await new Promise((sent) => socket.write(whole.slice(0, at), sent));
      if (at % 2 === 0) socket.resetAndDestroy();
      else socket.destroy();
    }
    const [row] = await db.query<{ count: number }>('select count(*) as count from transaction where amount = 4242424');
    expect(row?.count).toBe(0);
  });
});

/** The head of a POST as far as its length. */
function post1(path: string, type = 'Content-Type: application/json\r\n'): string {
  return `POST ${path} HTTP/1.1\r\nHost: florin\r\nAuthorization: ${admin}\r\n${type}`;
}

/** Sends bytes as they are, and reads one reply. */
async function raw(bytes: string | Buffer, before = ''): Promise<{ status: number; body: unknown }> {
  const socket = connect(Number(new URL(florin.address).port), '127.0.0.1');
  socket.on('error', () => {});
  try {
    socket.write(bytes);
    let text = '';
    for await (const chunk of socket) {
      text += chunk;
      if (before !== '' && text.startsWith(before)) text = text.slice(before.length);
      const [, head = '', rest = ''] = /^([\s\S]*?)\r\n\r\n([\s\S]*)$/.exec(text) ?? [];
      const [, length] = /content-length: (\d+)/i.exec(head) ?? [];
      if (length === undefined || Buffer.byteLength(rest) < Number(length)) continue;
      return { status: Number(head.slice(9, 12)), body: JSON.parse(rest) };
    }
    throw new Error(`No reply, only: ${text}`);
  } finally {
    socket.destroy();
  }
}
