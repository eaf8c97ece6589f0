import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { campaign, cases } from '../../../../tests/support/campaign.ts';
import {
  administratorOf,
  channelInput,
  dataOf,
  makeChannel,
  makeKey,
  makeMember,
  makeTenant,
  unique,
} from '../../../../tests/support/factories.ts';
import {
  accepted,
  callbackRecords,
  channelSecret,
  eventIdOf,
  makeProviderChannel,
  pendingPayment,
  postCallback,
  sandboxReportOf,
} from '../../../../tests/support/payments/callbacks.ts';
import { databaseFromTemplate, type TestDatabase } from '../../../../tests/support/postgres/database.ts';
import { florinOn, type Reply, type TestFlorin } from '../../../../tests/support/service/florin.ts';
import { aRefusal } from '../../../../tests/support/shapes.ts';
import { providerNames } from '../providers/directory.ts';
import { headersOf, signedMessage } from '../providers/sandbox/messages.ts';

let db: TestDatabase;
let florin: TestFlorin;
let admin: string;
let channelId: number;
/** The clock stands still: nothing is looked up by itself. */
const nowMs = Date.parse('2026-03-31T09:30:00Z');

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db, { APP_RATE_LIMIT_FAILURES_PER_ADDRESS: '1000' }, () => nowMs);
  admin = await administratorOf(florin);
  channelId = await makeProviderChannel(florin, admin);
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

const { storedCallback, callbackSettled, callbackTried, messagesOf } = callbackRecords(() => db);
const detail = async (id: string) => dataOf(await florin.get(`/api/transaction/detail?id=${id}`, admin));
const forgedMessage = signedMessage(sandboxReportOf('txn_x'), 1, 'a wrong secret');

function expectRefused({ status, body }: Reply): void {
  expect({ status, body }).toEqual({ status: 401, body: aRefusal(401, { type: 'callback_invalid' }) });
}

/** All that a sender can see, apart from what differs between any two answers. */
function outsideView({ status, headers, body }: Reply) {
  expect(body).toEqual(aRefusal(401, { type: 'callback_invalid' }));
  const names = [...headers.keys()].filter((name) => name !== 'date');
  return { status, headers: names, body: { ...body, error: { ...body.error, requestId: '' } } };
}

async function anotherTenant(): Promise<string> {
  const tenantId = await makeTenant(florin, admin);
  return (await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId })).as;
}

describe('a callback that does not verify', () => {
  test('is refused, and not stored', async () => {
    const id = await pendingPayment(florin, db, channelId, admin);
    const message = signedMessage(sandboxReportOf(id), 1, channelSecret);
    const forged: Record<string, string>[] = [
      {},
      { 'x-sandbox-signature': '' },
      { 'x-sandbox-signature': '0'.repeat(64) },
      { 'x-sandbox-signature': `${message.signature} `.repeat(2) },
      headersOf(signedMessage(sandboxReportOf(id), 1, 'another secret')),
      headersOf(signedMessage(sandboxReportOf(id), 2, channelSecret)),
    ];
    for (const headers of forged) {
      expectRefused(await florin.call('POST', `/api/callback/${channelId}`, { body: message.body, headers }));
    }
    expect(await storedCallback(eventIdOf(message))).toBeUndefined();
    expect((await detail(id)).status).toBe('PROCESSING');
    expect((await florin.get('/metrics')).body).toMatch(/^florin_callbacks_total\{result="refused"\} 6$/m);
  });

  test('is refused on a channel without a webhookSecret', async () => {
    const open = await makeProviderChannel(florin, admin, { webhookSecret: undefined });
    expectRefused(await postCallback(florin, open, signedMessage(sandboxReportOf('txn_x'), 1, '')));
  });

  test('gets one answer, whether the channel exists, has a provider, a secret, or is of another tenant', async () => {
    const reference = await florin.call('POST', `/api/callback/${channelId}`, { body: 'x' });
    const token = 'f'.repeat(32);
    const bare = await makeChannel(florin, admin, { code: 'bare' });
    const foreign = await makeChannel(florin, await anotherTenant(), { code: 'foreign' });
    const others = [
      '987654',
      'nowhere',
      'bare',
      bare,
      'foreign',
      foreign,
      '0',
      '9007199254740993',
      '%00',
      'a%2Fb',
      'ü',
      await makeProviderChannel(florin, admin, { webhookSecret: undefined }),
      await makeProviderChannel(florin, admin, { provider: 'stripe' }),
      `${channelId}/${token}`,
      `987654/${token}`,
      `${channelId}/${encodeURIComponent('é')}`,
    ];
    for (const named of others) {
      const reply = await postCallback(florin, named, forgedMessage);
      expect({ named, ...outsideView(reply) }).toEqual({ named, ...outsideView(reference) });
    }
    const { status, body } = await postCallback(florin, 'c'.repeat(101), forgedMessage);
    expect({ status, body }).toEqual({ status: 400, body: aRefusal(400, { type: 'invalid_request' }) });
  });

  test('a callback of one channel does not settle operations of another, even with the right key', async () => {
    const id = await pendingPayment(florin, db, channelId, admin);
    const foreign = await makeProviderChannel(florin, await anotherTenant());
    const message = signedMessage(sandboxReportOf(id), 7, channelSecret);
    expect((await postCallback(florin, foreign, message)).body).toEqual(accepted);
    await callbackTried(eventIdOf(message), 1);
    expect(await storedCallback(eventIdOf(message))).toMatchObject({ state: 'RECEIVED', channel_id: foreign });
    expect(await detail(id)).toMatchObject({ status: 'PROCESSING', version: 2 });
    expect(await messagesOf(id)).toEqual([]);
  });
});

