import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect } from 'vitest';
import { brokenClaims } from '../broken-claims.ts';
import { administratorOf, dataOf, makeChannel, makeKey, makeMember, makeTenant } from '../factories.ts';
import { bodiesOf, startSmtpServer } from '../mail/smtp-server.ts';
import { channelSecret } from '../payments/callbacks.ts';
import { databaseFromTemplate, eventually } from '../postgres/database.ts';
import { florinOn } from '../service/florin.ts';

export interface LiveShopOptions {
  /** The channel at a provider. */
  channel: { provider: string; apiKey: string };
  /** Where the provider's simulator is. */
  environment: Record<string, string>;
  clock: () => number;
}

export interface Method {
  id: string;
  type: string;
  status: string;
  isDefault: boolean;
}

export type LiveShop = Awaited<ReturnType<typeof openLiveShop>>;

/** A shop in live mode, because test customers get no mails. For payers with a browser, which is redirected to it. */
export async function openLiveShop({ channel, environment, clock }: LiveShopOptions) {
  const db = await databaseFromTemplate();
  const smtp = await startSmtpServer();
  // The addresses to which the browser is redirected contain the port.
  const port = await freePort();
  const address = { APP_SERVER_PORT: port, APP_PUBLIC_URL: `http://127.0.0.1:${port}` };
  const florin = await florinOn(db, { ...address, APP_MAIL_URL: smtp.url, ...environment }, clock);
  const admin = await administratorOf(florin);
  const tenantId = await makeTenant(florin, admin, 'Books');
  const tenant = { id: tenantId, name: 'Books', state: true, customerMails: true };
  dataOf(await florin.post('/api/tenant/modify', tenant, admin));
  const { as } = await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId });
  const facts = { ...channel, livemode: true, webhookSecret: channelSecret, name: 'Online', currency: 'EUR' };
  const channelId = await makeChannel(florin, as, facts);
  // Sessions end before the second month.
  const key = (await makeKey(florin, as, '*')).as;
  const post = async (path: string, body: unknown) => dataOf(await florin.post(`/api/${path}`, body, key));
  const get = async (path: string) => dataOf(await florin.get(`/api/${path}`, key));
  const methodsOf = async (customerId: number): Promise<Method[]> =>
    get(`payment-method/list?customerId=${customerId}`);

  return {
    florin,
    key,
    channelId,
    post,
    get,
    methodsOf,

    methodIs: (customerId: number, id: string | undefined, expected: Partial<Method>) =>
      eventually(`the method is ${JSON.stringify(expected)}`, async () => {
        const found = (await methodsOf(customerId)).find((one) => one.id === id);
        return Object.entries(expected).every(([name, value]) => found?.[name as keyof Method] === value);
      }),

    stateIs: (id: number, state: string) =>
      eventually(
        `the subscription is ${state}`,
        async () => (await get(`subscription/detail?id=${id}`)).state === state,
      ),

    portalOf: async (customerId: number): Promise<string> => (await post('customer/portal', { customerId })).url,

    /** The address in the newest mail that says this. */
    addressIn: (words: string) =>
      eventually(`a mail says: ${words}`, () => {
        const texts = smtp.received.flatMap((mail) => bodiesOf(mail)['text/plain'] ?? '');
        const text = texts.findLast((one) => one.includes(words));
        return /http:\/\/127\.0\.0\.1:\d+\/p\/[\w-]+/.exec(text ?? '')?.[0];
      }),

    /** Lets the provider be asked now about what waits for it, instead of by the schedule. */
    lookUpNow: () => db.query(`update provider_operation set due_at = now() where state = 'WAITING'`),

    close: async (): Promise<void> => {
      expect(await brokenClaims(db.database)).toEqual([]);
      await florin.stop();
      await smtp.close();
      await db.drop();
    },
  };
}

async function freePort(): Promise<string> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return String(port);
}
