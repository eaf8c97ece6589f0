import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brokenClaims } from '@florin/server/tests/broken-claims.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '@florin/server/tests/postgres/database.ts';
import { administratorPassword, florinOn, type TestFlorin } from '@florin/server/tests/service/florin.ts';
import { type StripeSimulator, simulatedApiKey, startStripeSimulator } from '@florin/server/tests/simulators/stripe.ts';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { Florin } from '../../sdk/src/index.ts';
import { TestShell } from './run.ts';

let database: TestDatabase;
let florin: TestFlorin;
let stripe: StripeSimulator;
let client: Florin;
let shell: TestShell;
let folder: string;
let channelId: number;
let planId: number;

const dayMs = 86_400_000;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'florin-import-'));
  database = await databaseFromTemplate();
  stripe = await startStripeSimulator();
  florin = await florinOn(database, { APP_PROVIDER_STRIPE_URL: stripe.url });
  client = new Florin({ baseUrl: florin.address });
  await client.login({ account: 'admin', password: administratorPassword });
  shell = new TestShell({ FLORIN_URL: florin.address });
  await shell.run('login --account admin', { input: administratorPassword });
  const place = { type: 'ONLINE', currency: 'EUR', country: 'DE', state: true, livemode: false } as const;
  const channel = { ...place, name: 'Stripe', code: 'stripe', provider: 'stripe', apiKey: simulatedApiKey } as const;
  channelId = (await client.channels.modify(channel)).id;
  const plan = { name: 'Pro', currency: 'EUR', amount: 2500, interval: 'month', livemode: false, state: true } as const;
  planId = (await client.plans.modify(plan)).id;
});

beforeEach(() => {
  stripe.requests.length = 0;
});

afterAll(async () => {
  expect(await brokenClaims(database.database)).toEqual([]);
  shell.remove();
  await florin.stop();
  await stripe.close();
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

function file(name: string, lines: readonly string[]): string {
  const path = join(folder, name);
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}

/** A customer at Stripe with a card. */
function atStripe(name: string) {
  const { id } = stripe.account.customers.create({ name });
  const method = stripe.account.methods.find('pm_card_visa');
  stripe.account.methods.keep(method, id);
  return { customer: id, method: method.id };
}

const methodLine = ({ customer, method }: { customer: string; method: string }) =>
  JSON.stringify({
    id: method,
    object: 'payment_method',
    type: 'card',
    customer,
    livemode: false,
    card: { last4: '4242' },
  });

const customerHeader = 'id,Description,Email,Name,Created (UTC),Delinquent,tag (metadata)';

/** `2024-01-15 09:30`, as Stripe writes times. */
const cellOf = (atMs: number) => new Date(atMs).toISOString().slice(0, 16).replace('T', ' ');

/** The period of a month that ends about ten days from now, on the day of month of the start. */
function periodFrom(start: Date): [start: string, end: string] {
  const boundary = (months: number) => {
    const day = new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + months + 1, 0)).getUTCDate();
    const date = new Date(start);
    date.setUTCDate(1);
    date.setUTCMonth(date.getUTCMonth() + months);
    return date.setUTCDate(Math.min(day, start.getUTCDate()));
  };
  let number = 1;
  while (boundary(number) <= Date.now() + 2 * dayMs) number++;
  return [cellOf(boundary(number - 1)), cellOf(boundary(number))];
}

const subscriptionColumns = {
  id: 'sub_1',
  'Customer ID': '',
  Plan: 'price_pro',
  Product: 'prod_1',
  Quantity: '2',
  Currency: 'eur',
  Interval: 'month',
  Amount: '25.00',
  Status: 'active',
  'Start Date (UTC)': '',
  'Current Period Start (UTC)': '',
  'Current Period End (UTC)': '',
  'Trial End (UTC)': '',
  Coupon: '',
  'Tax Percent': '',
  'Cancel At Period End': 'true',
  'Ended At (UTC)': '',
  'order_id (metadata)': '77',
};
type Cells = Partial<typeof subscriptionColumns>;

const startOnThe31st = new Date(Date.UTC(new Date().getUTCFullYear() - 2, 0, 31, 9, 30));

function subscriptionFile(name: string, rows: readonly Cells[]): string {
  const [start, end] = periodFrom(startOnThe31st);
  const times = {
    'Start Date (UTC)': cellOf(startOnThe31st.getTime()),
    'Current Period Start (UTC)': start,
    'Current Period End (UTC)': end,
  };
  const lines = rows.map((row) => Object.values({ ...subscriptionColumns, ...times, ...row }).join(','));
  return file(name, [Object.keys(subscriptionColumns).join(','), ...lines]);
}

