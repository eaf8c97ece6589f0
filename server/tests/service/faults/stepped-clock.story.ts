import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { dayMs } from '../../../src/core/clock.ts';
import { administratorOf, dataOf, makeChannel, makePayment } from '../../support/factories.ts';
import { databaseFromTemplate, eventually, settableClock, type TestDatabase } from '../../support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../support/service/florin.ts';
import { changedPosts } from '../../support/service/nodes.ts';
import { type Receiver, startReceiver } from '../../support/webhooks/receiver.ts';

let db: TestDatabase;
let setDatabaseClock: (byMs: number) => Promise<void>;
let florin: TestFlorin;
let receiver: Receiver;
let as: string;
let channelId: number;

beforeAll(async () => {
  db = await databaseFromTemplate();
  setDatabaseClock = await settableClock(db);
  florin = await florinOn(db);
  const admin = await administratorOf(florin);
  // A session expires after a day; an API key does not.
  as = `ApiKey ${dataOf(await florin.post('/api/developer/mine/generate', { scope: '*', livemode: false }, admin)).sk}`;
  channelId = await makeChannel(florin, as, { provider: 'sandbox' });
  receiver = await startReceiver(200);
  const hook = { url: receiver.url, events: ['transaction.*'], secret: 'a secret of tests' };
  dataOf(await florin.post('/api/webhook/register', hook, as));
});

afterAll(async () => {
  await florin.stop();
  await receiver.close();
  await db.drop();
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** Sets the clock of this process, as the service reads it. */
function setOwnClock(byMs: number): void {
  vi.restoreAllMocks();
  const real = Date.now;
  vi.spyOn(Date, 'now').mockImplementation(() => real.call(Date) + byMs);
}

/** The events of a payment that have arrived, each once: a post in flight while a clock is set may be repeated. */
function eventsOf(id: string): { type: string }[] {
  const bodies = new Map(receiver.received.map(({ headers, body }) => [headers['webhook-id'], String(body)]));
  return [...bodies.values()].map((body) => JSON.parse(body)).filter(({ data }) => data.object.id === id);
}

/** New payments are processed at once, each of their webhooks arrives, and none twice under another id. */
async function requireProgress(): Promise<void> {
  const ids = await Promise.all(Array.from({ length: 5 }, () => makePayment(florin, as, channelId)));
  for (const id of ids) {
    await eventually('its webhooks', () => eventsOf(id).some(({ type }) => type === 'transaction.succeeded'));
  }
  for (const id of ids) {
    await eventually('all three', () => eventsOf(id).length >= 3);
    expect(
      eventsOf(id)
        .map(({ type }) => type)
        .toSorted(),
    ).toEqual(['transaction.created', 'transaction.processing', 'transaction.succeeded']);
  }
  expect(changedPosts(receiver.received)).toEqual([]);
}

test('payments and webhooks continue while the clock of this machine is set a day back and a day ahead', async () => {
  await requireProgress();
  for (const byMs of [-dayMs, dayMs, 0]) {
    setOwnClock(byMs);
    await requireProgress();
  }
});

test('payments and webhooks continue while the clocks of the database and of this machine are set', async () => {
  await requireProgress();
  for (const byMs of [-dayMs, dayMs, 0, -dayMs]) {
    await setDatabaseClock(byMs);
    setOwnClock(byMs);
    await requireProgress();
  }
  await setDatabaseClock(0);
});

test('payments and webhooks continue while only the clock of the database is set', async () => {
  for (const byMs of [dayMs, 0]) {
    await setDatabaseClock(byMs);
    await requireProgress();
  }
});
