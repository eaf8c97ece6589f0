import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dataOf, makeChannel } from '../factories.ts';
import type { Kill } from '../faults/kills.ts';
import { eventually } from '../postgres/database.ts';
import { administratorPassword, untilTaken } from '../service/florin.ts';
import { startService } from '../service/service-process.ts';
import { verified } from '../service/verified.ts';
import { makePayingCustomer, replaceMethod } from './invoices.ts';

/** An invoice as `invoice/detail` returns it, but with the oldest payment first. */
export interface YearInvoice {
  id: number;
  number: string;
  status: string;
  total: number;
  amountPaid: number;
  periodStart: string | null;
  periodEnd: string | null;
  finalizedTime: string;
  payments: { transactionId: string; amount: number; state: string; createdTime: string; failureCode: string | null }[];
}

export type Year = Awaited<ReturnType<typeof startYear>>;

export const yearBegins = '2027-01-31T09:30:00.000Z';

export interface YearOptions {
  /** Further settings of the service. */
  environment?: Record<string, string>;
  /** The channel of the customers. Default: one at the sandbox. */
  channel?: Record<string, unknown>;
}

/** Starts a service with its own PostgreSQL, and a test clock at the beginning of the year for all customers. */
export async function startYear({ environment: further = {}, channel = { provider: 'sandbox' } }: YearOptions = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), 'florin-year-'));
  const environment = {
    PORT: '0',
    APP_DATA_DIR: dataDir,
    APP_ADMIN_PASSWORD: administratorPassword,
    // A provider call that was in progress when the service was killed is looked up when its lease ends: 12 s instead
    // of 50.
    APP_PROVIDER_TIMEOUT: '1s',
    APP_LOG_LEVEL: 'error',
    ...further,
  };
  let service = await startService({ environment });
  const as = await service.login('admin', administratorPassword);
  // A year is longer than any full moment of the machine: what is refused then is asked again.
  const post = async (path: string, body: unknown) =>
    dataOf(await untilTaken(() => service.post(`/api/${path}`, body, as)));
  const get = async (path: string) => dataOf(await untilTaken(() => service.get(`/api/${path}`, as)));
  const channelId = await makeChannel(service, as, { currency: 'USD,EUR,JPY', ...channel });
  const { id: clockId } = await post('clock/create', { name: 'The year', nowTime: yearBegins });
  /** Ids by the customer's name. */
  const customers = new Map<string, number>();
  const subscriptions = new Map<string, number>();
  let nowTime = yearBegins;

  return {
    get,
    post,
    channelId,
    clockId,
    subscriptions,

    plan: async (facts: Record<string, unknown>): Promise<number> =>
      (await post('plan/modify', { currency: 'USD', interval: 'month', livemode: false, state: true, ...facts })).id,

    subscribe: async (name: string, planId: number, changes: Record<string, unknown> = {}): Promise<void> => {
      const customer = { name, clockId, defaultChannelId: channelId };
      const customerId = await makePayingCustomer(service, as, customer);
      customers.set(name, customerId);
      subscriptions.set(name, (await post('subscription/create', { customerId, planId, ...changes })).id);
    },

    card: (name: string, behaviour: string) =>
      replaceMethod(service, as, customers.get(name) as number, `sandbox:${behaviour}`),

    alter: (verb: string, name: string, changes: Record<string, unknown> = {}) =>
      post(`subscription/${verb}`, { id: subscriptions.get(name), ...changes }),

    /** Advances the clock and performs the kills at their times; resolves when the clock has arrived. */
    async advance(toTime: string, kills: readonly Kill[] = []): Promise<void> {
      const [fromMs, toMs] = [Date.parse(nowTime), Date.parse(toTime)];
      for (const kill of kills.filter(({ at }) => at === 0)) await perform(kill);
      for (const kill of kills.filter(({ at }) => at > 0)) {
        await waitForClock(fromMs + kill.at * (toMs - fromMs), toTime);
        await new Promise((resolve) => setTimeout(resolve, kill.afterMs));
        await perform(kill);
      }
      await waitForClock(toMs, toTime);
      nowTime = toTime;
    },

    /** The invoices of a customer, oldest first. */
    async invoices(name: string): Promise<YearInvoice[]> {
      const listed: { id: number }[] = await get(`invoice/list?customerId=${customers.get(name)}&pageSize=100`);
      const details: YearInvoice[] = await Promise.all(
        listed.toReversed().map(({ id }) => get(`invoice/detail?id=${id}`)),
      );
      return details.map((invoice) => ({ ...invoice, payments: invoice.payments.toReversed() }));
    },

    /** All events, newest first. */
    async events(): Promise<{ id: string; type: string; objectId: string }[]> {
      const all: { id: string; type: string; objectId: string }[] = [];
      let next: string | null = '';
      while (next !== null) {
        const page = await service.get(
          `/api/event/list?livemode=false&pageSize=100${next === '' ? '' : `&after=${next}`}`,
          as,
        );
        all.push(...dataOf(page));
        next = page.body.pagination.next;
      }
      return all;
    },

    /** Delivers a provider's callback. Returns whether the service has taken it. */
    deliver: async (callback: { url: string; headers: Record<string, string>; body: string }): Promise<boolean> => {
      const { pathname, search } = new URL(callback.url);
      const { headers, body } = callback;
      return (await service.call('POST', `${pathname}${search}`, { headers, body })).status < 300;
    },

    /** Runs `npm run verify` beside the service. */
    verified: () => verified(dataDir),

    close: async (): Promise<void> => {
      // SIGTERM, so that it stops its PostgreSQL.
      await service.end('SIGTERM');
      await rm(dataDir, { recursive: true, force: true });
    },
  };

  /**
   * Waits until the clock has passed `atMs` on its way to `toTime`; repeats the request, which a kill may have lost.
   */
  async function waitForClock(atMs: number, toTime: string): Promise<void> {
    await eventually(
      `the clock has passed ${new Date(atMs).toISOString()}`,
      async () => {
        const clock = await service.get(`/api/clock/detail?id=${clockId}`, as).catch(() => null);
        if (clock?.status !== 200) return false;
        const { state, nowTime: shown } = clock.body.data;
        const hasArrived = Date.parse(shown) >= Date.parse(toTime);
        if (state === 'READY' && !hasArrived)
          service.post('/api/clock/advance', { id: clockId, toTime }, as).catch(() => null);
        return hasArrived ? state === 'READY' : Date.parse(shown) >= atMs;
      },
      1_800_000,
    );
  }

  async function perform({ what }: Kill): Promise<void> {
    if (what !== 'service') {
      const before = postmaster();
      process.kill(before, 'SIGKILL');
      if (what === 'PostgreSQL') {
        await eventually('PostgreSQL runs again', () => ![undefined, before].includes(postmasterOrNone()), 60_000);
        return;
      }
    }
    await service.end('SIGKILL');
    service = await startService({ environment });
  }

  function postmaster(): number {
    return Number(readFileSync(join(dataDir, 'postgres', 'cluster', 'postmaster.pid'), 'utf8').split('\n')[0]);
  }

  function postmasterOrNone(): number | undefined {
    try {
      return postmaster() || undefined;
    } catch {
      return undefined;
    }
  }
}
