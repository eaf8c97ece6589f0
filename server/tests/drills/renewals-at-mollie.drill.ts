import { afterAll, beforeAll, test } from 'vitest';
import { months, providerTimeout, renewAtRandom, untilActive } from '../support/billing/random-renewals.ts';
import { startYear, type Year } from '../support/billing/subscribed-year.ts';
import { seededRandom } from '../support/faults/kills.ts';
import { eventually } from '../support/postgres/database.ts';
import { MollieSimulator } from '../support/simulators/mollie.ts';

/**
 * 5,000 renewals with debits, cards and PayPal at a strict Mollie, whose bank answers debits later. To try another run:
 * `DRILL_SEED=7 npm run drills -- renewals`.
 */
const seed = Number(process.env.DRILL_SEED ?? 20_270_131);
const customers = Number(process.env.DRILL_CUSTOMERS ?? 250);
/** How often the bank answers, and callbacks are delivered. */
const everyMs = 200;

let mollie: MollieSimulator;
let year: Year;
let answering: NodeJS.Timeout;
const random = seededRandom(seed + 1);

beforeAll(async () => {
  mollie = await MollieSimulator.start();
  year = await startYear({
    environment: { APP_PROVIDER_MOLLIE_URL: mollie.url, APP_PROVIDER_TIMEOUT: providerTimeout },
    channel: { provider: 'mollie', livemode: false, apiKey: 'test_simulated', webhookSecret: 'a secret of this drill' },
  });
  answering = setInterval(answer, everyMs);
});

afterAll(async () => {
  clearInterval(answering);
  await year.close();
  await mollie.close();
});

/** The bank pays or returns the debits that are on their way, and Mollie reports it until the callback is received. */
function answer(): void {
  for (const { id, status, sequenceType } of mollie.payments) {
    if (status !== 'pending' || sequenceType !== 'recurring') continue;
    if (random() < 0.9) mollie.pay(id, 'directdebit');
    else mollie.returnDebit(id, 'AM04');
  }
  for (const callback of mollie.callbacks.splice(0)) {
    year.deliver(callback).then(
      (isTaken) => isTaken || mollie.callbacks.push(callback),
      () => mollie.callbacks.push(callback),
    );
  }
}

const consent = { ipAddress: '192.0.2.1', userAgent: 'Browser', acceptedTime: '2026-11-27T10:00:00.000Z' };

async function keepDebit(customerId: number): Promise<void> {
  const bankAccount = { holder: 'Ada Lovelace', iban: 'NL55INGB0000000000' };
  const setup = { customerId, channelId: year.channelId, bankAccount, consent, isDefault: true };
  await untilActive(year, (await year.post('payment-method/setup', setup)).id);
}

/** The payer pays once, in person, and the card or the agreement is kept. */
async function keepByPayment(customerId: number, paymentMethod: string, declines: string | null): Promise<void> {
  const first = { amount: 100, currency: 'EUR', customerId, channelId: year.channelId, paymentMethod };
  const { id } = await year.post('transaction/create', { ...first, saveMethod: true, isDefault: true, consent });
  const payment = await eventually('Mollie has the payment', () =>
    mollie.payments.find(({ metadata }) => (metadata as Record<string, unknown>)?.florin_transaction === id),
  );
  mollie.pay(payment.id, paymentMethod);
  mollie.mandate(payment.mandateId as string).declines = declines;
  const { methodId } = await eventually(
    'the payment has succeeded',
    async () => {
      const found = await year.get(`transaction/detail?id=${id}`);
      return found.status === 'SUCCESS' && found;
    },
    1_800_000,
  );
  await untilActive(year, methodId);
}

test(`${customers * months} renewals with nine kills: nobody is charged twice, and nobody is forgotten`, async () => {
  await renewAtRandom({
    seed,
    customers,
    year,
    provider: {
      keep: (customerId, drawn) => {
        if (drawn < 0.5) return keepDebit(customerId);
        if (drawn < 0.85) return keepByPayment(customerId, 'creditcard', null);
        if (drawn < 0.95) return keepByPayment(customerId, 'creditcard', 'insufficient_funds');
        return keepByPayment(customerId, 'paypal', null);
      },
      keepGood: (customerId) => keepByPayment(customerId, 'creditcard', null),
      endAtProvider: ({ name }) => {
        const known = [...mollie.api.customers.all.values()].find((one) => one.name === name && !one.isDeleted);
        if (known === undefined) return;
        if (random() < 0.5) mollie.deleteCustomer(known.id);
        else {
          for (const { id, customerId } of mollie.api.customers.mandates.values()) {
            if (customerId === known.id) mollie.revokeMandate(id);
          }
        }
      },
      succeeded: () =>
        mollie.payments
          .filter(({ status, sequenceType }) => status === 'paid' && sequenceType === 'recurring')
          .map(({ metadata, amount }) => ({
            transactionId: (metadata as { florin_transaction: string }).florin_transaction,
            amount: Math.round(Number(amount.value) * 100),
          })),
    },
  });
}, 3_500_000);