interface Result {
  kind: string;
  stripeId: string;
  result: string;
  id: number | string | null;
  reason: string | null;
}

async function run(words: readonly string[]) {
  const ran = await shell.run(['import', 'stripe', '--channel', String(channelId), '--json', ...words]);
  expect(ran.exitCode, ran.stderr).toBe(0);
  return { ...ran, results: ran.json() as Result[] };
}

test('customers, methods and subscriptions are taken over, after a dry run, once, and mail nobody', async () => {
  const ada = atStripe('Ada');
  const words = [
    ...[
      '--customers',
      file('customers.csv', [customerHeader, `${ada.customer},,ada@example.com,Ada "Ä",x,false,gold`]),
    ],
    ...['--methods', file('methods.jsonl', [methodLine(ada)])],
    ...['--subscriptions', subscriptionFile('subscriptions.csv', [{ id: 'sub_Ada', 'Customer ID': ada.customer }])],
    ...['--plan', `price_pro=${planId}`],
  ];
  const stripped = words.map((word) => word.replace('"Ä"', 'Ä'));
  writeFileSync(
    join(folder, 'customers.csv'),
    `${customerHeader}\n${ada.customer},,ada@example.com,"Ada ""Ä""",x,false,gold\n`,
  );

  const dry = await run(stripped);
  expect(dry.results.map(({ kind, result, id }) => [kind, result, id])).toEqual([
    ['customer', 'NEW', null],
    ['method', 'NEW', null],
    ['subscription', 'NEW', null],
  ]);
  expect(dry.stderr).toContain('dry run: nothing was written');
  expect(await client.customers.list({ livemode: false }).toArray()).toEqual([]);

  const applied = await run([...stripped, '--apply']);
  expect(applied.results.map(({ result, reason }) => [result, reason])).toEqual(Array(3).fill(['NEW', null]));
  const [customerId, methodId, subscriptionId] = applied.results.map(({ id }) => id) as [number, string, number];
  expect(await client.customers.get({ id: customerId })).toMatchObject({
    externalId: ada.customer,
    name: 'Ada "Ä"',
    email: 'ada@example.com',
    metadata: { tag: 'gold' },
    defaultChannelId: channelId,
    defaultMethodId: methodId,
    livemode: false,
  });
  expect(await client.paymentMethods.get(methodId)).toMatchObject({ status: 'ACTIVE', last4: '4242', isDefault: true });
  const [periodStart, periodEnd] = periodFrom(startOnThe31st).map((time) => `${time.replace(' ', 'T')}:00.000Z`);
  const subscription = await client.subscriptions.get(subscriptionId);
  expect(subscription).toMatchObject({
    ...{ externalId: 'sub_Ada', state: 'ACTIVE', quantity: 2, trialEnd: null, periodStart, periodEnd },
    metadata: { order_id: '77' },
  });
  // The period after the one that Stripe has billed begins where that ended.
  const preview = await client.subscriptions.preview({ id: subscriptionId });
  expect(preview).toMatchObject({ invoiceTime: periodEnd, total: 5000 });
  expect(await database.query('select from invoice_mail')).toEqual([]);
  expect(await database.query('select from invoice')).toEqual([]);
  // Nothing is asked of the payer, and nothing is changed at Stripe.
  expect(stripe.requests.filter(({ method }) => method === 'POST')).toEqual([]);

  const again = await run([...stripped, '--apply']);
  expect(again.results.map(({ result, id }) => [result, id])).toEqual([
    ['KNOWN', customerId],
    ['KNOWN', methodId],
    ['KNOWN', subscriptionId],
  ]);
});

test('a method that was taken over is charged as the customer whom Stripe knows', async () => {
  const joan = atStripe('Joan');
  const customers = ['--customers', file('joan.csv', [customerHeader, `${joan.customer},,,Joan,x,false,`])];
  const { results } = await run([...customers, '--methods', file('joan.jsonl', [methodLine(joan)]), '--apply']);
  const [customer, method] = results as [Result, Result];
  const { id } = await client.transactions.create({
    ...{ amount: 1999, currency: 'EUR', channelId, customerId: customer.id as number },
    ...{ methodId: method.id as string, initiator: 'MERCHANT' },
  });
  await eventually('the payment has succeeded', async () => (await client.transactions.get(id)).status === 'SUCCESS');
  expect(stripe.charges.at(-1)).toMatchObject({ customer: joan.customer, amount: 1999, status: 'succeeded' });
});

