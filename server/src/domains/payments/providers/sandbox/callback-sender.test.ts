import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  call,
  cancelOf,
  chargeOf,
  credentials,
  sandboxDelayMs,
  sandboxOn,
} from '../../../../../tests/support/payments/sandbox.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { secondMs } from '../../../../core/clock.ts';
import { callbackIntervalMs } from './behaviours.ts';

let db: TestDatabase;
const nodes: ReturnType<typeof sandboxOn>[] = [];

beforeAll(async () => {
  db = await databaseFromTemplate();
});

beforeEach(() => db.query('delete from sandbox_operation'));

afterEach(async () => {
  for (const { sender } of nodes.splice(0)) await sender.stop();
});

afterAll(() => db.drop());

function nodeAt(startMs?: number, delayMs?: number) {
  const node = sandboxOn(db, startMs, delayMs);
  nodes.push(node);
  return node;
}

const chargeWith = (word: string) => chargeOf({ metadata: { sandbox: word } });

interface CallbackState {
  callback_step: number;
  callback_tries: number;
  callback_due_at: string | null;
  callback_trouble: string | null;
}

async function callbackStateOf(key: string): Promise<CallbackState> {
  const [row] = await db.query<CallbackState>(
    'select callback_step, callback_tries, callback_due_at, callback_trouble from sandbox_operation where key = $1',
    [key],
  );
  return row as CallbackState;
}

const allSent = (key: string) =>
  eventually('all callbacks are sent', async () => {
    const state = await callbackStateOf(key);
    return state.callback_due_at === null && state;
  });

test('a callback is sent when it is due, signed and to its channel', async () => {
  const node = nodeAt();
  const charge = chargeWith('late');
  await node.sandbox.charge(charge, call({ channelId: 42 }));
  node.sender.start();
  node.moveBy(sandboxDelayMs - 1);
  await eventually('a poll for due callbacks', () => node.statements.includes('sandbox.claim_callbacks'));
  expect(node.delivered).toEqual([]);
  node.moveBy(1);
  await allSent(charge.key);
  const [{ channelId, headers, body } = { channelId: 0, headers: {}, body: Buffer.of() }] = node.delivered;
  expect(channelId).toBe(42);
  const callback = await node.sandbox.readCallback({ headers, query: {}, body, receivedMs: 0 }, credentials);
  expect(callback).toMatchObject({ notice: { key: charge.key, outcome: { kind: 'succeeded' } } });
});

test('a shorter app.sandbox.delay holds for the first callback, the next ones and the result', async () => {
  const node = nodeAt(undefined, 200);
  const charge = chargeWith('callback:twice');
  await node.sandbox.charge(charge, call());
  node.moveBy(199);
  expect(await node.sandbox.lookUp(charge, call())).toMatchObject({ kind: 'pending' });
  node.sender.start();
  for (const count of [1, 2]) {
    node.moveBy(count === 1 ? 1 : 200);
    await eventually(`callback ${count} is sent`, () => node.delivered.length === count);
    await eventually('that is recorded', async () => (await callbackStateOf(charge.key)).callback_step === count);
  }
  expect(await node.sandbox.lookUp(charge, call())).toMatchObject({ kind: 'succeeded' });
});

test('due callbacks survive a restart and are sent by any node', async () => {
  const dead = nodeAt();
  const charge = chargeWith('callback:twice');
  await dead.sandbox.charge(charge, call());
  await dead.sender.stop();
  const node = nodeAt(dead.now() + sandboxDelayMs);
  node.sender.start();
  await eventually('the first', () => node.delivered.length === 1);
  await eventually('its record', async () => (await callbackStateOf(charge.key)).callback_step === 1);
  node.moveBy(callbackIntervalMs);
  await allSent(charge.key);
  expect(node.delivered).toHaveLength(2);
  expect(node.delivered[1]).toEqual(node.delivered[0]);
});

test('after a crash between sending and recording, the same callback is sent again', async () => {
  const dying = nodeAt();
  const charge = chargeWith('late');
  await dying.sandbox.charge(charge, call());
  let finish: (() => void) | undefined;
  dying.accept = () => new Promise((resolve) => (finish = resolve));
  dying.moveBy(sandboxDelayMs);
  dying.sender.start();
  await eventually('the callback is in flight', () => finish !== undefined);
  const successor = nodeAt(dying.now() + 61 * secondMs);
  successor.sender.start();
  await allSent(charge.key);
  finish?.();
  await eventually('it arrives late', () => dying.delivered.length === 1);
  await dying.sender.stop();
  expect(successor.delivered).toEqual(dying.delivered);
  // The lease fences off the late record of the first sender.
  expect(await callbackStateOf(charge.key)).toMatchObject({ callback_step: 1, callback_due_at: null });
});

test('a charge whose success was sent cannot be cancelled, even by a node whose clock is behind', async () => {
  const node = nodeAt();
  const behind = nodeAt(node.now());
  const charge = chargeWith('late');
  await node.sandbox.charge(charge, call());
  node.moveBy(sandboxDelayMs);
  node.sender.start();
  await allSent(charge.key);
  expect(await behind.sandbox.cancel(cancelOf(charge), call())).toMatchObject({
    kind: 'failed',
    failure: { providerCode: 'too_late' },
  });
  expect(await behind.sandbox.lookUp(charge, call())).toMatchObject({ kind: 'succeeded' });
});

