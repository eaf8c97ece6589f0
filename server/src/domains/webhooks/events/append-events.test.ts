import { afterAll, beforeAll, expect, test } from 'vitest';
import { administratorOf, dataOf, makeChannel, makePayment } from '../../../../tests/support/factories.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../../../tests/support/service/florin.ts';
import { type Receiver, startReceiver } from '../../../../tests/support/webhooks/receiver.ts';

/** The database refuses changes of payments with the description `unlucky`, at the commit. */
let db: TestDatabase;
let florin: TestFlorin;
let receiver: Receiver;
let as: string;
let channelId: number;

beforeAll(async () => {
  db = await databaseFromTemplate();
  await db.query(
    `create function refuse_unlucky() returns trigger language plpgsql as $$
     begin
       if new.description = 'unlucky' and (tg_op = 'INSERT' or new.status = 'SUCCESS') then
         raise exception 'unlucky' using errcode = '23514';
       end if;
       return null;
     end $$`,
  );
  // Deferred: the payment, its event and its deliveries have been written, and then the commit fails.
  await db.query(
    `create constraint trigger refuse_unlucky after insert or update on transaction
     deferrable initially deferred for each row execute function refuse_unlucky()`,
  );
  florin = await florinOn(db);
  receiver = await startReceiver();
  as = await administratorOf(florin);
  channelId = await makeChannel(florin, as);
  const hook = { url: receiver.url, events: ['transaction.*'], secret: 'a secret of tests' };
  dataOf(await florin.post('/api/webhook/register', hook, as));
});

afterAll(async () => {
  await florin.stop();
  await receiver.close();
  await db.drop();
});

/** Type and record of each received delivery. */
const receivedEvents = () =>
  receiver.received.map(({ body }) => {
    const { type, data } = JSON.parse(String(body));
    return `${type} ${data.object.id}`;
  });

test('a payment whose commit fails leaves no rows; others of its batch are delivered once', async () => {
  const attempts = Array.from({ length: 40 }, (_, i) =>
    makePayment(florin, as, channelId, { description: i % 4 === 0 ? 'unlucky' : 'lucky' }),
  );
  const made = (await Promise.allSettled(attempts)).flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  expect(made).toHaveLength(30);
  await eventually('they are delivered', () => receiver.received.length >= made.length);
  // A delivery of a failed payment would have been due before this one.
  const last = await makePayment(florin, as, channelId);
  await eventually('the last one is delivered', () => receivedEvents().includes(`transaction.created ${last}`));
  expect(receivedEvents().toSorted()).toEqual([...made, last].map((id) => `transaction.created ${id}`).toSorted());
  expect(await db.query('select count(*)::int as count from transaction')).toEqual([{ count: 31 }]);
  expect(await db.query('select count(*)::int as count from event')).toEqual([{ count: 31 }]);
  expect(await db.query('select count(*)::int as count from delivery')).toEqual([{ count: 31 }]);
});

test('a change whose commit fails is not delivered; the change that succeeds later is delivered once', async () => {
  const id = await makePayment(florin, as, channelId);
  await eventually('it is delivered', () => receivedEvents().includes(`transaction.created ${id}`));
  const update = (input: object) => florin.post('/api/transaction/update', { id, ...input }, as);
  expect((await update({ status: 'SUCCESS', description: 'unlucky' })).status).not.toBe(200);
  dataOf(await update({ status: 'SUCCESS' }));
  await eventually('the change is delivered', () => receivedEvents().includes(`transaction.succeeded ${id}`));
  expect(receivedEvents().filter((one) => one.endsWith(id))).toEqual([
    `transaction.created ${id}`,
    `transaction.succeeded ${id}`,
  ]);
});
