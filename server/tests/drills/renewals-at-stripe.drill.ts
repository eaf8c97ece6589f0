import { afterAll, beforeAll, test } from 'vitest';
import { months, providerTimeout, renewAtRandom, untilActive } from '../support/billing/random-renewals.ts';
import { startYear, type Year } from '../support/billing/subscribed-year.ts';
import { eventually } from '../support/postgres/database.ts';
import { type StripeSimulator, simulatedApiKey, startStripeSimulator } from '../support/simulators/stripe.ts';

/** 5,000 renewals with kept methods at a strict Stripe. Another run: `DRILL_SEED=7 npm run drills -- renewals`. */
const seed = Number(process.env.DRILL_SEED ?? 20_270_131);
const customers = Number(process.env.DRILL_CUSTOMERS ?? 250);

/** Test cards (https://docs.stripe.com/testing), up to which number each is drawn. */
const cards: readonly [token: string, upTo: number][] = [
  ['pm_card_visa', 0.75],
  ['pm_card_mastercard', 0.85],
  // Can be kept, and is declined when it is charged.
  ['pm_card_chargeCustomerFail', 0.95],
  // Wants the payer at every charge.
  ['pm_card_authenticationRequired', 1],
];

let stripe: StripeSimulator;
let year: Year;

beforeAll(async () => {
  stripe = await startStripeSimulator();
  year = await startYear({
    environment: { APP_PROVIDER_STRIPE_URL: stripe.url, APP_PROVIDER_TIMEOUT: providerTimeout },
    channel: { provider: 'stripe', livemode: false, apiKey: simulatedApiKey },
  });
});

afterAll(async () => {
  await year.close();
  await stripe.close();
});

async function keep(customerId: number, token: string): Promise<void> {
  const setup = { customerId, channelId: year.channelId, token, isDefault: true };
  const { id } = await year.post('payment-method/setup', setup);
  await authenticate(id);
  await untilActive(year, id);
}

/** The payer authenticates on the issuer's page, where the issuer wants it. */
async function authenticate(id: string): Promise<void> {
  const { nextAction } = await eventually(
    'Stripe has answered the setup',
    async () => {
      const found = await year.get(`payment-method/detail?id=${id}`);
      return (found.status !== 'PENDING' || found.nextAction !== null) && found;
    },
    1_800_000,
  );
  if (nextAction !== null) await fetch(nextAction.url, { redirect: 'manual' });
}

test(`${customers * months} renewals with nine kills: nobody is charged twice, and nobody is forgotten`, async () => {
  await renewAtRandom({
    seed,
    customers,
    year,
    provider: {
      keep: (customerId, drawn) => keep(customerId, cards.find(([, upTo]) => drawn < upTo)?.[0] as string),
      keepGood: (customerId) => keep(customerId, 'pm_card_visa'),
      endAtProvider: ({ name }) => {
        const { customers: atStripe } = stripe.account;
        const known = atStripe.all.find((customer) => customer.name === name && !customer.isDeleted);
        if (known !== undefined) atStripe.delete(known.id);
      },
      succeeded: () =>
        stripe.charges
          .filter(({ status }) => status === 'succeeded')
          .map(({ metadata, amount }) => ({ transactionId: metadata.florin_transaction as string, amount })),
    },
  });
}, 3_500_000);
