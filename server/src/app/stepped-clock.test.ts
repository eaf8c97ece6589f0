import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { dayMs } from '../core/clock.ts';
import { administratorOf, dataOf, makeChannel, makePayment } from '../testing/cast.ts';
import { databaseFromTemplate, eventually, settableClock, type TestDatabase } from '../testing/database.ts';
import { florinOn, type TestFlorin } from '../testing/florin.ts';
import { type Receiver, startReceiver } from '../testing/receiver.ts';

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
  // A session ends after a day, as it should; a key does not.
  as = `ApiKey ${dataOf(await florin.post('/api/developer/mine/generate', { scope: '*' }, admin)).sk}`;
  channelId = await makeChannel(florin, as, { provider: 'sandbox' });
  receiver = await startReceiver(200);
  const hook = { url: receiver.url, events: ['transaction.*'], secret: 's' };
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

/** This machine's clock, of which the service alone is told another time. */
function setOwnClock(byMs: number): void {
  vi.restoreAllMocks();
  const truly = Date.now;
  vi.spyOn(Date, 'now').mockImplementation(() => truly.call(Date) + byMs);
}

const toldOf = (id: string) =>
  receiver.received.map(({ body }) => JSON.parse(String(body))).filter(({ data }) => data.object.id === id);

/** Payments made now go all their way at once, and their webhooks with them, each once. */
async function goesOn(): Promise<void> {
  const ids = await Promise.all(Array.from({ length: 5 }, () => makePayment(florin, as, channelId)));
  for (const id of ids) {
    await eventually('its webhooks', () => toldOf(id).some(({ type }) => type === 'transaction.succeeded'));
  }
  for (const id of ids) {
    await eventually('all three', () => toldOf(id).length >= 3);
    expect(
      toldOf(id)
        .map(({ type }) => type)
        .toSorted(),
    ).toEqual(['transaction.created', 'transaction.processing', 'transaction.succeeded']);
  }
}

test('payments, their processing and their webhooks go on while the clock of this machine is set a day back and ahead', async () => {
  await goesOn();
  for (const byMs of [-dayMs, dayMs, 0]) {
    setOwnClock(byMs);
    await goesOn();
  }
});

test('so they do while the clock of the database is set, and with it that of this machine', async () => {
  await goesOn();
  for (const byMs of [-dayMs, dayMs, 0, -dayMs]) {
    await setDatabaseClock(byMs);
    setOwnClock(byMs);
    await goesOn();
  }
  await setDatabaseClock(0);
});

test('so they do while the clock of the database alone is set', async () => {
  for (const byMs of [dayMs, 0]) {
    await setDatabaseClock(byMs);
    await goesOn();
  }
});
