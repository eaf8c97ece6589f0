import { afterAll, beforeAll, expect, test } from 'vitest';
import { administratorOf, dataOf, makeChannel, makePaid } from '../../../../tests/support/factories.ts';
import { databaseFromTemplate, type TestDatabase } from '../../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../../../tests/support/service/florin.ts';
import { freshKeyring, parseKeyring } from '../../../platform/crypto/keyring.ts';
import { Sealer } from '../../../platform/crypto/seal.ts';
import { digestCheck } from './digest-check.ts';

const [older, newer] = [freshKeyring(), freshKeyring()];

let db: TestDatabase;
let florin: TestFlorin;
let admin: string;
let channelId: number;
let payment: string;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db, { APP_ENCRYPTION_KEYS: older });
  admin = await administratorOf(florin);
  channelId = await makeChannel(florin, admin);
  payment = await makePaid(florin, admin, channelId);
  dataOf(await florin.post('/api/refund/create', { transactionId: payment, amount: 5 }, admin));
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

const checked = (keys: string) => {
  const sealer = new Sealer(parseKeyring(keys));
  const checkKeys = { open: sealer.open.bind(sealer), has: sealer.has.bind(sealer) };
  return db.database.snapshot((snapshot) => digestCheck.check(snapshot, checkKeys, 11));
};
const withoutKey = `substring(sha256(convert_to(body, 'UTF8')) for 8)`;

test('every event has a digest under the key, written in a batch, in a transition, or alone', async () => {
  dataOf(
    await florin.post(
      '/api/webhook/register',
      { url: florin.address, events: ['*'], secret: 'a secret of tests' },
      admin,
    ),
  );
  const types = await db.query<{ type: string }>('select type from event order by type');
  expect(new Set(types.map(({ type }) => type))).toEqual(
    new Set([
      'refund.created',
      'refund.succeeded',
      'transaction.created',
      'transaction.refunded',
      'transaction.succeeded',
    ]),
  );
  expect(await checked(older)).toEqual({
    offenders: [],
    note: `${types.length} events, and 0 older ones without a key`,
    unchecked: 0,
  });
});

test('PostgreSQL never sees the key: it is neither in a table nor in a statement', async () => {
  const [row] = await db.query<{ text: string }>(`select encode(secret_sealed, 'escape') as text from event_key`);
  expect(row?.text).not.toMatch(/secret|sinceMs/);
});

test('a changed event is found, also with a digest as older releases made it', async () => {
  const event = payment.replace('txn_', 'evt_');
  const [before] = await db.query<{ body: string; digest: Buffer }>('select body, digest from event where id = $1', [
    payment.slice(4),
  ]);
  for (const digest of ['digest', withoutKey, 'null']) {
    await db.query(`update event set body = replace(body, '"version":1', '"version":2') where id = $1`, [
      payment.slice(4),
    ]);
    await db.query(`update event set digest = ${digest} where id = $1`, [payment.slice(4)]);
    expect((await checked(older)).offenders).toEqual([event]);
    await db.query('update event set body = $2, digest = $3 where id = $1', [
      payment.slice(4),
      before?.body,
      before?.digest,
    ]);
  }
  expect((await checked(older)).offenders).toEqual([]);
});

test('with a lost key nothing is claimed; a node goes on with a new key, and both are checked', async () => {
  const { unchecked, offenders } = await checked(newer);
  expect({ isUnchecked: unchecked > 0, offenders }).toEqual({ isUnchecked: true, offenders: [] });
  await florin.stop();
  florin = await florinOn(db, { APP_ENCRYPTION_KEYS: `${newer},${older.split(':')[0]}:lost` });
  admin = await administratorOf(florin);
  await makePaid(florin, admin, channelId);
  expect(await checked(newer)).toMatchObject({ offenders: [], unchecked });
  expect(await checked(`${newer},${older}`)).toMatchObject({ offenders: [], unchecked: 0 });
});
