import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeInvoice, makePayingCustomer } from '../../tests/support/billing/invoices.ts';
import { administratorOf, dataOf, makeChannel } from '../../tests/support/factories.ts';
import { channelSecret, makeProviderChannel, sandboxReportOf } from '../../tests/support/payments/callbacks.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin, urlOf } from '../../tests/support/service/florin.ts';
import { uuidOfPublicId } from '../core/id.ts';
import { headersOf, signedMessage } from '../domains/payments/providers/sandbox/messages.ts';
import { freshKeyring, parseKeyring } from '../platform/crypto/keyring.ts';
import { keysInUse } from './config/sealed-values.ts';
import { countValuesByKey, describeKey, resealValues, sealedColumns } from './reseal-values.ts';

const [older, newer] = [freshKeyring(), freshKeyring()];
const [olderId, newerId] = [older, newer].map((keyring) => keyring.split(':')[0]);
const both = parseKeyring(`${newer},${older}`);
const secret = 'a secret of tests';

let db: TestDatabase;
let florin: TestFlorin;
let admin: string;
let endpoint: number;
let customer: number;
let sandboxChannel: number;
let inbox: { id: number; token: string; url: string };

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db, { APP_ENCRYPTION_KEYS: older });
  admin = await administratorOf(florin);
  const channelId = await makeProviderChannel(florin, admin);
  const message = signedMessage(sandboxReportOf('txn_of_nobody'), 1, channelSecret);
  const path = `/api/callback/${channelId}`;
  dataOf(await florin.call('POST', path, { body: message.body, headers: headersOf(message) }));
  await makeChannel(florin, admin, { apiKey: 'one', apiSecret: 'two', webhookSecret: 'three' });
  inbox = dataOf(await florin.post('/api/inbox/create', { secret }, admin));
  const hook = { url: `${florin.address}/inbox/${inbox.token}`, events: ['invoice.*'], secret, livemode: false };
  endpoint = dataOf(await florin.post('/api/webhook/register', hook, admin)).id;
  dataOf(await florin.post('/api/webhook/rotate', { id: endpoint, secret: 'the next one of them' }, admin));
  sandboxChannel = channelId;
  customer = await makePayingCustomer(florin, admin, {
    defaultChannelId: channelId,
    paymentMethod: 'sandbox:decline:insufficient_funds',
  });
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

const counts = async () => (await countValuesByKey(db.database)).map(describeKey);

test('every sealed column of the schema is declared by its module', async () => {
  const rows = await db.query<{ name: string }>(
    `select table_name || '.' || column_name as name from information_schema.columns
      where table_schema = 'public' and column_name like '%\\_sealed' order by 1`,
  );
  expect(sealedColumns.map(({ table, column }) => `${table}.${column}`).toSorted()).toEqual(
    rows.map(({ name }) => name).toSorted(),
  );
});

test('what a payment method is charged with is stored sealed', async () => {
  const [row] = await db.query<{ row: string; sealed: Buffer }>(
    'select row_to_json(m)::text as row, reference_sealed as sealed from payment_method m where customer_id = $1',
    [customer],
  );
  expect(String(row?.sealed) + row?.row).not.toContain('sbxm_');
  expect(await codeOfPayment()).toBe('insufficient_funds');
});

test('the token that a payment was created with is stored sealed, and charged', async () => {
  const paid = await payWith('sandbox:decline:expired_card');
  const [row] = await db.query<{ sealed: Buffer; plain: string | null }>(
    'select payment_method_sealed as sealed, payment_method as plain from transaction where id = $1',
    [uuidOfPublicId('txn', paid.id)],
  );
  expect(row?.plain).toBeNull();
  expect(String(row?.sealed)).not.toContain('expired_card');
  expect(paid.failureCode).toBe('expired_card');
});

describe('after a new key was added as the first', () => {
  test('every value is sealed with it while the service runs, and the old key is no longer needed', async () => {
    const found = await counts();
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(
      new RegExp(
        `^key ${olderId} has sealed keys of event digests: 1, webhook endpoints: 2, inboxes: 1, channels: ` +
          '\\d, payment methods: 1, customers at providers: 1, payments: 1, callbacks: \\d+$',
      ),
    );
    const total = (await countValuesByKey(db.database)).flatMap(({ what }) => [...what.values()]);
    const { resealed, unopened } = await resealValues(db.database, both, () => {});
    expect({ resealed, unopened }).toEqual({ resealed: total.reduce((a, b) => a + b), unopened: 0 });
    expect(await counts()).toEqual([found[0]?.replace(olderId as string, newerId as string)]);
    expect(await resealValues(db.database, both, () => {})).toEqual({ resealed: 0, unopened: 0 });
    const inUse = await keysInUse(db.database, parseKeyring(newer), Date.now());
    expect(inUse).toMatchObject([{ id: newerId, state: 'opens' }]);
  });

  test('a node with only the new key signs, receives and charges as before', async () => {
    await florin.stop();
    florin = await florinOn(db, { APP_ENCRYPTION_KEYS: newer });
    admin = await administratorOf(florin);
    dataOf(
      await florin.post('/api/webhook/modify', { id: endpoint, url: `${florin.address}/inbox/${inbox.token}` }, admin),
    );
    expect(await codeOfPayment()).toBe('insufficient_funds');
    const message = await eventually('the inbox has a message', async () => {
      const { data } = (await florin.get(`/api/inbox/messages?id=${inbox.id}`, admin)).body;
      return data[0];
    });
    expect(message).toMatchObject({ serviceSignature: 'VERIFIED', standardSignature: 'VERIFIED' });
  });
});

