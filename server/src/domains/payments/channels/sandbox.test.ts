import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { freshKeyring } from '../../../platform/crypto/keyring.ts';
import { administratorOf, channelInput, dataOf, makeChannel, makePayment } from '../../../testing/cast.ts';
import { channelSecret, postCallback, sandboxReportOf } from '../../../testing/payments/callbacks.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../testing/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../../testing/service/florin.ts';
import { signedMessage } from '../providers/sandbox/messages.ts';

const keys = { APP_JWT_KEYS: freshKeyring(), APP_ENCRYPTION_KEYS: freshKeyring() };

let db: TestDatabase;
let florin: TestFlorin;
let admin: string;

const refusalOf = ({ status, body }: { status: number; body: { error?: { type: string; field?: string } } }) => ({
  status,
  type: body.error?.type,
  field: body.error?.field,
});
const modify = (input: Record<string, unknown>) => florin.post('/api/channel/modify', input, admin);
const providerOf = async (id: number) =>
  (await db.query<{ provider: string | null }>('select provider from channel where id = $1', [id]))[0]?.provider;

describe('a sandbox channel and a real one', () => {
  beforeAll(async () => {
    db = await databaseFromTemplate();
    florin = await florinOn(db, keys);
    admin = await administratorOf(florin);
  });

  afterAll(async () => {
    await florin.stop();
    await db.drop();
  });

  const mixed = { status: 409, type: 'fallback_mixes_sandbox' };

  test('cannot be each other’s fallback, neither at creation nor by update; channels of one kind can', async () => {
    const [sandbox, stripe, mollie] = [
      await makeChannel(florin, admin, { provider: 'sandbox' }),
      await makeChannel(florin, admin, { provider: 'stripe' }),
      await makeChannel(florin, admin, { provider: 'mollie' }),
    ];
    const field = 'fallbackChannelIds';
    for (const [provider, fallback] of [
      ['sandbox', stripe],
      ['stripe', sandbox],
    ] as const) {
      const input = channelInput({ provider, fallbackChannelIds: [fallback] });
      expect(refusalOf(await modify(input))).toEqual({ ...mixed, field });
      expect(await db.query('select from channel where code = $1', [input.code])).toEqual([]);
    }
    for (const [id, fallback] of [
      [sandbox, stripe],
      [stripe, sandbox],
    ] as const) {
      const input = channelInput({ id, fallbackChannelIds: [mollie, fallback].filter((one) => one !== id) });
      expect(refusalOf(await modify(input))).toEqual({ ...mixed, field });
    }
    const second = await makeChannel(florin, admin, { provider: 'sandbox', fallbackChannelIds: [sandbox] });
    await makeChannel(florin, admin, { provider: 'stripe', fallbackChannelIds: [mollie] });
    expect(await providerOf(second)).toBe('sandbox');
  });

  test('cannot be mixed by changing the provider of either', async () => {
    const fallback = await makeChannel(florin, admin, { provider: 'stripe' });
    const first = await makeChannel(florin, admin, { provider: 'mollie', fallbackChannelIds: [fallback] });
    for (const id of [fallback, first]) {
      expect(refusalOf(await modify(channelInput({ id, provider: 'sandbox' })))).toEqual({
        ...mixed,
        field: 'provider',
      });
    }
    // The provider can change together with the fallbacks.
    const changed = channelInput({ id: first, provider: 'sandbox', fallbackChannelIds: [] });
    expect((await modify(changed)).status).toBe(200);
    expect((await modify(channelInput({ id: fallback, provider: 'sandbox' }))).status).toBe(200);
  });

  test('can both be fallbacks of a channel without a provider until it gets one', async () => {
    const sandbox = await makeChannel(florin, admin, { provider: 'sandbox' });
    const stripe = await makeChannel(florin, admin, { provider: 'stripe' });
    const byHand = await makeChannel(florin, admin, { fallbackChannelIds: [sandbox, stripe] });
    for (const provider of ['sandbox', 'stripe']) {
      expect(refusalOf(await modify(channelInput({ id: byHand, provider })))).toEqual({ ...mixed, field: 'provider' });
    }
  });

  test('are not mixed by two concurrent changes', async () => {
    for (let round = 0; round < 10; round++) {
      const one = await makeChannel(florin, admin, { provider: 'stripe' });
      const other = await makeChannel(florin, admin, { provider: 'stripe' });
      const replies = await Promise.all([
        modify(channelInput({ id: one, provider: 'sandbox' })),
        modify(channelInput({ id: other, fallbackChannelIds: [one] })),
      ]);
      expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
    }
  });
});

