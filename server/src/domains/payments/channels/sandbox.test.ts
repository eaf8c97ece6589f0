import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  administratorOf,
  channelInput,
  dataOf,
  makeChannel,
  makePayment,
} from '../../../../tests/support/factories.ts';
import { channelSecret, postCallback, sandboxReportOf } from '../../../../tests/support/payments/callbacks.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../../../tests/support/service/florin.ts';
import { freshKeyring } from '../../../platform/crypto/keyring.ts';
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

describe('a test channel and a live one', () => {
  beforeAll(async () => {
    db = await databaseFromTemplate();
    florin = await florinOn(db, keys);
    admin = await administratorOf(florin);
  });

  afterAll(async () => {
    await florin.stop();
    await db.drop();
  });

  const mismatch = { status: 409, type: 'livemode_mismatch' };
  const livemodeOf = async (changes: Record<string, unknown>) => dataOf(await modify(channelInput(changes))).livemode;

  test('are told apart by the sandbox, or by the caller', async () => {
    expect(await livemodeOf({})).toBe(true);
    expect(await livemodeOf({ provider: 'stripe' })).toBe(true);
    expect(await livemodeOf({ provider: 'sandbox' })).toBe(false);
    expect(await livemodeOf({ livemode: false })).toBe(false);
    expect(await livemodeOf({ provider: 'stripe', livemode: false, apiKey: 'sk_test_1' })).toBe(false);
    expect(await livemodeOf({ provider: 'mollie', livemode: false, apiKey: 'test_1' })).toBe(false);
    const live = channelInput({ provider: 'sandbox', livemode: true });
    expect(refusalOf(await modify(live))).toEqual({ ...mismatch, field: 'provider' });
  });

  test('stay what they are', async () => {
    const live = await makeChannel(florin, admin);
    const test = await makeChannel(florin, admin, { provider: 'sandbox' });
    for (const [id, livemode] of [
      [live, false],
      [test, true],
    ] as const) {
      const changed = channelInput({ id, livemode });
      expect(refusalOf(await modify(changed))).toEqual({ ...mismatch, field: 'livemode' });
      expect((await modify(channelInput({ id, livemode: !livemode }))).status).toBe(200);
    }
    const toSandbox = channelInput({ id: live, provider: 'sandbox' });
    expect(refusalOf(await modify(toSandbox))).toEqual({ ...mismatch, field: 'provider' });
    expect(await providerOf(live)).toBeNull();
  });

  test('a live channel takes no key of a test mode, and says so', async () => {
    const id = await makeChannel(florin, admin, { provider: 'stripe', apiKey: 'sk_live_1' });
    for (const [provider, apiKey] of [
      ['stripe', 'sk_test_1'],
      ['stripe', 'rk_test_1'],
      ['mollie', 'test_1'],
    ]) {
      const field = 'apiKey';
      expect(refusalOf(await modify(channelInput({ provider, apiKey })))).toEqual({ ...mismatch, field });
      expect(refusalOf(await modify({ id, provider, apiKey }))).toEqual({ ...mismatch, field });
    }
    expect((await modify({ id, apiKey: 'rk_live_1' })).status).toBe(200);
  });

  test('a channel with a key of the other mode takes no payments until it has a right one', async () => {
    const id = await makeChannel(florin, admin, { provider: 'stripe', livemode: false, apiKey: 'sk_test_1' });
    await db.query('update channel set livemode = true where id = $1', [id]);
    // The cached channel is dropped by a change.
    expect((await modify({ id, name: 'Renamed' })).status).toBe(200);
    const payment = { amount: 100, currency: 'USD', channelId: id };
    const refused = await florin.post('/api/transaction/create', payment, admin);
    expect(refusalOf(refused)).toEqual({ status: 409, type: 'channel_inactive', field: 'channelId' });
    expect(refused.body.message).toMatch(/live payments, but holds an API key of its provider's test mode/);
    expect((await modify({ id, state: false })).status).toBe(200);
    expect((await modify({ id, state: true, apiKey: 'sk_live_1' })).status).toBe(200);
    expect((await florin.post('/api/transaction/create', payment, admin)).status).toBe(200);
  });

  test('a test channel takes a real provider only with a key of its test mode', async () => {
    const id = await makeChannel(florin, admin, { provider: 'sandbox', apiKey: 'anything' });
    const field = 'apiKey';
    for (const apiKey of [undefined, 'sk_live_1', 'rk_live_1', 'live_1']) {
      const changed = channelInput({ id, provider: 'stripe', ...(apiKey && { apiKey }) });
      expect(refusalOf(await modify(changed))).toEqual({ ...mismatch, field });
    }
    expect((await modify(channelInput({ id, provider: 'stripe', apiKey: 'rk_test_1' }))).status).toBe(200);
    const real = channelInput({ id, apiKey: 'sk_live_1' });
    expect(refusalOf(await modify(real))).toEqual({ ...mismatch, field });
    expect((await modify(channelInput({ id }))).status).toBe(200);
    const created = channelInput({ provider: 'mollie', livemode: false, apiKey: 'live_1' });
    expect(refusalOf(await modify(created))).toEqual({ ...mismatch, field });
  });

  test('cannot be each other’s fallback, neither at creation nor by update; channels of one mode can', async () => {
    const [sandbox, byHand, stripe, mollie] = [
      await makeChannel(florin, admin, { provider: 'sandbox' }),
      await makeChannel(florin, admin, { livemode: false }),
      await makeChannel(florin, admin, { provider: 'stripe' }),
      await makeChannel(florin, admin, { provider: 'mollie' }),
    ];
    const field = 'fallbackChannelIds';
    for (const [provider, fallback] of [
      ['sandbox', stripe],
      ['stripe', sandbox],
      [null, byHand],
    ] as const) {
      const input = channelInput({ provider, fallbackChannelIds: [fallback] });
      expect(refusalOf(await modify(input))).toEqual({ ...mismatch, field });
      expect(await db.query('select from channel where code = $1', [input.code])).toEqual([]);
    }
    for (const [id, fallback] of [
      [sandbox, stripe],
      [stripe, sandbox],
    ] as const) {
      const input = channelInput({ id, fallbackChannelIds: [mollie, fallback].filter((one) => one !== id) });
      expect(refusalOf(await modify(input))).toEqual({ ...mismatch, field });
    }
    const second = await makeChannel(florin, admin, { provider: 'sandbox', fallbackChannelIds: [sandbox, byHand] });
    await makeChannel(florin, admin, { provider: 'stripe', fallbackChannelIds: [mollie] });
    expect(await providerOf(second)).toBe('sandbox');
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
    const { body: document } = await florin.get('/openapi.json');
    expect(document.paths['/api/channel/modify'].post.responses[disabled.status]['x-error-types']).toContain(
      disabled.type,
    );
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
