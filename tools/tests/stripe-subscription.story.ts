import { type StripeSimulator, simulatedApiKey, startStripeSimulator } from '@florin/server/tests/simulators/stripe.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pageStory } from './page-story.ts';

let stripe: StripeSimulator;

beforeAll(async () => {
  stripe = await startStripeSimulator();
});

afterAll(() => stripe.close());

const story = pageStory('stripe-subscription', () => ({ APP_PROVIDER_STRIPE_URL: stripe.url }));

test('the story of a subscription at Stripe, pasted in order, ends with the third renewal paid', async () => {
  const opensPage = story.snippets.findIndex((commands) => commands.includes('"url"'));
  const script = story.snippets
    .map((commands) => commands.replace('sk_test_…', simulatedApiKey))
    .toSpliced(opensPage + 1, 0, savedOnThePage)
    .map((commands) => `${commands}\necho`)
    .join('\n');
  const printed = await story.paste(script);
  const { data } = JSON.parse(printed.trimEnd().split('\n').at(-1) as string);
  const periods = data.map(({ status, periodStart }: Record<string, string>) => [status, periodStart?.slice(0, 10)]);
  expect(periods.toReversed()).toEqual([
    ['PAID', '2030-01-15'],
    ['PAID', '2030-02-15'],
    ['PAID', '2030-03-15'],
    ['PAID', '2030-04-15'],
  ]);
  const charged = stripe.charges.map(({ status, customer, amount }) => [status, customer, amount]);
  const [ada] = stripe.account.customers.all;
  expect(charged).toEqual(Array(4).fill(['succeeded', ada?.id, 3100]));
});

/** What the reader does in a browser: saves a card on Stripe's page. */
const savedOnThePage = `PAGE=$(curl -s "$FLORIN/api/payment-method/detail?id=$METHOD" -H "$AS_ADMIN" \
  | sed 's/.*"url":"\\([^"]*\\)".*/\\1/')
curl -s "$PAGE" -H 'Content-Type: application/x-www-form-urlencoded' -d 'method=pm_card_visa'`;
