import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeCheckout, makeShop, type Shop } from '../support/billing/checkouts.ts';
import { makeCustomer } from '../support/billing/invoices.ts';
import { administratorOf, channelInput, dataOf, makeChannel, makePayment } from '../support/factories.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../support/postgres/database.ts';
import { administratorPassword, florinOn, type TestFlorin } from '../support/service/florin.ts';
import { openProxy, type ProxyBelow } from '../support/service/proxy.ts';

const browser = 'text/html,*/*;q=0.8';

describe.each([
  ['passes the path on', '/florin', false],
  ['strips the path', '/florin', true],
  ['passes a path of several parts on', '/shop/v1.0', false],
])('below a path, behind a proxy that %s (%s)', (_what, path, strips) => {
  let db: TestDatabase;
  let proxy: ProxyBelow;
  let florin: TestFlorin;
  let admin: string;
  let shop: Shop;

  beforeAll(async () => {
    db = await databaseFromTemplate();
    proxy = await openProxy(path, { strips });
    florin = await florinOn(db, { APP_PUBLIC_URL: proxy.url, APP_SECURITY_CONTACT: 'security@example.com' });
    proxy.forwardTo(florin.address);
    admin = await administratorOf(florin);
    shop = await makeShop(florin, admin);
  });

  afterAll(async () => {
    await florin.stop();
    await proxy.close();
    await db.drop();
  });

  const open = async (url: string | URL, init: RequestInit = {}) => {
    const response = await fetch(url, { redirect: 'manual', ...init });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };

  /** The addresses of links, forms, styles, scripts and pictures of a page that lead to the host of the proxy. */
  const addressesOn = (page: string, html: string) => {
    const written = [...html.matchAll(/(?:href|src|action)="([^"#][^"]*)"/g)].map(([, address = '']) => address);
    const own = written.map((address) => new URL(address.replaceAll('&amp;', '&'), page));
    return [...new Set(own.filter(({ origin }) => origin === new URL(proxy.url).origin).map(({ href }) => href))];
  };

  const submit = (url: string, fields: Record<string, string>) =>
    open(url, { method: 'POST', body: new URLSearchParams(fields) });

  test('the API and health checks are served with the path and without it', async () => {
    for (const address of [proxy.url, florin.address, florin.address + path]) {
      expect((await open(`${address}/health/ready`)).status).toBe(200);
      const answer = await open(`${address}/api/user/info`, { headers: { authorization: admin } });
      expect(answer.status).toBe(200);
    }
  });

  test('a refusal names the path that was sent', async () => {
    const { status, body } = await florin.get(`${path}/api/nowhere`);
    expect([status, body.message]).toEqual([404, `There is no GET ${path}/api/nowhere.`]);
    expect((await florin.get(`${path}x/health/live`)).status).toBe(404);
  });

  test('every link, style and script of the documentation leads to a page below the path', async () => {
    const seen = new Set<string>();
    const pages = ['/docs', '/docs/overview', '/docs/guides/webhooks', '/docs/reference/errors'];
    for (const page of pages.map((one) => proxy.url + one)) {
      const { status, text } = await open(page);
      expect(status, page).toBe(200);
      const addresses = addressesOn(page, text);
      expect(addresses, page).not.toEqual([]);
      for (const address of addresses) seen.add(address.split('#')[0] as string);
    }
    expect(seen.size).toBeGreaterThan(40);
    for (const address of seen) expect((await open(address)).status, address).toBe(200);
  });

  test('the index for language models leads to pages below the path', async () => {
    const { text } = await open(`${proxy.url}/llms.txt`);
    const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => new URL(link, proxy.url).href);
    expect(links.length).toBeGreaterThan(40);
    for (const link of links) expect((await open(link)).status, link).toBe(200);
    expect(text).toContain(`\`${path}/openapi.json\``);
  });

  test('the OpenAPI document names the address with the path', async () => {
    const { servers } = JSON.parse((await open(`${proxy.url}/openapi.json`)).text);
    expect(servers).toEqual([{ url: proxy.url }]);
  });

  test.each(['/reset-password?token=t', '/device?code=c'])('%s finds its style and its script', async (page) => {
    const { status, text } = await open(proxy.url + page);
    const addresses = addressesOn(proxy.url + page, text);
    expect([status, addresses.length]).toEqual([200, 2]);
    for (const address of addresses) expect((await open(address)).status, address).toBe(200);
  });

  test('security.txt names itself', async () => {
    const [, canonical = ''] =
      /^Canonical: (.+)$/m.exec((await open(`${proxy.url}/.well-known/security.txt`)).text) ?? [];
    expect([canonical, (await open(canonical)).status]).toEqual([`${proxy.url}/.well-known/security.txt`, 200]);
  });

  test('the page for an unknown address leads to the console', async () => {
    const page = `${proxy.url}/nowhere`;
    const { status, text } = await open(page, { headers: { accept: browser } });
    expect([status, addressesOn(page, text)]).toEqual([404, [`${proxy.url}/`]]);
  });

  test('the console signs in with a cookie for the whole host that is its own', async () => {
    const headers = { origin: new URL(proxy.url).origin, 'x-florin-console': '1', 'content-type': 'application/json' };
    const body = JSON.stringify({ account: 'admin', password: administratorPassword });
    const signedIn = await open(`${proxy.url}/api/console/session`, { method: 'POST', headers, body });
    const cookie = signedIn.headers.get('set-cookie') ?? '';
    expect([signedIn.status, cookie]).toEqual([200, expect.stringMatching(/^florin-\d+-\S+; Max-Age=\d+; Path=\/; /)]);
    const session = await open(`${proxy.url}/api/console/session`, {
      headers: { ...headers, cookie: cookie.split(';')[0] as string },
    });
    expect(JSON.parse(session.text).data.publicUrl).toBe(proxy.url);
  });

  test('a payer chooses at the sandbox', async () => {
    const channelId = await makeChannel(florin, admin, { provider: 'sandbox' });
    const id = await makePayment(florin, admin, channelId, { metadata: { sandbox: 'payer' } });
    const read = async () => dataOf(await florin.get(`/api/transaction/detail?id=${id}`, admin));
    const page = await eventually(
      'the payer is asked',
      async () => (await read()).nextAction?.url as string | undefined,
    );
    expect(page.startsWith(`${proxy.url}/sandbox/pay/`)).toBe(true);
    const pressed = await submit(page, { decision: 'pay' });
    const after = new URL(pressed.headers.get('location') as string, page);
    expect([pressed.status, (await open(after)).text]).toEqual([303, expect.stringContaining('is paid')]);
  });

  test("a payer pays on a payment link, goes to the sandbox, and is sent back to the link's page", async () => {
    const { url } = await makeCheckout(florin, shop, { metadata: { sandbox: 'payer' } });
    const { status, text } = await open(url);
    expect([status, text]).toEqual([200, expect.stringContaining('<form method="post">')]);
    const paying = await submit(url, { channel: String(shop.cards) });
    const waiting = new URL(paying.headers.get('location') as string, url);
    expect([paying.status, waiting.pathname]).toEqual([303, new URL(url).pathname]);
    const sandbox = await eventually('the page leads to the sandbox', async () =>
      addressesOn(url, (await open(url)).text).find((address) => address.includes('/sandbox/pay/')),
    );
    expect((await submit(sandbox, { decision: 'pay' })).status).toBe(303);
    const [, back = ''] = /<a href="([^"]+)">Continue/.exec((await open(sandbox)).text) ?? [];
    expect(back.startsWith(`${proxy.url}/r/`)).toBe(true);
    const returned = await open(back);
    const onwards = returned.headers.get('location') as string;
    expect([returned.status, onwards.startsWith(`${proxy.url}/p/return/`)]).toEqual([303, true]);
    const sentOn = await open(onwards);
    const page = new URL(sentOn.headers.get('location') as string, onwards);
    expect([sentOn.status, page.href]).toEqual([303, url]);
  });

  test('the portal of a customer opens', async () => {
    const customerId = await makeCustomer(florin, shop.as);
    const { url } = dataOf(await florin.post('/api/customer/portal', { customerId }, shop.as));
    expect([url.startsWith(`${proxy.url}/p/portal/`), (await open(url)).status]).toEqual([true, 200]);
  });

  test('callbacks of providers reach the channel, and messages the inbox, at the addresses given out', async () => {
    const input = channelInput({ provider: 'sandbox', webhookSecret: 'whsec' });
    const { callbackUrl } = dataOf(await florin.post('/api/channel/modify', input, admin));
    const called = await request(callbackUrl, { method: 'POST', body: '{}' });
    expect(await called.body.text()).toContain('callback_invalid');
    const inbox = dataOf(await florin.post('/api/inbox/create', {}, admin));
    expect((await open(inbox.url, { method: 'POST', body: '{}' })).status).toBe(200);
  });

  test('a program that logs in by device sends its user to the page below the path', async () => {
    const { verificationUri } = dataOf(await florin.post('/api/device/code', { client: 'a program' }));
    expect([verificationUri, (await open(verificationUri)).status]).toEqual([`${proxy.url}/device`, 200]);
  });
});

test.each(['/api', '/payments', '/docs/v1'])(
  'a node does not start below %s, because paths of its own begin like it',
  async (path) => {
    const db = await databaseFromTemplate();
    const start = florinOn(db, { APP_PUBLIC_URL: `https://pay.example${path}` });
    await expect(start).rejects.toThrow(`app.public-url must not have the path ${path}`);
    await db.drop();
  },
);
