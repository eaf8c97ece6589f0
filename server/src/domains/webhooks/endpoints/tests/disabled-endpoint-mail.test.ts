import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  administratorOf,
  dataOf,
  makeChannel,
  makeMember,
  makePayment,
  makeTenant,
} from '../../../../../tests/support/factories.ts';
import { keptMails } from '../../../../../tests/support/mail/kept-mails.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../../../../tests/support/service/florin.ts';
import { type Receiver, startReceiver } from '../../../../../tests/support/webhooks/receiver.ts';
import { firstUuidAt } from '../../../../core/id.ts';
import { disabledEndpointMail } from '../disabled-endpoint-mail.ts';

const nowMs = Date.UTC(2026, 0, 31, 9, 30);

let db: TestDatabase;
let florin: TestFlorin;
let receiver: Receiver;
let admin: string;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db);
  receiver = await startReceiver();
  admin = await administratorOf(florin);
});

afterAll(async () => {
  await florin.stop();
  await receiver.close();
  await db.drop();
});

/** A tenant with two administrators, a disabled administrator and a cashier. */
async function tenantWithStaff() {
  const tenantId = await makeTenant(florin, admin);
  const member = (userType: 'MERCHANT_ADMIN' | 'MERCHANT_USER') => makeMember(florin, admin, { userType, tenantId });
  const [ann, bob, gone] = [
    await member('MERCHANT_ADMIN'),
    await member('MERCHANT_ADMIN'),
    await member('MERCHANT_ADMIN'),
  ];
  await member('MERCHANT_USER');
  const left = { id: gone.id, userName: gone.userName, email: `${gone.userName}@example.com`, state: false };
  dataOf(await florin.post('/api/user/modify', { ...left, userType: 'MERCHANT_ADMIN' }, admin));
  return { tenantId, as: ann.as, ann, bob, addresses: [ann, bob].map(({ userName }) => `${userName}@example.com`) };
}

const register = async (as: string, url = receiver.url): Promise<number> =>
  dataOf(await florin.post('/api/webhook/register', { url, events: ['*'], secret: 'a secret of tests' }, as)).id;

const mailsAbout = async (id: number) =>
  (await keptMails(florin.dataDir)).filter((text) => text.includes(`Webhook ${id} was disabled. Nothing more`));

test('when a receiver answers 410, each administrator is mailed how to get what was missed', async () => {
  const { as, addresses } = await tenantWithStaff();
  const id = await register(as);
  const channelId = await makeChannel(florin, as);
  receiver.answering = 410;
  const refused = await Promise.all(Array.from({ length: 5 }, () => makePayment(florin, as, channelId)));
  const mails = await eventually('the mails are sent', async () => {
    const found = await mailsAbout(id);
    return found.length >= addresses.length && found;
  });
  expect(mails.map((text) => /^To: (.*)$/m.exec(text)?.[1]).toSorted()).toEqual(addresses.toSorted());
  const [text = ''] = mails;
  expect(text).toContain(`Subject: Webhook ${id} was disabled`);
  expect(text).toContain(receiver.url);
  expect(text).toContain('410 Gone');

  // The requests in the mail deliver both the refused events and those that happen while the endpoint is disabled.
  const meanwhile = await makePayment(florin, as, channelId);
  await eventually('no delivery is open', async () => {
    const open = await db.query(`select from delivery where state = 'OPEN' and endpoint_id = $1`, [id]);
    return open.length === 0;
  });
  const before = receiver.received.length;
  receiver.answering = 200;
  const steps = [...text.matchAll(/POST \S+(\/api\/\S+)\n\s+(\{.*\})/g)].map(([, path, body]) => [path, body] as const);
  expect(steps.map(([path]) => path)).toEqual(['/api/webhook/modify', '/api/webhook/replay']);
  for (const [path, body] of steps) dataOf(await florin.call('POST', path as string, { as, body }));
  const arrived = () => receiver.received.slice(before).map(({ body }) => JSON.parse(String(body)).data.object.id);
  await eventually('every missed event arrives, including those answered with 410', () =>
    [...refused, meanwhile].every((payment) => arrived().includes(payment)),
  );
  expect(await mailsAbout(id)).toHaveLength(addresses.length);
});

