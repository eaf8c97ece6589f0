import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  accepted,
  callbackRecords,
  channelSecret,
  eventIdOf,
  makeProviderChannel,
  pendingPayment,
  postCallback,
  sandboxReportOf,
} from '../../../testing/callbacks.ts';
import { administratorOf, dataOf, makeChannel, makeMember, makeTenant, unique } from '../../../testing/cast.ts';
import { databaseFromTemplate, type TestDatabase } from '../../../testing/database.ts';
import { florinOn, type Reply, type TestFlorin } from '../../../testing/florin.ts';
import { aRefusal } from '../../../testing/shapes.ts';
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
  florin = await florinOn(db, {}, () => nowMs);
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

  test('is 404 if the channel does not exist or has no provider, whatever its tenant', async () => {
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
    ];
    for (const named of others) {
      const { status, body } = await postCallback(florin, named, forgedMessage);
      expect({ named, status, body }).toEqual({
        named,
        status: 404,
        body: aRefusal(404, { type: 'record_not_found', field: 'channel' }),
      });
      expect(body.message).toBe(`There is no channel ${decodeURIComponent(String(named))} with a provider.`);
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
    expect(refused.body.message).not.toMatch(/sandbox|secret/i);
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
    ).toBe(404);
  });
});

test('any input to a channel of any provider is refused with 401', async () => {
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
    { seed: 11, numRuns: 400 },
  );
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
