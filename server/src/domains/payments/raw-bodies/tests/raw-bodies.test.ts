import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { databaseFromTemplate, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { dayMs } from '../../../../core/clock.ts';
import { Refusal } from '../../../../core/errors.ts';
import { uuidGenerator } from '../../../../core/id.ts';
import { rule } from '../../../../core/refusal-rules.ts';
import { partBytes, RawBodies, type RawBody } from '../raw-bodies.ts';
import { sweepRawBodies } from '../sweep.ts';

let db: TestDatabase;
let bodies: RawBodies;
let nowMs: number;
/** As another node that uses the same database. */
let elsewhere: RawBodies;

beforeAll(async () => {
  db = await databaseFromTemplate();
});

afterAll(() => db.drop());

beforeEach(async () => {
  nowMs = Date.parse('2026-11-21T12:00:00Z');
  await db.query('delete from raw_body');
  const clock = () => nowMs;
  const flip = (bytes: Buffer, key: string) => Buffer.from(bytes.map((byte) => byte ^ (key.length & 0xff)));
  const deps = { database: db.database, clock, generateUuid: uuidGenerator(clock), seal: flip, openBytes: flip };
  bodies = new RawBodies(deps);
  elsewhere = new RawBodies(deps);
});

const tooLarge = (bytes: number) => new Refusal('body_too_large', rule('body_size', { limit: bytes }));

const receive = (stream: Readable, maximumBytes = 10_000_000, announcedBytes?: number): Promise<RawBody> =>
  bodies.receive(stream, { tenantId: 1, maximumBytes, announcedBytes, tooLarge });

const stored = async () => {
  const [row] = await db.query<{ bodies: number; parts: number }>(
    'select (select count(*)::int from raw_body) as bodies, (select count(*)::int from raw_body_part) as parts',
  );
  return row;
};

/** Chunks of random lengths. */
function* chunks(content: Buffer): Generator<Buffer> {
  for (let at = 0; at < content.length; ) {
    const length = 1 + Math.floor(Math.random() * 100_000);
    yield content.subarray(at, at + length);
    at += length;
  }
}

test.each([0, 1, partBytes - 1, partBytes, partBytes + 1, 1_500_000])(
  'a body of %i bytes is stored while it arrives, and any node reads it',
  async (length) => {
    const content = randomBytes(length);
    const body = await receive(Readable.from(chunks(content)));
    expect(body).toMatchObject({ bytes: length, sha256: createHash('sha256').update(content).digest('hex') });
    expect(await stored()).toEqual({ bodies: 1, parts: Math.ceil(length / partBytes) });
    expect((await elsewhere.readWhole(body)).equals(content)).toBe(true);
  },
);

test('the next part is not read before the last one is stored', async () => {
  let made = 0;
  const endless = Readable.from(
    (function* () {
      for (; made < 400; made++) yield Buffer.alloc(65_536, made);
    })(),
    { highWaterMark: 1 },
  );
  const most = { ahead: 0 };
  const inspect = async () => {
    const [row] = await db.query<{ parts: number }>('select count(*)::int as parts from raw_body_part');
    most.ahead = Math.max(most.ahead, made * 65_536 - (row?.parts ?? 0) * partBytes);
  };
  const checks: Promise<void>[] = [];
  const check = () => {
    checks.push(inspect());
  };
  const options = { tenantId: 1, maximumBytes: 100_000_000, tooLarge, inspect: check };
  await bodies.receive(endless, options);
  await Promise.all(checks);
  expect(most.ahead).toBeLessThanOrEqual(4 * partBytes);
});

test('a body that is too large is refused when that is known, and nothing of it stays', async () => {
  await expect(receive(Readable.from([Buffer.alloc(10)]), 5, 10)).rejects.toMatchObject({ type: 'body_too_large' });
  const large = Readable.from(chunks(Buffer.alloc(1_000_000)));
  await expect(receive(large, 600_000)).rejects.toMatchObject({ type: 'body_too_large' });
  expect(large.destroyed).toBe(false);
  expect(await stored()).toEqual({ bodies: 0, parts: 0 });
});

test('a body that breaks off is refused, and nothing of it stays', async () => {
  const broken = Readable.from(
    (function* () {
      yield Buffer.alloc(600_000);
      throw new Error('aborted');
    })(),
  );
  await expect(receive(broken)).rejects.toMatchObject({ type: 'invalid_request' });
  expect(await stored()).toEqual({ bodies: 0, parts: 0 });
});

test('a body that no record keeps is deleted after a day; one that is kept stays', async () => {
  const abandoned = await receive(Readable.from([Buffer.from('abandoned')]));
  const kept = await receive(Readable.from([Buffer.from('kept')]));
  await bodies.keep(db.database, kept);
  nowMs += dayMs - 1;
  expect(await sweepRawBodies(db.database, nowMs)).toBe(0);
  nowMs += 2;
  expect(await sweepRawBodies(db.database, nowMs)).toBe(1);
  await expect(bodies.keep(db.database, abandoned)).rejects.toThrow('never stored whole');
  expect((await elsewhere.readWhole(kept)).toString()).toBe('kept');
  await bodies.remove(db.database, kept);
  expect(await stored()).toEqual({ bodies: 0, parts: 0 });
});