describe('in CLUSTER mode', () => {
  const cluster = { APP_DEPLOYMENT_MODE: 'CLUSTER', APP_PUBLIC_URL: 'https://florin.example', ...keys };
  const disabled = { status: 403, type: 'sandbox_disabled' };
  let sandbox: number;
  let waiting: string;

  const restart = async (environment: Record<string, string>) => {
    await florin.stop();
    florin = await florinOn(db, environment);
    admin = await administratorOf(florin);
  };

  beforeAll(async () => {
    db = await databaseFromTemplate();
    florin = await florinOn(db, { ...cluster, APP_SANDBOX_ENABLED: 'true' });
    admin = await administratorOf(florin);
    sandbox = await makeChannel(florin, admin, { provider: 'sandbox', webhookSecret: channelSecret });
    waiting = await makePayment(florin, admin, sandbox, { metadata: { sandbox: 'pending' } });
    await eventually(
      'it waits',
      async () => (await db.query(`select from provider_operation where state = 'WAITING'`)).length === 1,
    );
    await restart(cluster);
  });

  afterEach(async () => {
    expect(await db.query('select from ledger_transfer')).toEqual([]);
  });

  afterAll(async () => {
    await florin.stop();
    await db.drop();
  });

  test('a channel cannot use the sandbox, neither at creation nor by update', async () => {
    const field = 'provider';
    expect(refusalOf(await modify(channelInput({ provider: 'sandbox' })))).toEqual({ ...disabled, field });
    const id = await makeChannel(florin, admin, { provider: 'stripe' });
    expect(refusalOf(await modify(channelInput({ id, provider: 'sandbox' })))).toEqual({ ...disabled, field });
    expect(await providerOf(id)).toBe('stripe');
  });

  test('an existing sandbox channel refuses payments, and can be switched off or get another provider', async () => {
    const input = { amount: 1999, currency: 'USD', channelId: sandbox };
    const before = await db.query('select from transaction');
    expect(refusalOf(await florin.post('/api/transaction/create', input, admin))).toEqual({
      ...disabled,
      field: 'channelId',
    });
    expect(await db.query('select from transaction')).toEqual(before);
    expect((await modify(channelInput({ id: sandbox, provider: 'sandbox', state: false }))).status).toBe(200);
    const id = await makeChannel(florin, admin);
    await db.query(`update channel set provider = 'sandbox' where id = $1`, [id]);
    expect((await modify(channelInput({ id, provider: 'stripe' }))).status).toBe(200);
  });

  test('callbacks of the sandbox are refused and book nothing', async () => {
    const message = signedMessage(sandboxReportOf(waiting), 7, channelSecret);
    expect(refusalOf(await postCallback(florin, sandbox, message))).toMatchObject({
      status: 401,
      type: 'callback_invalid',
    });
  });

  test('earlier operations of the sandbox end as FAILED when they are due, without another call', async () => {
    await db.query('update provider_operation set due_at = now()');
    await eventually('it has ended', async () => {
      const { status } = dataOf(await florin.get(`/api/transaction/detail?id=${waiting}`, admin));
      return status === 'FAILED';
    });
    expect(dataOf(await florin.get(`/api/transaction/detail?id=${waiting}`, admin))).toMatchObject({
      failureCode: 'invalid_operation',
    });
  });

  test('the sandbox’s page for payers is refused', async () => {
    expect((await florin.get(`/sandbox/pay/${waiting}-1`)).status).toBe(403);
  });
});
