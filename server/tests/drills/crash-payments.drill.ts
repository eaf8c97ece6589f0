import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dataOf, makeChannel } from '../support/factories.ts';
import { eventually } from '../support/postgres/database.ts';
import { administratorPassword } from '../support/service/florin.ts';
import { type ReadyService, startService } from '../support/service/service-process.ts';
import { type StripeSimulator, simulatedApiKey, startStripeSimulator } from '../support/simulators/stripe.ts';

/** The provider may still be processing the request of the killed service; it is then asked again after 5 and 30 s. */
const lookedUpWithinMs = 50_000;

/**
 * Kills the service at every step around a provider call, while the provider, in another process, records what it
 * charged: nobody is charged twice, and every payment ends in the right state.
 */
describe('a crash at each step around a provider call', () => {
  let dataDir: string;
  let stripe: StripeSimulator;
  let service: ReadyService;
  let as: string;
  let channelId: number;

  const start = async (drill?: string) => {
    const environment = {
      PORT: '0',
      APP_DATA_DIR: dataDir,
      APP_ADMIN_PASSWORD: administratorPassword,
      APP_PROVIDER_STRIPE_URL: stripe.url,
      APP_PROVIDER_TIMEOUT: '2s',
      ...(drill !== undefined && { APP_DRILL_FAIL_POINT: drill }),
    };
    service = await startService({ environment });
    as = await service.login('admin', administratorPassword);
  };

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'florin-crash-'));
    stripe = await startStripeSimulator();
    await start();
    channelId = await makeChannel(service, as, { provider: 'stripe', livemode: false, apiKey: simulatedApiKey });
    await service.end('SIGTERM');
  });

  afterAll(async () => {
    await service.end('SIGTERM');
    await stripe.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  const pay = async (paymentMethod: string): Promise<string> => {
    const input = { amount: 1999, currency: 'USD', channelId, paymentMethod };
    return dataOf(await service.post('/api/transaction/create', input, as)).id;
  };
  const statusOf = async (id: string): Promise<string> =>
    dataOf(await service.get(`/api/transaction/detail?id=${id}`, as)).status;
  const ending = (id: string) =>
    eventually(
      `${id} has ended`,
      async () => {
        const status = await statusOf(id);
        return status === 'PENDING' || status === 'PROCESSING' ? undefined : status;
      },
      lookedUpWithinMs,
    );
  const chargesOf = (id: string) => stripe.charges.filter(({ metadata }) => metadata.florin_key?.startsWith(id));

  /** Creates payments concurrently until the fail point kills the service; answers to some may be lost. */
  const payUntilKilled = async (): Promise<string[]> => {
    const made = await Promise.allSettled([
      ...Array.from({ length: 6 }, () => pay('pm_card_visa')),
      ...Array.from({ length: 2 }, () => pay('pm_card_chargeDeclinedInsufficientFunds')),
    ]);
    expect(await service.ended).toEqual({ code: null, signal: 'SIGKILL' });
    return made.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  };

  test.each(['claimed', 'begun:1', 'calling:3', 'answered:3', 'settled:3'])(
    'killed at %s, every payment is charged at most once and ends as its provider says',
    async (drill) => {
      await start(drill);
      const ids = await payUntilKilled();
      await start();
      for (const id of ids) {
        const status = await ending(id);
        expect(chargesOf(id)).toHaveLength(status === 'SUCCESS' ? 1 : 0);
      }
      expect(ids.length).toBeGreaterThan(0);
      await service.end('SIGTERM');
    },
  );

  test('killed while the provider is at work, a charge that succeeded is found, not repeated', async () => {
    await start();
    const arrived = stripe.next('stall', /^POST \/v1\/payment_intents$/);
    const id = await pay('pm_card_visa');
    await arrived;
    await service.end('SIGKILL');
    stripe.resume();
    await start();
    expect(await ending(id)).toBe('SUCCESS');
    expect(chargesOf(id)).toHaveLength(1);
    await service.end('SIGTERM');
  });

  test.each(['claimed', 'calling', 'answered', 'settled'])(
    'killed at %s of a refund, the money is refunded once',
    async (drill) => {
      await start();
      const id = await pay('pm_card_visa');
      expect(await ending(id)).toBe('SUCCESS');
      await service.end('SIGTERM');
      await start(drill);
      const refund = await service.post('/api/refund/create', { transactionId: id, amount: 500 }, as).catch(() => null);
      expect(await service.ended).toEqual({ code: null, signal: 'SIGKILL' });
      await start();
      const { id: refundId } = refund
        ? dataOf(refund)
        : dataOf(await service.get(`/api/refund/list?transactionId=${id}`, as))[0];
      const isGiven = async () =>
        dataOf(await service.get(`/api/refund/detail?id=${refundId}`, as)).status === 'SUCCESS';
      await eventually(`${refundId} has ended`, isGiven, lookedUpWithinMs);
      const [charge] = chargesOf(id);
      const given = stripe.refunds.filter((one) => one.payment_intent === charge?.payment_intent);
      expect(given.map(({ amount }) => amount)).toEqual([500]);
      expect(await statusOf(id)).toBe('REFUNDED');
      await service.end('SIGTERM');
    },
  );
});
