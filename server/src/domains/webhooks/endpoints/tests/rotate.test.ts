import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  administratorOf,
  dataOf,
  makeChannel,
  makeMember,
  makePayment,
  makeTenant,
} from '../../../../../tests/support/factories.ts';
import {
  databaseFromTemplate,
  eventually,
  settableClock,
  type TestDatabase,
} from '../../../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../../../../tests/support/service/florin.ts';
import { aRefusal } from '../../../../../tests/support/shapes.ts';
import { type Received, type Receiver, startReceiver } from '../../../../../tests/support/webhooks/receiver.ts';
import { hourMs } from '../../../../core/clock.ts';

const present = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const next = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';

/** How far the clocks of the service and its database are ahead of the system clock. Never decreases. */
let movedMs = 0;
/**
 * A delivery is due at the database's time at the latest: it would be looked for in vain by a service whose clock is
 * ahead.
 */
let moveDatabase: (byMs: number) => Promise<void>;
const now = () => Date.now() + movedMs;
let db: TestDatabase;
let florin: TestFlorin;
let receiver: Receiver;
let as: string;
let channelId: number;
let id: number;

beforeAll(async () => {
  db = await databaseFromTemplate();
  moveDatabase = await settableClock(db);
  florin = await florinOn(db, {}, now);
  receiver = await startReceiver();
  const admin = await administratorOf(florin);
  const tenantId = await makeTenant(florin, admin);
  ({ as } = await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId }));
  channelId = await makeChannel(florin, as);
});

afterAll(async () => {
  await florin.stop();
  await receiver.close();
  await db.drop();
});

beforeEach(async () => {
  const hook = { url: receiver.url, events: ['*'], secret: present };
  ({ id } = dataOf(await florin.post('/api/webhook/register', hook, as)));
  receiver.received.length = 0;
});

afterEach(async () => {
  dataOf(await florin.post('/api/webhook/remove', { id }, as));
});

const rotate = (input: object) => florin.post('/api/webhook/rotate', { id, ...input }, as);
const arrived = (count: number) =>
  eventually(`${count} deliveries arrive`, () => receiver.received.length >= count && [...receiver.received]);

/** The secrets that verify a delivery, for each of the two headers. */
function verifiesWith({ headers, body }: Received) {
  const byService = (secret: string) =>
    headers['x-service-signature'] === createHmac('sha256', secret).update(body).digest('hex');
  const byStandard = (secret: string) => {
    // The library compares the timestamp with the system clock, from which the clock of these tests differs.
    const moved = Number(headers['webhook-timestamp']) * 1000 - Date.now() > hourMs / 2;
    if (moved)
      return headers['webhook-signature']
        ?.toString()
        .split(' ')
        .includes(standardBy(secret, headers, body));
    try {
      new Webhook(secret).verify(body.toString(), headers as Record<string, string>);
      return true;
    } catch {
      return false;
    }
  };
  return {
    service: [byService(present), byService(next)],
    standard: [byStandard(present), byStandard(next)],
  };
}

function standardBy(secret: string, headers: Received['headers'], body: Buffer): string {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const hmac = createHmac('sha256', key).update(`${headers['webhook-id']}.${headers['webhook-timestamp']}.`);
  return `v1,${hmac.update(body).digest('base64')}`;
}

async function delivered(): Promise<ReturnType<typeof verifiesWith>> {
  const before = receiver.received.length;
  await makePayment(florin, as, channelId);
  return verifiesWith((await arrived(before + 1)).at(-1) as Received);
}

test('while staged, both secrets verify; once promoted, only the new one', async () => {
  expect(await delivered()).toEqual({ service: [true, false], standard: [true, false] });
  expect(dataOf(await rotate({ secret: next }))).toMatchObject({ id, nextSecret: true, promoteAt: null });
  expect(await delivered()).toEqual({ service: [true, false], standard: [true, true] });
  expect(dataOf(await rotate({ promote: true }))).toMatchObject({ id, nextSecret: false });
  expect(await delivered()).toEqual({ service: [false, true], standard: [false, true] });
});

test('the staged secret is promoted at the scheduled time, and the old one is deleted', async () => {
  const promoteAt = new Date(now() + hourMs).toISOString();
  expect(dataOf(await rotate({ secret: next, promoteAt }))).toMatchObject({ nextSecret: true, promoteAt });
  expect(await delivered()).toEqual({ service: [true, false], standard: [true, true] });
  movedMs += 2 * hourMs;
  await moveDatabase(movedMs);
  expect(await delivered()).toEqual({ service: [false, true], standard: [false, true] });
  const [listed] = dataOf(await florin.get('/api/webhook/list', as));
  expect(listed).toMatchObject({ nextSecret: false, promoteAt: null });
  // The next rotation starts from the promoted secret.
  dataOf(await rotate({ secret: present }));
  expect(await delivered()).toEqual({ service: [false, true], standard: [true, true] });
});