describe('the address with a token', () => {
  const urlOf = async (id: number): Promise<string> => {
    const channels = dataOf(await florin.get('/api/channel/list', admin));
    return channels.find((channel: { id: number }) => channel.id === id).callbackUrl;
  };
  const pathOf = (url: string) => new URL(url).pathname;

  test('takes callbacks, and only with its own token', async () => {
    const other = await makeProviderChannel(florin, admin);
    const [path, otherPath] = [pathOf(await urlOf(channelId)), pathOf(await urlOf(other))];
    expect(path).toMatch(new RegExp(`^/api/callback/${channelId}/[0-9a-f]{32}$`));
    const message = signedMessage(sandboxReportOf('txn_token'), 1, channelSecret);
    const options = { body: message.body, headers: headersOf(message) };
    expect((await florin.call('POST', path, options)).body).toEqual(accepted);
    const exchanged = path.replace(/[^/]+$/, otherPath.split('/').at(-1) as string);
    expectRefused(await florin.call('POST', exchanged, options));
  });

  test('is shown to those who could change this channel, and kept when it is changed', async () => {
    const tenantId = await makeTenant(florin, admin);
    const { as } = await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId });
    const url = await urlOf(channelId);
    const listed = dataOf(await florin.get('/api/channel/list', as));
    expect(listed.find(({ id }: { id: number }) => id === channelId).callbackUrl).toBeNull();
    const own = await makeProviderChannel(florin, as);
    const changed = channelInput({ id: own, provider: 'sandbox' });
    const writer = (await makeKey(florin, as, 'channel_write', false)).as;
    expect(dataOf(await florin.post('/api/channel/modify', changed, writer)).callbackUrl).toBeNull();
    expect(dataOf(await florin.post('/api/channel/modify', changed, as)).callbackUrl).toBe(await urlOf(own));
    expect(await urlOf(channelId)).toBe(url);
    const offline = dataOf(await florin.post('/api/channel/modify', channelInput(), as));
    expect(offline.callbackUrl).toBeNull();
  });
});

test('failures are limited for each address, and keep out no callback that is genuine', async () => {
  const limited = await florinOn(db, { APP_RATE_LIMIT_FAILURES_PER_ADDRESS: '3' }, () => nowMs);
  const other = await makeProviderChannel(florin, admin);
  const channels = dataOf(await florin.get('/api/channel/list', admin));
  const pathOf = (id: number) =>
    new URL(channels.find((channel: { id: number }) => channel.id === id).callbackUrl).pathname;
  const send = async (path: string, secret: string) => {
    const message = signedMessage(sandboxReportOf('txn_limited'), 1, secret);
    const reply = await limited.call('POST', path, { body: message.body, headers: headersOf(message) });
    return reply.status;
  };
  const failures = async (path: string) => {
    const statuses: number[] = [];
    for (let i = 0; i < 4; i++) statuses.push(await send(path, 'wrong'));
    return statuses;
  };
  expect(await failures('/api/callback/987654')).toEqual([401, 401, 401, 429]);
  for (const path of [pathOf(channelId), pathOf(other), `/api/callback/${channelId}`]) {
    expect(await send(path, 'wrong')).toBe(429);
    expect(await send(path, channelSecret)).toBe(200);
  }
  await limited.stop();
});