test('after five days of failures, the mail says since when, how many deliveries wait, and what to do', async () => {
  const { tenantId, ann, addresses } = await tenantWithStaff();
  const [row] = await db.query<{ id: number }>(
    `insert into webhook_endpoint
       (tenant_id, user_id, url, events, secret_sealed, state, first_failure_at, disabled_reason, created_at)
     select $1, min(id), 'https://shop.example/florin', '{*}', '', false, '2026-01-26T08:00:00Z', 'failing', '2026-01-01T00:00:00Z'
       from app_user
     returning id`,
    [tenantId],
  );
  const id = row?.id ?? 0;
  await db.query(
    `insert into delivery (tenant_id, id, event_id, endpoint_id, due_at, created_at, lease, leased_until)
     select $1, gen_random_uuid(), $3::uuid, $2, now() + interval '1 day', now(), lease, until
       from generate_series(1, 6) as n
       left join lateral (select gen_random_uuid() as lease, now() + interval '1 day' as until where n = 6) as sent
           on true`,
    [tenantId, id, firstUuidAt(Date.UTC(2026, 0, 30))],
  );
  const mail = await mailOf(id, ann.id);
  expect(mail?.to).toBe(addresses[0]);
  expect(mail?.subject).toBe(`Webhook ${id} was disabled`);
  const forFiveDays = 'for five days, every delivery has failed on all of its attempts.';
  expect(mail?.text).toBe(`Webhook ${id} was disabled. Nothing more is sent to it:

https://shop.example/florin

No delivery has succeeded since 2026-01-26T08:00:00.000Z: ${forFiveDays}

5 deliveries are waiting for it and will be cancelled when they fall due. Events are still recorded, so none is lost.

When the receiver works again, enable the webhook:

  POST https://pay.example/api/webhook/modify
  {"id":${id},"state":true}

Then replay what it has missed:

  POST https://pay.example/api/webhook/replay
  {"endpointId":${id},"since":"2026-01-26T06:00:00.000Z","states":["FAILED","CANCELLED","MISSING"]}`);
});

test('active platform administrators get the mail about an endpoint of the platform', async () => {
  const [left, stays] = [
    await makeMember(florin, admin, { userType: 'PLATFORM_ADMIN' }),
    await makeMember(florin, admin, { userType: 'PLATFORM_ADMIN' }),
  ];
  dataOf(await florin.post('/api/user/modify', { id: left.id, state: false }, admin));
  const id = await register(admin);
  receiver.answering = 410;
  await makePayment(florin, admin, await makeChannel(florin, admin));
  const mails = await eventually('the mails are sent', async () => {
    const open = await db.query(`select from user_mail where record_id = $1 and state = 'OPEN'`, [id]);
    const found = await mailsAbout(id);
    return open.length === 0 && found.length > 0 && found;
  });
  receiver.answering = 200;
  const users = dataOf(await florin.get('/api/user/list?pageSize=100', admin)) as Record<string, unknown>[];
  const active = users.filter(({ userType, state }) => userType === 'PLATFORM_ADMIN' && state);
  expect(active.map(({ id }) => id)).toContain(stays.id);
  const addressesOf = (texts: string[]) => texts.map((text) => /^To: (.*)$/m.exec(text)?.[1]).toSorted();
  expect(addressesOf(mails)).toEqual(active.map(({ email }) => email).toSorted());
});

test('nothing is sent about an endpoint enabled or removed since, or to a former administrator', async () => {
  const { as, ann, bob } = await tenantWithStaff();
  const disabled = async () => {
    const id = await register(as);
    await db.query(`update webhook_endpoint set state = false, disabled_reason = 'gone' where id = $1`, [id]);
    return id;
  };
  const [enabled, removed, kept] = [await disabled(), await disabled(), await disabled()];
  for (const id of [enabled, removed, kept]) expect(await mailOf(id, ann.id)).toBeDefined();
  dataOf(await florin.post('/api/webhook/modify', { id: enabled, state: true }, as));
  dataOf(await florin.post('/api/webhook/remove', { id: removed }, as));
  dataOf(await florin.post('/api/user/modify', { id: bob.id, userType: 'MERCHANT_USER' }, admin));
  expect([await mailOf(enabled, ann.id), await mailOf(removed, ann.id)]).toEqual([undefined, undefined]);
  expect([await mailOf(kept, ann.id), await mailOf(kept, bob.id)]).toEqual([expect.anything(), undefined]);
});

/** The mail to a user about an endpoint that was disabled at `nowMs`. */
function mailOf(endpointId: number, userId: number) {
  const queued = { tenant_id: 0, id: '', tries: 0, kind: 'WEBHOOK_DISABLED', user_id: userId } as const;
  const created_at = new Date(nowMs).toISOString();
  const deps = { database: db.database, publicUrl: 'https://pay.example', clock: () => nowMs };
  return disabledEndpointMail({ ...queued, record_id: endpointId, created_at }, deps);
}
