import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type StripeSimulator, simulatedApiKey, startStripeSimulator } from '@florin/server/tests/simulators/stripe.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pageStory } from './page-story.ts';

let stripe: StripeSimulator;

beforeAll(async () => {
  stripe = await startStripeSimulator();
});

afterAll(() => stripe.close());

const story = pageStory('moving-from-stripe', () => ({ APP_PROVIDER_STRIPE_URL: stripe.url }));
const bin = fileURLToPath(new URL('../../cli/bin/florin.mjs', import.meta.url));

const dayMs = 86_400_000;

test('the move from Stripe, pasted in order, takes a customer with a card and a subscription over', async () => {
  const ada = stripe.account.customers.create({ name: 'Ada Example', email: 'ada@example.com' });
  stripe.account.methods.keep(stripe.account.methods.find('pm_card_visa'), ada.id);
  exportFiles(ada.id);
  const script = story.snippets
    .join('\n')
    .replace('sk_test_…', simulatedApiKey)
    .replaceAll('https://api.stripe.com', stripe.url);
  const command = `HOME=${story.folder}; export HOME\nnpx() { shift 2; '${process.execPath}' '${bin}' "$@"; }\n`;
  const printed = await story.paste(command + script);
  const lines = printed
    .trim()
    .split('\n')
    .map((line) => line.split('\t'));
  expect(
    lines.map(([kind, , result]) => `${kind} ${result}`).filter((line) => / (NEW|KNOWN|REFUSED)$/.test(line)),
  ).toEqual([
    // The dry run, and then the import.
    ...['customer NEW', 'method NEW', 'subscription NEW'],
    ...['customer NEW', 'method NEW', 'subscription NEW'],
  ]);
  expect(lines.at(-1)).toContain('ACTIVE');
  const [subscription] = await story.db.query('select external_id, state from subscription');
  expect(subscription).toEqual({ external_id: 'sub_Ada', state: 'ACTIVE' });
  const [method] = await story.db.query('select status, is_default from payment_method');
  expect(method).toEqual({ status: 'ACTIVE', is_default: true });
});

/** What the reader exports in the Dashboard. */
function exportFiles(customer: string): void {
  const cell = (atMs: number) => new Date(atMs).toISOString().slice(0, 16).replace('T', ' ');
  const start = new Date(Date.now() - 10 * dayMs);
  start.setUTCDate(Math.min(start.getUTCDate(), 28));
  const end = new Date(start);
  end.setUTCMonth(end.getUTCMonth() + 1);
  const subscription = {
    id: 'sub_Ada',
    'Customer ID': customer,
    Plan: 'price_pro',
    Quantity: '1',
    Currency: 'eur',
    Interval: 'month',
    Amount: '25.00',
    Status: 'active',
    'Start Date (UTC)': cell(start.getTime()),
    'Current Period Start (UTC)': cell(start.getTime()),
    'Current Period End (UTC)': cell(end.getTime()),
    Coupon: '',
    'Tax Percent': '',
    'Cancel At Period End': 'true',
  };
  const csv = [Object.keys(subscription), Object.values(subscription)].map((cells) => cells.join(',')).join('\n');
  writeFileSync(join(story.folder, 'subscriptions.csv'), csv);
  writeFileSync(
    join(story.folder, 'customers.csv'),
    `id,Description,Email,Name,Created (UTC)\n${customer},,ada@example.com,Ada Example,2024-01-15 09:30\n`,
  );
}