test('what an older version stored in clear is sealed', async () => {
  await db.query(
    `insert into transaction (tenant_id, id, amount, currency, status, channel_id, user_id, payment_method,
         created_at, updated_at)
     select 0, gen_random_uuid(), 1, 'USD', 'FAILED', 1, 1, 'pm_old', now(), now() from generate_series(1, 3)`,
  );
  // More than two batches.
  await db.query(
    `insert into payment_method (tenant_id, id, livemode, customer_id, channel_id, provider, type, agreement, status,
                                 source_plain, sealed_for_customer, created_at, updated_at)
     select 0, gen_random_uuid(), false, $1, $2, 'sandbox', 'card', 'SUBSCRIPTION', 'DETACHED', 'pm_' || n, true,
            now(), now()
       from generate_series(1, 1100) as n`,
    [customer, sandboxChannel],
  );
  expect(await counts()).toContain('stored in clear: payment methods: 1100, payments: 3');
  expect(await resealValues(db.database, parseKeyring(newer), () => {})).toEqual({ resealed: 1103, unopened: 0 });
  expect((await counts()).join()).not.toContain('clear');
  expect(await codeOfPayment()).toBe('insufficient_funds');
});

test('the command reports what it did, which keys are needed, and ends with 0', async () => {
  const next = freshKeyring();
  const [nextId] = next.split(':');
  const { code, lines } = await runReseal(`${next},${newer}`);
  expect(lines).toContain('payment_method.source_sealed: 1100 sealed again');
  expect(lines.at(-3)).toMatch(
    new RegExp(`^key ${nextId} has sealed keys of event digests: 1, webhook endpoints: 2, inboxes: 1, `),
  );
  expect(lines.at(-1)).toMatch(/^No other key is needed any more/);
  expect(code).toBe(0);
  await resealValues(db.database, parseKeyring(`${newer},${next}`), () => {});
  const lost = await runReseal(freshKeyring());
  expect(lost.code).toBe(1);
  expect(lost.lines.at(-1)).toMatch(/^\d+ values cannot be opened with the keys of the list/);
});

test('a value that cannot be opened is kept and counted; the others are sealed', async () => {
  const values = (await countValuesByKey(db.database)).flatMap(({ what }) => [...what.values()]);
  const total = values.reduce((a, b) => a + b);
  await db.query('update inbox set secret_sealed = set_byte(secret_sealed, 45, get_byte(secret_sealed, 45) # 1)');
  const latest = freshKeyring();
  const result = await resealValues(db.database, parseKeyring(`${latest},${newer}`), () => {});
  expect(result).toEqual({ resealed: total - 1, unopened: 1 });
  expect(await counts()).toContain(`key ${newerId} has sealed inboxes: 1`);
});

test('a value that changes between reading and writing is left alone', async () => {
  const column = sealedColumns.find(({ table }) => table === 'provider_customer');
  if (column === undefined) throw new Error('no such column');
  const [row] = await db.database.run(column.page, ['no key', 10, ...column.beforeAll]);
  if (row === undefined) throw new Error('no such row');
  await db.query(`update provider_customer set reference_sealed = '\\x00'::bytea`);
  const [result] = await db.database.run(column.replace, column.valuesOf([{ row, sealed: Buffer.from('x') }]));
  expect(result).toEqual({ replaced: 0 });
});

async function runReseal(keys: string): Promise<{ code: unknown; lines: string[] }> {
  const { PATH = '', HOME = '/', NODE_COMPILE_CACHE } = process.env;
  const child = spawn(process.execPath, [join(import.meta.dirname, 'reseal.ts')], {
    cwd: florin.dataDir,
    env: { PATH, HOME, NODE_COMPILE_CACHE, DATABASE_URL: urlOf(db.connection), APP_ENCRYPTION_KEYS: keys },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = text(child.stdout).then((output) => output.trim().split('\n'));
  const [code] = await once(child, 'close');
  return { code, lines: await lines };
}

/** Creates a payment with a token, and returns it when the sandbox has declined it. */
async function payWith(paymentMethod: string) {
  const input = { amount: 100, currency: 'USD', channelId: sandboxChannel, paymentMethod };
  const { id } = dataOf(await florin.post('/api/transaction/create', input, admin));
  return failed(id);
}

/** Has the customer pay an invoice, and returns why the sandbox declined it. */
async function codeOfPayment(): Promise<string> {
  const id = await makeInvoice(florin, admin, customer, {
    lines: [{ description: 'x', quantity: 1, unitAmount: 100 }],
  });
  const { transactionId } = dataOf(await florin.post('/api/invoice/pay', { id }, admin));
  return (await failed(transactionId)).failureCode;
}

function failed(id: string) {
  return eventually('the payment has failed', async () => {
    const found = dataOf(await florin.get(`/api/transaction/detail?id=${id}`, admin));
    return found.status === 'FAILED' && found;
  });
}