test('a method that Stripe has for another customer, or no more, is refused, and can be tried again', async () => {
  const mine = atStripe('Mine');
  const other = atStripe('Other');
  const customers = ['--customers', file('mine.csv', [customerHeader, `${mine.customer},,,Mine,x,false,`])];
  const stolen = methodLine({ customer: mine.customer, method: other.method });
  const gone = methodLine({ customer: mine.customer, method: 'pm_gone' });
  const words = [...customers, '--methods', file('mine.jsonl', [stolen, gone, methodLine(mine)]), '--apply'];
  const { results } = await run(words);
  expect(results.slice(1).map(({ result, reason }) => [result, reason])).toEqual([
    ['REFUSED', expect.stringContaining('payment_method_missing')],
    ['REFUSED', expect.stringContaining('payment_method_missing')],
    ['NEW', null],
  ]);
  expect((await run(words)).results.map(({ result }) => result)).toEqual(['KNOWN', 'REFUSED', 'REFUSED', 'KNOWN']);
});

test('a row of a subscription is refused with its reason', async () => {
  const eve = atStripe('Eve');
  const customer = { 'Customer ID': eve.customer };
  const over = cellOf(Date.now() + dayMs / 2);
  const rows: [Cells, RegExp][] = [
    [{ 'Cancel At Period End': 'false' }, /charged at Stripe and here/],
    [{ 'Current Period End (UTC)': over }, /ends within a day/],
    [{ Coupon: 'LAUNCH20' }, /coupon LAUNCH20/],
    [{ 'Tax Percent': '19.0' }, /tax of 19.0 %/],
    [{ Status: 'past_due' }, /past_due/],
    [{ Status: 'trialing' }, /trial/],
    [{ Status: 'canceled', 'Ended At (UTC)': '2025-08-15 00:00' }, /canceled/],
    [{ 'Customer ID': 'cus_Gone' }, /cus_Gone was not taken over/],
    [{ Plan: 'price_other' }, /--plan price_other=ID/],
    [{ Amount: '1250.00' }, /costs 1250.00 EUR/],
    [{ Interval: 'year' }, /every year at Stripe/],
    [{ Quantity: '0' }, /quantity is 0/],
    [{ id: 'sub_twice' }, /several rows/],
    [{ id: 'sub_twice', Plan: 'price_other' }, /several rows/],
  ];
  const customers = ['--customers', file('eve.csv', [customerHeader, `${eve.customer},,,Eve,x,false,`])];
  const subscriptions = subscriptionFile(
    'refused.csv',
    rows.map(([cells], i) => ({ id: `sub_${i}`, ...customer, ...cells })),
  );
  const words = [...customers, '--subscriptions', subscriptions, '--plan', `price_pro=${planId}`, '--apply'];
  const { results } = await run(words);
  for (const [i, [, reason]] of rows.entries()) {
    expect(results[i + 1]).toMatchObject({ result: 'REFUSED', reason: expect.stringMatching(reason) });
  }
  expect(await client.subscriptions.list({ livemode: false, customerId: results[0]?.id as number }).toArray()).toEqual(
    [],
  );
});

test('a file with card numbers is refused before anything is written, and its numbers are not printed', async () => {
  const number = '4242424242424242';
  const files: [option: string, path: string][] = [
    ['--customers', file('numbers.csv', ['id,Email,Name,card.number', `cus_1,,Ada,${number}`])],
    ['--customers', file('metadata.csv', ['id,Email,Name,note (metadata)', `cus_1,,Ada,4242 4242 4242 4242`])],
    ['--methods', file('numbers.jsonl', [JSON.stringify({ id: 'pm_1', customer: 'cus_1', card: { number } })])],
  ];
  for (const [option, path] of files) {
    const ran = await shell.run(['import', 'stripe', '--channel', String(channelId), option, path, '--apply']);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining('contains card numbers') });
    expect(ran.stderr.replaceAll(' ', '')).not.toContain(number);
  }
});

test('a file of another kind is refused with what is missing', async () => {
  const refusalOf = async (option: string, path: string) =>
    (await shell.run(['import', 'stripe', '--channel', String(channelId), option, path])).stderr;
  const ofApi = file('api.csv', ['id,customer,plan.id,status', 'sub_1,cus_1,price_1,active']);
  expect(await refusalOf('--subscriptions', ofApi)).toMatch(/no column Customer ID, Plan.*other units/);
  const csv = file('methods.csv', ['id,Customer ID,Card Last4', 'card_1,cus_1,4242']);
  expect(await refusalOf('--methods', csv)).toContain('one object a line');
  expect(await refusalOf('--methods', join(folder, 'none.jsonl'))).toContain('cannot be read');
  expect((await shell.run(['import', 'stripe', '--channel', String(channelId)])).stderr).toContain('at least one file');
});
