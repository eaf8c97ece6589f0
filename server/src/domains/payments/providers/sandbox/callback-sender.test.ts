import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { secondMs } from '../../../../core/clock.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../testing/database.ts';
import { call, cancelOf, chargeOf, credentials, sandboxOn } from '../../../../testing/sandbox.ts';
import { callbackIntervalMs, lateMs } from './behaviours.ts';

let db: TestDatabase;
const nodes: ReturnType<typeof sandboxOn>[] = [];

beforeAll(async () => {
  db = await databaseFromTemplate();
});

beforeEach(() => db.query('delete from sandbox_operation'));

afterEach(async () => {
  for (const { sandbox } of nodes.splice(0)) await sandbox.stop();
});

afterAll(() => db.drop());

function nodeAt(startMs?: number) {
  const node = sandboxOn(db, startMs);
  nodes.push(node);
  return node;
}

const asking = (word: string) => chargeOf({ metadata: { sandbox: word } });

interface Owed {
  callback_step: number;
  callback_tries: number;
  callback_due_at: string | null;
  callback_trouble: string | null;
}

async function owedBy(key: string): Promise<Owed> {
  const [row] = await db.query<Owed>(
    'select callback_step, callback_tries, callback_due_at, callback_trouble from sandbox_operation where key = $1',
    [key],
  );
  return row as Owed;
}

const settled = (key: string) =>
  eventually('everything is told', async () => {
    const owed = await owedBy(key);
    return owed.callback_due_at === null && owed;
  });

test('nothing is sent before it is due; then it goes to its channel, signed', async () => {
  const node = nodeAt();
  const charge = asking('late');
  await node.sandbox.charge(charge, call({ channelId: 42 }));
  node.sandbox.start();
  node.moveBy(lateMs - 1);
  await eventually('a look for what is due', () => node.statements.includes('sandbox.claim_callbacks'));
  expect(node.delivered).toEqual([]);
  node.moveBy(1);
  await settled(charge.key);
  const [{ channelId, headers, body } = { channelId: 0, headers: {}, body: Buffer.of() }] = node.delivered;
  expect(channelId).toBe(42);
  const news = await node.sandbox.readCallback({ headers, query: {}, body, receivedMs: 0 }, credentials);
  expect(news).toMatchObject({ notice: { key: charge.key, outcome: { kind: 'succeeded' } } });
});

test('what is owed survives a restart, and is sent by whoever is there', async () => {
  const dead = nodeAt();
  const charge = asking('callback:twice');
  await dead.sandbox.charge(charge, call());
  await dead.sandbox.stop();
  const node = nodeAt(dead.now() + lateMs);
  node.sandbox.start();
  await eventually('the first', () => node.delivered.length === 1);
  await eventually('its record', async () => (await owedBy(charge.key)).callback_step === 1);
  node.moveBy(callbackIntervalMs);
  await settled(charge.key);
  expect(node.delivered).toHaveLength(2);
  expect(node.delivered[1]).toEqual(node.delivered[0]);
});

test('after a crash between the callback and its record the same one comes again', async () => {
  const dying = nodeAt();
  const charge = asking('late');
  await dying.sandbox.charge(charge, call());
  let finish: (() => void) | undefined;
  dying.accept = () => new Promise((resolve) => (finish = resolve));
  dying.moveBy(lateMs);
  dying.sandbox.start();
  await eventually('the callback is on its way', () => finish !== undefined);
  const successor = nodeAt(dying.now() + 61 * secondMs);
  successor.sandbox.start();
  await settled(charge.key);
  finish?.();
  await eventually('it arrives late', () => dying.delivered.length === 1);
  await dying.sandbox.stop();
  expect(successor.delivered).toEqual(dying.delivered);
  // The late record of the first sender does not count.
  expect(await owedBy(charge.key)).toMatchObject({ callback_step: 1, callback_due_at: null });
});

test('what a callback has told cannot be called off, not even by a node whose clock is behind', async () => {
  const node = nodeAt();
  const behind = nodeAt(node.now());
  const charge = asking('late');
  await node.sandbox.charge(charge, call());
  node.moveBy(lateMs);
  node.sandbox.start();
  await settled(charge.key);
  expect(await behind.sandbox.cancel(cancelOf(charge), call())).toMatchObject({
    kind: 'failed',
    failure: { providerCode: 'too_late' },
  });
  expect(await behind.sandbox.lookUp(charge, call())).toMatchObject({ kind: 'succeeded' });
});

test('two nodes send each callback once', async () => {
  const [one, two] = [nodeAt(), nodeAt()];
  const charges = Array.from({ length: 100 }, () => asking('late'));
  await Promise.all(charges.map((charge) => one.sandbox.charge(charge, call())));
  for (const node of [one, two]) {
    node.moveBy(lateMs);
    node.sandbox.start();
  }
  for (const { key } of charges) await settled(key);
  const bodies = [...one.delivered, ...two.delivered].map(({ body }) => body.toString());
  expect(bodies).toHaveLength(100);
  expect(new Set(bodies).size).toBe(100);
});