test('an endpoint of an earlier release goes on signing with its key until its secret is changed', async () => {
  const old = 'whsec_unpaddedSecret';
  dataOf(await rotate({ secret: old }));
  dataOf(await rotate({ promote: true }));
  // As the migration leaves the endpoints of earlier releases.
  await db.query('update webhook_endpoint set secret_is_legacy = true where id = $1', [id]);
  dataOf(await florin.post('/api/webhook/modify', { id, events: ['transaction.*'] }, as));
  const signedBy = async () => {
    const before = receiver.received.length;
    await makePayment(florin, as, channelId);
    const { headers, body } = (await arrived(before + 1)).at(-1) as Received;
    const bytes = createHmac('sha256', old).update(`${headers['webhook-id']}.${headers['webhook-timestamp']}.`);
    const given = headers['webhook-signature']?.toString().split(' ') ?? [];
    return {
      bytes: given.includes(`v1,${bytes.update(body).digest('base64')}`),
      decoded: given.includes(standardBy(old, headers, body)),
    };
  };
  expect(await signedBy()).toEqual({ bytes: true, decoded: false });
  dataOf(await rotate({ secret: old }));
  expect(await signedBy()).toEqual({ bytes: true, decoded: true });
  dataOf(await rotate({ promote: true }));
  expect(await signedBy()).toEqual({ bytes: false, decoded: true });
});

test('under load, every delivery verifies with one of the secrets, by either header', async () => {
  let paying = true;
  let paid = 0;
  const payers = Array.from({ length: 4 }, async () => {
    for (; paying; paid++) await makePayment(florin, as, channelId);
  });
  await arrived(20);
  dataOf(await rotate({ secret: next }));
  const staged = receiver.received.length;
  await arrived(staged + 20);
  // From here on the receiver knows both secrets.
  dataOf(await rotate({ promote: true }));
  await arrived(receiver.received.length + 20);
  paying = false;
  await Promise.all(payers);
  // All of them: a late one would be taken for a delivery of the next test.
  await arrived(paid);
  const verdicts = receiver.received.map(verifiesWith);
  expect(verdicts.filter(({ service, standard }) => !service.some(Boolean) || !standard.some(Boolean))).toEqual([]);
  const standardHeaders = receiver.received.map(({ headers }) => headers['webhook-signature']?.toString() ?? '');
  expect(standardHeaders.some((header) => header.split(' ').length === 2)).toBe(true);
});

test('staging another secret replaces the staged one, and no secret is shown', async () => {
  dataOf(await rotate({ secret: 'not this one of them' }));
  const { body } = await rotate({ secret: next });
  expect(JSON.stringify(body)).not.toContain(next.slice(6));
  expect(await delivered()).toEqual({ service: [true, false], standard: [true, true] });
  const [row] = await db.query('select secret_sealed, next_secret_sealed from webhook_endpoint where id = $1', [id]);
  for (const sealed of Object.values(row as Record<string, Buffer>)) {
    expect(sealed.includes(Buffer.from(next))).toBe(false);
    expect(sealed.includes(Buffer.from(present))).toBe(false);
  }
});

test.each([
  [{}, 'secret'],
  [{ secret: '' }, 'secret'],
  [{ secret: 'seventeen letters ü' }, 'secret'],
  [{ promote: false }, 'promote'],
  [{ promote: true, secret: next }, 'promote'],
  [{ secret: next, promoteAt: '2020-01-01T00:00:00Z' }, 'promoteAt'],
  [{ secret: next, promoteAt: '9999-12-31T23:59:59Z' }, 'promoteAt'],
  [{ secret: next, promoteAt: 'tomorrow' }, 'promoteAt'],
])('refuses %j', async (wrong, field) => {
  const { status, body } = await rotate(wrong);
  expect({ status, body }).toEqual({ status: 400, body: aRefusal(400, { type: 'invalid_request', field }) });
});

test('promoting without a staged secret is refused', async () => {
  const promoteAt = new Date(now() + hourMs).toISOString();
  for (const input of [{ promote: true }, { promoteAt }]) {
    const { status, body } = await rotate(input);
    expect({ status, body }).toEqual({
      status: 409,
      body: aRefusal(409, { type: 'no_secret_staged', field: 'promote' }),
    });
  }
});
