import { dataOf, makeChannel, makeMember, makeTenant, memberPassword } from '@florin/server/tests/factories.ts';
import { eventually } from '@florin/server/tests/postgres/database.ts';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { type OpenedConsole, shown } from './opened-console.ts';

const dayMs = 86_400_000;

/** What home says and where it leads, in the second window. */
export function homeJourneys(opened: () => OpenedConsole): void {
  let console: OpenedConsole;
  let page: Page;
  let channelId: number;

  const get = async (path: string) => dataOf(await console.florin.get(path, console.admin));
  const post = async (path: string, body: object) => dataOf(await console.florin.post(path, body, console.admin));
  const alert = (words: RegExp) =>
    page.getByRole('region', { name: 'This needs your attention' }).getByRole('listitem').filter({ hasText: words });

  beforeAll(async () => {
    console = opened();
    page = console.guest;
    const provider = { name: 'Falling', provider: 'sandbox', webhookSecret: 'a secret of these journeys' };
    channelId = await makeChannel(console.florin, console.admin, { ...provider, currency: 'EUR,JPY' });
  });

  const finalStatus = (id: string) =>
    eventually('the payment is final', async () => {
      const { status } = await get(`/api/transaction/detail?id=${id}`);
      return status === 'SUCCESS' || status === 'FAILED' ? status : undefined;
    });

  test('home names a channel whose success has fallen and a discrepancy, and leads to them', async () => {
    const metadata = { sandbox: 'decline:card_declined' };
    const { id } = await post('/api/transaction/create', { amount: 500, currency: 'EUR', channelId, metadata });
    expect(await finalStatus(id)).toBe('FAILED');
    await eventually('its charge is counted', async () => {
      const rows = await get('/api/statistics/recent?livemode=false');
      return rows.some((row: { channelId: number }) => row.channelId === channelId);
    });
    await console.db.query(
      `insert into charge_hour_total (tenant_id, day, hour, channel_id, outcome, count)
       select 0, current_date - days, hour, $1, outcome, count
         from (values (3, 12, 'SUCCEEDED', 100), (0, 0, 'SUCCEEDED', 30), (0, 0, 'FAILED', 30))
              as counted (days, hour, outcome, count)
           on conflict (tenant_id, day, hour, channel_id, outcome) do update
          set count = charge_hour_total.count + excluded.count`,
      [channelId],
    );
    await console.db.query(
      `insert into discrepancy (tenant_id, transaction_id, number, channel_id, said, state, due_at, opened_at)
       select tenant_id, transaction_id, number, channel_id, 'succeeded', 'DISAGREES', now() + interval '1 day', now()
         from provider_operation where channel_id = $1`,
      [channelId],
    );
    await console.signIn(page, 'admin', console.password, '/');
    await shown(page, '/', 'Test');
    await alert(/^Falling: 4\d% of the charges succeeded in the last 24 hours, 100% in the seven days before/)
      .getByRole('link')
      .click();
    await page.waitForURL(/\/test\/payments\?channelId=\d+&status=FAILED&startDate=\d{4}-\d\d-\d\dT\d\d:00:00.000Z/);
    await page.getByRole('row', { name: /Failed.*EUR\s5\.00/ }).waitFor();

    await shown(page, '/', 'Test');
    await alert(/discrepanc/)
      .getByRole('link')
      .click();
    await page.waitForURL('**/test/discrepancies?state=DISAGREES');
    await page.getByRole('row', { name: new RegExp(id.slice(-6)) }).waitFor();
    await console.db.query('delete from discrepancy where channel_id = $1', [channelId]);
    await console.db.query('delete from charge_hour_total where channel_id = $1', [channelId]);
  });

  test('home counts deliveries that are overdue', async () => {
    const endpoint = { url: 'http://127.0.0.1:9/nobody', events: ['customer.updated'], livemode: false };
    const { id } = await post('/api/webhook/register', endpoint);
    await post('/api/webhook/test', { id });
    await eventually('the delivery waits for its second attempt', async () => {
      const [delivery] = await get(`/api/webhook/delivery/list?endpointId=${id}`);
      return delivery?.attemptCount > 0 && delivery.state === 'OPEN';
    });
    // Paused, so that no worker takes the delivery while the page is open.
    await console.db.query(`update webhook_endpoint set open_until = now() + interval '1 hour' where id = $1`, [id]);
    await console.db.query(`update delivery set due_at = now() - interval '5 minutes' where endpoint_id = $1`, [id]);
    await shown(page, '/', 'Test');
    await alert(/^Deliveries that are overdue: \d/)
      .getByRole('link')
      .click();
    await page.waitForURL('**/test/deliveries?state=OPEN');
    await page
      .getByRole('row', { name: /waiting for the endpoint/ })
      .first()
      .waitFor();
    await post('/api/webhook/remove', { id });
  });

  test('home warns platform administrators alone of a certificate that ends soon, after a live payment', async () => {
    const live = await makeChannel(console.florin, console.admin, { name: 'Till of home', currency: 'EUR' });
    await post('/api/transaction/create', { amount: 500, currency: 'EUR', channelId: live });
    const ends = new Date(Date.now() + 9 * dayMs).toISOString();
    // The node of this test has no certificate.
    await page.route('**/api/console/session', async (route) => {
      const reply = await route.fetch();
      const body = await reply.json();
      await route.fulfill({ response: reply, json: { ...body, data: { ...body.data, certificateEndTime: ends } } });
    });
    await shown(page, '/', 'Live');
    const warning = alert(/The certificate of the public address ends on .* renew it at the proxy/);
    const guide = await warning.getByRole('link', { name: 'How' }).getAttribute('href');
    expect(guide).toBe('/docs/guides/production#when-the-certificate-ends');
    const tenantId = await makeTenant(console.florin, console.admin);
    const member = await makeMember(console.florin, console.admin, { userType: 'MERCHANT_ADMIN', tenantId });
    await console.signIn(page, member.userName, memberPassword, '/');
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    expect(await warning.count()).toBe(0);
    await page.unroute('**/api/console/session');
  });

  test('home compares the chosen days with those before, in every currency of both', async () => {
    const tenantId = await makeTenant(console.florin, console.admin);
    const owner = await makeMember(console.florin, console.admin, { userType: 'MERCHANT_ADMIN', tenantId });
    const pay = async (amount: number, currency: string) => {
      const reply = await console.florin.post('/api/transaction/create', { amount, currency, channelId }, owner.as);
      return finalStatus(dataOf(reply).id);
    };
    const counted = (count: number) =>
      eventually('the payments are counted', async () => {
        const [row] = await console.db.query<{ count: string }>(
          `select sum(count) as count from transaction_total
            where tenant_id = $1 and status = 'SUCCESS' and channel_id = 0 and user_id = 0 and day = current_date`,
          [tenantId],
        );
        return Number(row?.count) === count;
      });
    await pay(1_000, 'EUR');
    await pay(900, 'JPY');
    await counted(2);
    await console.db.query('update transaction_total set day = day - 7 where tenant_id = $1', [tenantId]);
    await console.db.query('update charge_total set day = day - 7 where tenant_id = $1', [tenantId]);
    await pay(1_500, 'EUR');
    await counted(1);
    await console.signIn(page, owner.userName, memberPassword, '/');
    await shown(page, '/', 'Test');
    const range = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });
    const daysAgo = (days: number) => Date.now() - days * dayMs;
    const [chosen, before] = [range.formatRange(daysAgo(6), daysAgo(0)), range.formatRange(daysAgo(13), daysAgo(7))];
    await page.getByText(`${chosen} (UTC), compared with ${before}`).waitFor();
    await page.getByText(/^EUR\s15\.00 \+50%$/).waitFor();
    await page.getByText(/^JPY\s0 -100%$/).waitFor();
    await page.getByRole('link', { name: 'Succeeded: 1' }).click();
    const utcDay = (ms: number) => new Date(ms).toISOString().slice(0, 10);
    await page.waitForURL(`**/payments?status=SUCCESS&startDate=${utcDay(daysAgo(6))}&endDate=${utcDay(daysAgo(0))}`);
    await page.getByRole('row', { name: /Succeeded.*EUR\s15\.00/ }).waitFor();
  });
}