test('two nodes send each callback once', async () => {
  const [one, two] = [nodeAt(), nodeAt()];
  const charges = Array.from({ length: 100 }, () => chargeWith('late'));
  await Promise.all(charges.map((charge) => one.sandbox.charge(charge, call())));
  for (const node of [one, two]) {
    node.moveBy(sandboxDelayMs);
    node.sender.start();
  }
  for (const { key } of charges) await allSent(key);
  const bodies = [...one.delivered, ...two.delivered].map(({ body }) => body.toString());
  expect(bodies).toHaveLength(100);
  expect(new Set(bodies).size).toBe(100);
});

test('a callback that is not accepted is retried with growing delays, before the next one is sent', async () => {
  const node = nodeAt();
  const charge = chargeWith('callback:contradiction');
  await node.sandbox.charge(charge, call());
  node.accept = () => Promise.reject(new Error('not now'));
  node.moveBy(sandboxDelayMs);
  node.sender.start();
  for (const [tries, waitMs] of [
    [1, secondMs],
    [2, 2 * secondMs],
    [3, 4 * secondMs],
  ] as const) {
    await eventually(`try ${tries}`, async () => (await callbackStateOf(charge.key)).callback_tries === tries);
    expect(Date.parse((await callbackStateOf(charge.key)).callback_due_at ?? '')).toBe(node.now() + waitMs);
    node.moveBy(waitMs);
  }
  await eventually('the fourth try', async () => (await callbackStateOf(charge.key)).callback_tries === 4);
  expect(await callbackStateOf(charge.key)).toMatchObject({ callback_step: 0 });
  node.accept = async () => {};
  node.moveBy(8 * secondMs);
  await eventually('the first is accepted', async () => (await callbackStateOf(charge.key)).callback_step === 1);
  node.moveBy(callbackIntervalMs);
  await allSent(charge.key);
  expect(node.delivered.map(({ body }) => JSON.parse(body.toString()).state)).toEqual(['SUCCEEDED', 'FAILED']);
});

test('a callback that is never accepted is given up and reported; a look-up still finds the result', async () => {
  const node = nodeAt();
  const charge = chargeWith('late');
  await node.sandbox.charge(charge, call());
  const refused = new Error('never');
  node.accept = () => Promise.reject(refused);
  node.moveBy(sandboxDelayMs);
  node.sender.start();
  for (let tries = 1; tries <= 7; tries++) {
    await eventually(`try ${tries}`, async () => (await callbackStateOf(charge.key)).callback_tries === tries);
    node.moveBy(2 ** tries * secondMs);
  }
  expect(await allSent(charge.key)).toMatchObject({ callback_tries: 8, callback_trouble: 'given_up' });
  expect(node.errors).toEqual([refused]);
  expect(await node.sandbox.lookUp(charge, call())).toMatchObject({ kind: 'succeeded' });
});

test.each(['late', 'callback:twice', 'payer'])(
  '%s without a webhookSecret: no callback is sent, and a look-up finds the result',
  async (word) => {
    const node = nodeAt();
    const charge = chargeWith(word);
    for (const webhookSecret of [null, '']) {
      await node.sandbox.charge(charge, call({ credentials: { ...credentials, webhookSecret } }));
    }
    expect(await callbackStateOf(charge.key)).toMatchObject({ callback_due_at: null, callback_trouble: 'no_secret' });
    node.moveBy(sandboxDelayMs);
    if (word === 'payer') await node.sandbox.decide(charge.key, 'pay');
    expect(await callbackStateOf(charge.key)).toMatchObject({ callback_due_at: null });
    expect(await node.sandbox.lookUp(charge, call())).toMatchObject({ kind: 'succeeded' });
  },
);

test.each([
  ['pay', 'succeeded'],
  ['fail', 'failed'],
  ['cancel', 'cancelled'],
] as const)("the callback of the payer's choice is sent at once: %s", async (decision, kind) => {
  const node = nodeAt();
  node.sender.start();
  const charge = chargeWith('payer');
  await node.sandbox.charge(charge, call());
  await node.sandbox.decide(charge.key, decision);
  node.sender.wake(); // As the topic of the statement does in a node.
  await allSent(charge.key);
  const [{ headers, body } = { headers: {}, body: Buffer.of() }] = node.delivered;
  const callback = await node.sandbox.readCallback({ headers, query: {}, body, receivedMs: 0 }, credentials);
  expect(callback.notice?.outcome?.kind).toBe(kind);
  expect(node.delivered).toHaveLength(1);
});

test('an immediate success has no callbacks, and no record contains the secret', async () => {
  const node = nodeAt();
  await node.sandbox.charge(chargeOf(), call());
  for (const word of ['late', 'payer', 'callback:disorder']) await node.sandbox.charge(chargeWith(word), call());
  const rows = await db.query<{ row: string }>('select o::text as row from sandbox_operation o');
  expect(rows).toHaveLength(4);
  expect(rows.filter(({ row }) => row.includes(credentials.webhookSecret as string))).toEqual([]);
  const [plain] = await db.query(
    'select callbacks, callback_due_at, callback_trouble from sandbox_operation where behaviour is null',
  );
  expect(plain).toEqual({ callbacks: null, callback_due_at: null, callback_trouble: null });
});

test('stopping waits for callbacks in flight', async () => {
  const node = nodeAt();
  const charge = chargeWith('late');
  await node.sandbox.charge(charge, call());
  let finish: (() => void) | undefined;
  node.accept = () => new Promise((resolve) => (finish = resolve));
  node.moveBy(sandboxDelayMs);
  node.sender.start();
  await eventually('the callback is in flight', () => finish !== undefined);
  const stopping = node.sender.stop();
  finish?.();
  await stopping;
  expect(await callbackStateOf(charge.key)).toMatchObject({ callback_step: 1, callback_due_at: null });
});
