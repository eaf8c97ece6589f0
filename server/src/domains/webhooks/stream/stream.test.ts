import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  dataOf,
  makeChannel,
  makeKey,
  makeMember,
  makePayment,
  makeTenant,
} from '../../../../tests/support/factories.ts';
import { databaseFromTemplate, type TestDatabase } from '../../../../tests/support/postgres/database.ts';
import { administratorPassword, florinOn, type TestFlorin } from '../../../../tests/support/service/florin.ts';

let db: TestDatabase;
let florin: TestFlorin;
let admin: string;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db);
  admin = await florin.login('admin', administratorPassword);
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

interface Streamed {
  id?: string;
  event?: string;
  data: { id: string; type: string; objectId: string };
}

/** A stream, message by message. */
async function listen(as: string, lastEventId?: string) {
  const stop = new AbortController();
  const headers = { authorization: as, ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) };
  const response = await fetch(`${florin.address}/api/stream`, { headers, signal: stop.signal });
  const messages = parsed(response.body as ReadableStream<Uint8Array>);
  /** The next message that is about one of these records. */
  const next = async (...objectIds: string[]): Promise<Streamed> => {
    for (;;) {
      const { value, done } = await messages.next();
      if (done) throw new Error('The stream has ended.');
      if (value.event === 'gap' || objectIds.includes(value.data.objectId)) return value;
    }
  };
  return { response, next, messages, stop: () => stop.abort() };
}

async function* parsed(body: ReadableStream<Uint8Array>): AsyncGenerator<Streamed> {
  let text = '';
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const fields = text
        .slice(0, end)
        .split('\n')
        .map((line) => line.split(/: ?(.*)/s).slice(0, 2));
      text = text.slice(end + 2);
      const { data, ...rest } = Object.fromEntries(fields);
      if (data !== undefined) yield { ...rest, data: JSON.parse(data) };
    }
  }
}

test('a payment appears in the stream of its tenant, and in no other', async () => {
  const channel = await makeChannel(florin, admin);
  const tenantId = await makeTenant(florin, admin);
  const other = await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId });
  const otherChannel = await makeChannel(florin, other.as);
  const [mine, theirs] = [await listen(admin), await listen(other.as)];
  expect(mine.response.headers.get('content-type')).toBe('text/event-stream');
  const payment = await makePayment(florin, admin, channel);
  const otherPayment = await makePayment(florin, other.as, otherChannel);
  expect(await mine.next(payment, otherPayment)).toMatchObject({
    data: { type: 'transaction.created', objectId: payment },
  });
  expect((await theirs.next(payment, otherPayment)).data.objectId).toBe(otherPayment);
  mine.stop();
  theirs.stop();
});

test('a reader resumes after its last event', async () => {
  const channel = await makeChannel(florin, admin);
  const first = await listen(admin);
  const before = await makePayment(florin, admin, channel);
  const { id } = await first.next(before);
  first.stop();
  const missed = await makePayment(florin, admin, channel);
  const second = await listen(admin, id);
  expect((await second.next(missed)).data.objectId).toBe(missed);
  second.stop();
});

test('only types that the caller may read are streamed', async () => {
  const channel = await makeChannel(florin, admin);
  const key = await makeKey(florin, admin, 'invoice_read');
  const payment = await makePayment(florin, admin, channel);
  const headers = { authorization: key.as, 'last-event-id': `evt_${payment.slice(4)}` };
  const answer = await fetch(`${florin.address}/api/stream?follow=false`, { headers });
  expect(await answer.text()).not.toContain('transaction');
});

test('what was missed and is too much is a gap', async () => {
  const channel = await makeChannel(florin, admin);
  await Promise.all(Array.from({ length: 210 }, () => makePayment(florin, admin, channel)));
  const headers = { authorization: admin, 'last-event-id': 'evt_00000000000070008000000000000000' };
  const text = await (await fetch(`${florin.address}/api/stream?follow=false`, { headers })).text();
  expect(text).toContain('event: gap');
});

test('an open stream shows what the user may read now, and nothing after the key was revoked', async () => {
  const channel = await makeChannel(florin, admin);
  const tenantId = await makeTenant(florin, admin);
  const merchant = await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId });
  const clerk = await makeMember(florin, admin, { userType: 'MERCHANT_USER', tenantId, roles: ['viewer'] });
  const key = await makeKey(florin, merchant.as, 'transaction_read');
  const [ofClerk, ofKey, ofAdmin] = [await listen(clerk.as), await listen(key.as), await listen(merchant.as)];
  const before = await makePayment(florin, merchant.as, channel);
  for (const stream of [ofClerk, ofKey, ofAdmin]) expect((await stream.next(before)).data.objectId).toBe(before);
  dataOf(await florin.post('/api/user/modify', { id: clerk.id, roles: [] }, admin));
  dataOf(await florin.post('/api/developer/mine/revoke', { id: key.id }, merchant.as));
  const after = await makePayment(florin, merchant.as, channel);
  expect((await ofAdmin.next(after)).data.objectId).toBe(after);
  // All streams were sent to together: when this is answered, the session has been looked up for the clerk's stream as
  // well.
  dataOf(await florin.get('/api/user/info', clerk.as));
  dataOf(await florin.post('/api/user/modify', { id: clerk.id, roles: ['viewer'] }, admin));
  const again = await makePayment(florin, merchant.as, channel);
  expect((await ofClerk.next(after, again)).data.objectId).toBe(again);
  await expect(ofKey.next(after, again)).rejects.toThrow('The stream has ended.');
  for (const { stop } of [ofClerk, ofAdmin]) stop();
});

test('the stream of a session that has ended ends', async () => {
  const member = await makeMember(florin, admin, {
    userType: 'MERCHANT_ADMIN',
    tenantId: await makeTenant(florin, admin),
  });
  dataOf(await florin.post('/api/user/logout', undefined, member.as));
  expect((await fetch(`${florin.address}/api/stream`, { headers: { authorization: member.as } })).status).toBe(401);
});

test('a user may have ten streams, and the next is refused', async () => {
  const member = await makeMember(florin, admin, {
    userType: 'MERCHANT_ADMIN',
    tenantId: await makeTenant(florin, admin),
  });
  const open = await Promise.all(Array.from({ length: 10 }, () => listen(member.as)));
  expect(open.map(({ response }) => response.status)).toEqual(open.map(() => 200));
  const refused = await listen(member.as);
  expect(refused.response.status).toBe(429);
  for (const { stop } of open) stop();
});
