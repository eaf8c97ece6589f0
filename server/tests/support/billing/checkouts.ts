import { dataOf, makeChannel, makeMember, makeTenant } from '../factories.ts';
import type { TestDatabase } from '../postgres/database.ts';
import type { Reply, TestFlorin } from '../service/florin.ts';

type ServiceClient = Omit<TestFlorin, 'dataDir' | 'stop'>;

/** A tenant with an administrator, and with two test channels: an offline one and one of the sandbox. */
export async function makeShop(florin: ServiceClient, admin: string, name = 'Mühle & Söhne') {
  const tenantId = await makeTenant(florin, admin, name);
  const { as } = await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId });
  const bank = await makeChannel(florin, as, { name: 'Bank <transfer>', livemode: false, currency: 'USD,EUR,JPY,KWD' });
  const cards = await makeChannel(florin, as, { name: 'Cards', provider: 'sandbox', currency: 'USD,EUR,JPY,KWD' });
  return { tenantId, as, bank, cards };
}

export type Shop = Awaited<ReturnType<typeof makeShop>>;

/** The path of a URL in a response. */
export const pathOf = (url: string) => new URL(url).pathname;

export async function makeCheckout(florin: ServiceClient, { as, bank, cards }: Shop, changes: object = {}) {
  const input = { amount: 1999, currency: 'EUR', channelIds: [cards, bank], description: 'A <b>chair</b>', ...changes };
  const checkout = dataOf(await florin.post('/api/checkout/create', input, as));
  return { ...checkout, path: pathOf(checkout.url) };
}

/** Opens pages and submits their forms, like a browser without scripts. */
export const pagesOf = (florin: ServiceClient) => ({
  open: (path: string, language = 'en'): Promise<Reply> =>
    florin.call('GET', path, { headers: { 'accept-language': language } }),
  submit: (path: string, fields: Record<string, string | number> = {}): Promise<Reply> =>
    florin.call('POST', path, {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(
        Object.entries(fields).map(([name, value]) => [name, String(value)] as [string, string]),
      ).toString(),
    }),
});

export const paymentsOf = ({ query }: TestDatabase, checkoutId: number) =>
  query<{ status: string; amount: number; return_url: string; metadata: object }>(
    `select t.status, t.amount, t.return_url, t.metadata
       from checkout_payment p join transaction t on t.tenant_id = p.tenant_id and t.id = p.transaction_id
      where p.checkout_id = $1 order by p.number`,
    [checkoutId],
  );
