import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { brokenClaims } from '../../../../../tests/support/broken-claims.ts';
import { administratorOf, dataOf, makeChannel, makePayment } from '../../../../../tests/support/factories.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../../../../tests/support/service/florin.ts';

/** Files of evidence over HTTP. The sandbox takes PDFs of at most 50 pages, PNG and JPEG, of at most 4 MB. */
let db: TestDatabase;
let florin: TestFlorin;
let as: string;
let disputeId: string;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db);
  as = await administratorOf(florin);
  const channelId = await makeChannel(florin, as, { provider: 'sandbox', webhookSecret: 'a secret between two' });
  const id = await makePayment(florin, as, channelId, { amount: 1000, metadata: { sandbox: 'dispute' } });
  disputeId = await eventually('it is disputed', async () => {
    const [dispute] = dataOf(await florin.get(`/api/dispute/list?transactionId=${id}`, as));
    return dispute?.id;
  });
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

beforeEach(async () => {
  dataOf(await florin.post('/api/dispute/evidence', { id: disputeId, evidence: { receipt: null } }, as));
});

// Runs before the one above.
afterAll(async () => {
  expect(await brokenClaims(db.database)).toEqual([]);
});

/** A picture of so many bytes. */
function png(bytes: number): Buffer {
  const head = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([head, randomBytes(bytes - 16), Buffer.from('IEND'), Buffer.alloc(4)]);
}

async function send(content: Buffer, { name = 'receipt', key = '' } = {}) {
  const response = await fetch(`${florin.address}/api/dispute/file?id=${disputeId}&name=${name}`, {
    method: 'POST',
    headers: { authorization: as, 'content-type': 'image/png', ...(key !== '' && { 'idempotency-key': key }) },
    body: new Uint8Array(content),
  });
  const { status, headers } = response;
  const body = (await response.json()) as { data: { id: string }; error?: { type: string } };
  return { status, body, replayed: headers.get('idempotency-replayed') };
}

const refused = { status: 400, body: { error: { type: 'file_not_accepted' } } };
const draft = async () => dataOf(await florin.get(`/api/dispute/detail?id=${disputeId}`, as)).evidence.files;
const bodies = async () => (await db.query('select id from raw_body')).length;

describe('a file of evidence', () => {
  test('of several parts is in the draft, and takes the place of the former one', async () => {
    const [first, second] = [png(700_000), png(300_000)];
    expect((await send(first)).status).toBe(200);
    const { data } = (await send(second)).body;
    expect(await draft()).toEqual([data]);
    expect(data).toMatchObject({ name: 'receipt', type: 'image/png', bytes: 300_000 });
    expect(await bodies()).toBe(1);
  });

  test('is taken once under its Idempotency-Key, whose body is its digest', async () => {
    const content = png(1_000);
    const once = await send(content, { key: 'file-1' });
    const again = await send(content, { key: 'file-1' });
    expect(again.body.data).toEqual(once.body.data);
    expect([once.replayed, again.replayed]).toEqual([null, 'true']);
    expect((await send(png(1_000), { key: 'file-1' })).body.error?.type).toBe('idempotency_mismatch');
    expect(await bodies()).toBe(1);
  });

  test.each([
    ['is larger than the provider takes', png(4_000_001)],
    ['is larger than the setting allows', png(10_000_001)],
    ['is not what its type says', Buffer.from('%PNG')],
    ['is cut off', png(1_000).subarray(0, 900)],
    ['is empty', Buffer.alloc(0)],
    ['has too many pages', Buffer.from(`%PDF-1.4\n${'<</Type/Page>>\n'.repeat(51)}%%EOF`)],
    ['is encrypted', Buffer.from('%PDF-1.4\n<</Type/Page>><</Encrypt 1 0 R>>%%EOF')],
  ])('that %s is refused, and nothing of it stays', async (_, content) => {
    expect(await send(content)).toMatchObject(refused);
    expect(await draft()).toEqual([]);
    expect(await bodies()).toBe(0);
  });

  test('that nobody asked for is refused', async () => {
    expect((await send(png(100), { name: 'other' })).status).toBe(400);
    expect(await bodies()).toBe(0);
  });

  test('whose client leaves while it sends it leaves nothing behind', async () => {
    const { hostname, port } = new URL(florin.address);
    const socket = connect(Number(port), hostname);
    const path = `/api/dispute/file?id=${disputeId}&name=receipt`;
    socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${as}\r\nContent-Length: 900000\r\n\r\n`);
    socket.write(png(600_000));
    await eventually('parts are stored', async () => (await db.query('select 1 from raw_body_part')).length >= 2);
    socket.destroy();
    await eventually('nothing is left', async () => (await bodies()) === 0);
    expect((await send(png(1_000))).status).toBe(200);
  });
});