describe('a channel code', () => {
  test('shared by several tenants: the signature decides which channel is meant', async () => {
    const code = unique('till');
    const channels: { id: number; own: string; payment: string }[] = [];
    for (const own of ['the secret of one', 'the secret of two']) {
      const as = await anotherTenant();
      const id = await makeProviderChannel(florin, as, { code, webhookSecret: own });
      channels.push({ id, own, payment: await pendingPayment(florin, db, id, as) });
    }
    for (const { id, own, payment } of channels) {
      const message = signedMessage(sandboxReportOf(payment), 1, own);
      expect((await postCallback(florin, code, message)).body).toEqual(accepted);
      await callbackSettled(eventIdOf(message));
      expect(await storedCallback(eventIdOf(message))).toMatchObject({ channel_id: id });
      expect((await detail(payment)).status).toBe('SUCCESS');
    }
    const refused = await postCallback(florin, code, forgedMessage);
    expectRefused(refused);
    // The answer reveals nothing about the channels to someone who knows only the code.
    expect(refused.body.message).not.toMatch(/sandbox|has no/i);
  });

  test('works even if the secret of another channel with the code cannot be opened', async () => {
    const code = unique('till');
    const broken = await makeProviderChannel(florin, admin, { code });
    const sound = await makeProviderChannel(florin, await anotherTenant(), { code, webhookSecret: 'another' });
    await db.query(`update channel set webhook_secret_sealed = '\\x00' where id = $1`, [broken]);
    const message = signedMessage(sandboxReportOf('txn_x'), 1, 'another');
    expect((await postCallback(florin, code, message)).body).toEqual(accepted);
    expect(await storedCallback(eventIdOf(message))).toMatchObject({ channel_id: sound });
  });

  test('of digits alone is not found: digits are an id', async () => {
    await makeProviderChannel(florin, admin, { code: '424242' });
    expect(
      (await postCallback(florin, '424242', signedMessage(sandboxReportOf('txn_x'), 1, channelSecret))).status,
    ).toBe(401);
  });
});

test('any input to a channel of any provider is refused with 401', campaign, async () => {
  const channels = await Promise.all(providerNames.map((provider) => makeProviderChannel(florin, admin, { provider })));
  const value = fc.oneof(
    fc.constantFrom(
      '',
      '0',
      'sha256=',
      't=1,v1=',
      't=1774949400,v1=abc',
      'a'.repeat(64),
      '0'.repeat(64),
      '\u00e9\u00ff',
      ',',
    ),
    fc.stringMatching(/^t=\d{1,12},v1=[0-9a-f]{64}$/),
    fc.stringMatching(/^sha256=[0-9a-f]{0,64}(,sha256=[0-9a-f]{64})?$/),
    fc.string({ unit: fc.constantFrom(...'aA0=,;: "\'%{}[]\t\u00fc'), maxLength: 40 }).map((text) => text.trim()),
  );
  const headers = fc.dictionary(
    fc.constantFrom(
      'x-sandbox-signature',
      'stripe-signature',
      'x-mollie-signature',
      'content-type',
      'authorization',
      'cookie',
    ),
    value,
  );
  const query = fc.constantFrom(
    '',
    '?',
    '?key=&token=',
    '?key=a&key=b&token[]=c',
    '?__proto__=1&token=%00',
    '?token=%ff',
    '?=&&',
  );
  const body = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.constantFrom(
      '',
      '{',
      '{}',
      'null',
      '[]',
      '"\u0000"',
      'id=tr_1',
      'id=tr_1&id=',
      '{"id":"evt_1"}',
      '[['.repeat(5000),
    ),
    fc.json(),
  );
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...channels), headers, query, body, async (channel, given, search, sent) => {
      const url = `${florin.address}/api/callback/${channel}${search}`;
      const init = { method: 'POST', headers: given, body: typeof sent === 'string' ? sent : new Uint8Array(sent) };
      const response = await fetch(url, init);
      expect({ status: response.status, body: await response.json() }).toEqual({
        status: 401,
        body: aRefusal(401, { type: 'callback_invalid' }),
      });
    }),
    { seed: 11, numRuns: cases(200) },
  );
});

test('a genuine callback that cannot be stored is a defect, not a forgery: the provider sends it again', async () => {
  await db.query(`create function break_store() returns trigger language plpgsql as $$ begin raise 'broken'; end $$`);
  await db.query('create trigger break_store before insert on provider_callback execute function break_store()');
  try {
    const message = signedMessage(sandboxReportOf('txn_z'), 1, channelSecret);
    const { status, body } = await postCallback(florin, channelId, message);
    expect({ status, body }).toEqual({ status: 500, body: aRefusal(500, { type: 'internal_error' }) });
  } finally {
    await db.query('drop function break_store cascade');
  }
});

test('a callback may have any content type, and at most 256 KiB', async () => {
  const path = `/api/callback/${channelId}`;
  const message = signedMessage(sandboxReportOf('txn_y'), 1, channelSecret);
  for (const type of ['text/plain', 'application/json; charset=utf-16', 'nonsense', '']) {
    const headers = { ...headersOf(message), 'content-type': type };
    expect((await florin.call('POST', path, { body: message.body, headers })).body).toEqual(accepted);
  }
  expectRefused(await florin.call('POST', path, { body: ' '.repeat(256 * 1024) }));
  const { status, body } = await florin.call('POST', path, { body: ' '.repeat(256 * 1024 + 1) });
  expect({ status, body }).toEqual({ status: 413, body: aRefusal(413, { type: 'body_too_large' }) });
  expect((await florin.call('GET', path)).status).toBe(405);
});