test('one that is not accepted comes again, ever later, before the next one', async () => {
  const node = nodeAt();
  const charge = asking('callback:contradiction');
  await node.sandbox.charge(charge, call());
  node.accept = () => Promise.reject(new Error('not now'));
  node.moveBy(lateMs);
  node.sandbox.start();
  for (const [tries, waitMs] of [
    [1, secondMs],
    [2, 2 * secondMs],
    [3, 4 * secondMs],
  ] as const) {
    await eventually(`try ${tries}`, async () => (await owedBy(charge.key)).callback_tries === tries);
    expect(Date.parse((await owedBy(charge.key)).callback_due_at ?? '')).toBe(node.now() + waitMs);
    node.moveBy(waitMs);
  }
  await eventually('the fourth try', async () => (await owedBy(charge.key)).callback_tries === 4);
  expect(await owedBy(charge.key)).toMatchObject({ callback_step: 0 });
  node.accept = async () => {};
  node.moveBy(8 * secondMs);
  await eventually('the first is accepted', async () => (await owedBy(charge.key)).callback_step === 1);
  node.moveBy(callbackIntervalMs);
  await settled(charge.key);
  expect(node.delivered.map(({ body }) => JSON.parse(body.toString()).state)).toEqual(['SUCCEEDED', 'FAILED']);
});

test('one that nobody accepts is given up and told; a look-up knows all the same', async () => {
  const node = nodeAt();
  const charge = asking('late');
  await node.sandbox.charge(charge, call());
  const refused = new Error('never');
  node.accept = () => Promise.reject(refused);
  node.moveBy(lateMs);
  node.sandbox.start();
  for (let tries = 1; tries <= 7; tries++) {
    await eventually(`try ${tries}`, async () => (await owedBy(charge.key)).callback_tries === tries);
    node.moveBy(2 ** tries * secondMs);
  }
  expect(await settled(charge.key)).toMatchObject({ callback_tries: 8, callback_trouble: 'given_up' });
  expect(node.troubles).toEqual([refused]);
  expect(await node.sandbox.lookUp(charge, call())).toMatchObject({ kind: 'succeeded' });
});

test.each(['late', 'callback:twice', 'payer'])(
  '%s without a webhookSecret: nothing is sent unsigned, and a look-up tells',
  async (word) => {
    const node = nodeAt();
    const charge = asking(word);
    for (const webhookSecret of [null, '']) {
      await node.sandbox.charge(charge, call({ credentials: { ...credentials, webhookSecret } }));
    }
    expect(await owedBy(charge.key)).toMatchObject({ callback_due_at: null, callback_trouble: 'no_secret' });
    node.moveBy(lateMs);
    if (word === 'payer') await node.sandbox.decide(charge.key, 'pay');
    expect(await owedBy(charge.key)).toMatchObject({ callback_due_at: null });
    expect(await node.sandbox.lookUp(charge, call())).toMatchObject({ kind: 'succeeded' });
  },
);

test.each([
  ['pay', 'succeeded'],
  ['fail', 'failed'],
  ['cancel', 'cancelled'],
] as const)("the payer's choice is told at once: %s", async (decision, kind) => {
  const node = nodeAt();
  node.sandbox.start();
  const charge = asking('payer');
  await node.sandbox.charge(charge, call());
  await node.sandbox.decide(charge.key, decision);
  await settled(charge.key);
  const [{ headers, body } = { headers: {}, body: Buffer.of() }] = node.delivered;
  const news = await node.sandbox.readCallback({ headers, query: {}, body, receivedMs: 0 }, credentials);
  expect(news.notice?.outcome?.kind).toBe(kind);
  expect(node.delivered).toHaveLength(1);
});

test('what succeeded at once owes nothing, and the secret is nowhere in the books', async () => {
  const node = nodeAt();
  await node.sandbox.charge(chargeOf(), call());
  for (const word of ['late', 'payer', 'callback:disorder']) await node.sandbox.charge(asking(word), call());
  const rows = await db.query<{ row: string }>('select o::text as row from sandbox_operation o');
  expect(rows).toHaveLength(4);
  expect(rows.filter(({ row }) => row.includes(credentials.webhookSecret as string))).toEqual([]);
  const [plain] = await db.query(
    'select callbacks, callback_due_at, callback_trouble from sandbox_operation where behaviour is null',
  );
  expect(plain).toEqual({ callbacks: null, callback_due_at: null, callback_trouble: null });
});

test('stopping waits for what is on its way', async () => {
  const node = nodeAt();
  const charge = asking('late');
  await node.sandbox.charge(charge, call());
  let finish: (() => void) | undefined;
  node.accept = () => new Promise((resolve) => (finish = resolve));
  node.moveBy(lateMs);
  node.sandbox.start();
  await eventually('the callback is on its way', () => finish !== undefined);
  const stopping = node.sandbox.stop();
  finish?.();
  await stopping;
  expect(await owedBy(charge.key)).toMatchObject({ callback_step: 1, callback_due_at: null });
});
