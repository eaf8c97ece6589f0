import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { firstUuidAt } from '../../../core/id.ts';
import type { Mail } from '../../../platform/mail/mailer.ts';
import { administratorOf, dataOf, makeChannel, makeMember, makePayment, makeTenant } from '../../../testing/cast.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../testing/database.ts';
import { florinOn, type TestFlorin } from '../../../testing/florin.ts';
import { type Receiver, startReceiver } from '../../../testing/receiver.ts';
import { DisabledNotice } from './disabled-notice.ts';

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

/** A tenant with two administrators, one who has left, and a cashier. */
async function staffed() {
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
  return { tenantId, as: ann.as, addresses: [ann, bob].map(({ userName }) => `${userName}@example.com`) };
}

const register = async (as: string, url = receiver.url): Promise<number> =>
  dataOf(await florin.post('/api/webhook/register', { url, events: ['*'], secret: 's' }, as)).id;

const mailsAbout = async (id: number) => {
  const folder = join(florin.dataDir, 'mail');
  const files = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.eml'));
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
  return texts.filter((text) => text.includes(`Webhook ${id} was switched off and`));
};

test('a receiver that is gone: every administrator of the tenant is told once, and can do as the mail says', async () => {
  const { as, addresses } = await staffed();
  const id = await register(as);
  const channelId = await makeChannel(florin, as);
  receiver.answering = 410;
  const refused = await Promise.all(Array.from({ length: 5 }, () => makePayment(florin, as, channelId)));
  const mails = await eventually('the mails are written', async () => {
    const found = await mailsAbout(id);
    return found.length >= addresses.length && found;
  });
  expect(mails.map((text) => /^To: (.*)$/m.exec(text)?.[1]).toSorted()).toEqual(addresses.toSorted());
  const [text = ''] = mails;
  expect(text).toContain(`Subject: Webhook ${id} was switched off`);
  expect(text).toContain(receiver.url);
  expect(text).toContain('410 Gone');

  // Neither what it refused nor what happens meanwhile is lost: the mail's own words bring it.
  const meanwhile = await makePayment(florin, as, channelId);
  await eventually('nothing is under way', async () => {
    const open = await db.query(`select from delivery where state = 'OPEN' and endpoint_id = $1`, [id]);
    return open.length === 0;
  });
  const before = receiver.received.length;
  receiver.answering = 200;
  const steps = [...text.matchAll(/POST \S+(\/api\/\S+)\n\s+(\{.*\})/g)].map(([, path, body]) => [path, body] as const);
  expect(steps.map(([path]) => path)).toEqual(['/api/webhook/modify', '/api/webhook/replay']);
  for (const [path, body] of steps) dataOf(await florin.call('POST', path as string, { as, body }));
  const arrived = () => receiver.received.slice(before).map(({ body }) => JSON.parse(String(body)).data.object.id);
  await eventually('all arrives that was missed, the one that was answered 410 as well', () =>
    [...refused, meanwhile].every((payment) => arrived().includes(payment)),
  );
  expect(await mailsAbout(id)).toHaveLength(addresses.length);
});

test('five days of failures: since when, how many wait, and how to go on', async () => {
  const { tenantId, addresses } = await staffed();
  const [row] = await db.query<{ id: number }>(
    `insert into webhook_endpoint
       (tenant_id, user_id, url, events, secret_sealed, state, first_failure_at, created_at)
     select $1, min(id), 'https://shop.example/florin', '{*}', '', false, '2026-01-26T08:00:00Z', '2026-01-01T00:00:00Z'
       from app_user
     returning id`,
    [tenantId],
  );
  const id = row?.id ?? 0;
  await db.query(
    `insert into delivery (tenant_id, id, event_id, endpoint_id, due_at, created_at, aside, lease, leased_until)
     select $1, gen_random_uuid(), $3::uuid, $2, now() + interval '1 day', now(), n < 3, lease, until
       from generate_series(1, 6) as n
       left join lateral (select gen_random_uuid() as lease, now() + interval '1 day' as until where n = 6) as sent on true`,
    [tenantId, id, firstUuidAt(Date.UTC(2026, 0, 30))],
  );
  const sent: Mail[] = [];
  const notice = noticeTo(sent);
  notice.tell({ tenantId, id, url: 'https://shop.example/florin' }, 'failing');
  await notice.settled();
  expect(sent.map(({ to }) => to)).toEqual(addresses);
  expect(sent[0]?.subject).toBe(`Webhook ${id} was switched off`);
  expect(sent[0]?.text).toBe(`Webhook ${id} was switched off and is sent nothing more:

https://shop.example/florin

Nothing has been delivered to it since 2026-01-26T08:00:00.000Z: every delivery failed, with all its tries, for five days.

5 deliveries are waiting for it, and are called off as they fall due. Events go on being kept: none is lost.

When the receiver works again, switch the webhook on,

  POST https://pay.example/api/webhook/modify
  {"id":${id},"state":true}

and have sent to it what did not arrive, and what happened meanwhile:

  POST https://pay.example/api/webhook/replay
  {"endpointId":${id},"since":"2026-01-26T06:00:00.000Z","states":["FAILED","CANCELLED","MISSING"]}`);
});

test('of an endpoint of the platform its administrators are told; a mail that fails keeps no other from being sent', async () => {
  const sent: Mail[] = [];
  const errors: unknown[] = [];
  await makeMember(florin, admin, { userType: 'PLATFORM_ADMIN' });
  const notice = noticeTo(sent, errors);
  notice.tell({ tenantId: 0, id: 987_654, url: 'https://shop.example/florin' }, 'gone');
  await notice.settled();
  const users = dataOf(await florin.get('/api/user/list?pageSize=100', admin)) as { userType: string }[];
  expect(sent).toHaveLength(users.filter(({ userType }) => userType === 'PLATFORM_ADMIN').length - 1);
  expect(errors).toHaveLength(1);
  expect(sent[0]?.text).toContain('No delivery is waiting for it.');
});

/** A notice whose first mail of each go is lost when errors are asked for. */
function noticeTo(sent: Mail[], errors?: unknown[]): DisabledNotice {
  let mails = 0;
  return new DisabledNotice({
    database: db.database,
    mailer: {
      send: async (mail) => {
        if (errors !== undefined && mails++ === 0) throw new Error('no such mailbox');
        sent.push(mail);
      },
    },
    publicUrl: 'https://pay.example',
    clock: () => nowMs,
    logError: (error) => errors?.push(error),
  });
}
