import { dataOf } from '@florin/server/tests/factories.ts';
import { eventually } from '@florin/server/tests/postgres/database.ts';
import { type Receiver, startReceiver } from '@florin/server/tests/webhooks/receiver.ts';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { goTo, type OpenedConsole, shown } from './opened-console.ts';

/**
 * Journeys in the window of the administrator. `failed` needs a retry that happens during the journeys between the two.
 */
export function webhookJourneys(opened: () => OpenedConsole): Record<'refused' | 'failed', () => void> {
  /** A merchant's server that is out of order. */
  let receiver: Receiver;
  let console: OpenedConsole;
  let page: Page;

  const open = () => {
    console = opened();
    page = console.window;
  };
  const api = async (path: string, body: object) => dataOf(await console.florin.post(path, body, console.admin));
  let refusedEndpointId: number;
  /** The customer whose creation the receiver refuses. */
  let customerId: number;
  const button = (name: string | RegExp) => page.getByRole('button', { name });

  function refused(): void {
    beforeAll(open);

    test('a refused delivery shows the request, the response and the time of the next try', async () => {
      receiver = await startReceiver((_post, _request, response) => response.writeHead(500).end('out of order'));
      const hook = { url: receiver.url, events: ['customer.created'], livemode: false };
      const { id, secret } = await api('/api/webhook/register', hook);
      refusedEndpointId = id;
      console.secrets.push(secret);
      ({ id: customerId } = await api('/api/customer/modify', { name: 'Ada', livemode: false }));
      await goTo(page, `/webhooks/${id}`);
      await page
        .getByRole('row', { name: /customer.created/ })
        .getByRole('link')
        .click();
      await page.waitForURL('**/deliveries/dlv_*');
      await page.getByText('Attempt 1').waitFor();
      await page.getByText('out of order').waitFor();
      await page.getByText(/Next try/).waitFor();
      await page.getByText('"name": "Ada"').waitFor();
    });

    test('a failing endpoint is seen from home, tested and retried', async () => {
      await goTo(page, '/', 'Test');
      const alerts = page.getByRole('region', { name: 'This needs your attention' });
      const { id } = await api('/api/webhook/register', {
        url: receiver.url,
        events: ['customer.updated'],
        livemode: false,
      });
      await console.florin.post('/api/webhook/test', { id }, console.admin);
      await eventually('the test is refused', async () => {
        const list = await console.florin.get(`/api/webhook/delivery/list?endpointId=${id}`, console.admin);
        return list.body.data.some(({ attemptCount }: { attemptCount: number }) => attemptCount > 0);
      });
      await console.db.query(
        `update webhook_endpoint set open_until = now() + interval '1 hour', first_failure_at = now() where id = $1`,
        [id],
      );
      await shown(page, '/');
      const paused = alerts.getByRole('listitem').filter({ hasText: 'is paused after failures' });
      await paused.filter({ hasText: receiver.url }).last().getByRole('link').click();
      await page.waitForURL(`**/test/webhooks/${id}`);
      await page.getByText('Failing since').waitFor();
      await page.getByText('Deliveries that wait').waitFor();
      await page.getByText('Last error').waitFor();
      receiver.answering = 200;
      await button('Retry now').click();
      await button('Retry now').waitFor({ state: 'detached' });
      await button('Send a test').click();
      await page.getByText('The endpoint accepted the test: HTTP 200').waitFor();
      receiver.answering = (_post, _request, response) => response.writeHead(500).end('out of order');
      await button('Send a test').click();
      await page.getByText('The endpoint did not accept the test: HTTP 500').waitFor();
      await page.getByText('It is sent again later.').waitFor();
      await console.florin.post('/api/webhook/remove', { id }, console.admin);
    });

    test('an endpoint that the service has switched off is resumed, and its test was not promised again', async () => {
      const gone = await startReceiver(410);
      const { id } = await api('/api/webhook/register', {
        url: gone.url,
        events: ['customer.updated'],
        livemode: false,
      });
      await goTo(page, `/webhooks/${id}`, 'Test');
      await button('Send a test').click();
      await page.getByText('The endpoint did not accept the test: HTTP 410').waitFor();
      expect(await page.getByText('It is sent again later.').count()).toBe(0);
      await goTo(page, '/', 'Test');
      const off = page.getByRole('listitem').filter({ hasText: gone.url }).filter({ hasText: 'was switched off' });
      await off.getByRole('link').click();
      await button('Resume').click();
      await button('Resume').waitFor({ state: 'detached' });
      const endpoints = dataOf(await console.florin.get('/api/webhook/list?livemode=false', console.admin));
      expect(endpoints.find((one: { id: number }) => one.id === id)).toMatchObject({
        state: true,
        disabledReason: null,
      });
      await console.florin.post('/api/webhook/remove', { id }, console.admin);
      await gone.close();
    });

    test('a chosen delivery is replayed, and its page shows both', async () => {
      await goTo(page, '/deliveries?state=SUCCEEDED', 'Test');
      const row = page.getByRole('row', { name: /transaction.succeeded/ }).last();
      await row.getByRole('checkbox').check();
      await button('Replay 1 delivery').click();
      await button('Replay chosen').waitFor();
      await row.getByRole('link').click();
      await page.getByRole('heading', { name: 'Sent again' }).waitFor();
    });
  }

  function failed(): void {
    afterAll(() => receiver.close());

    test('a failed webhook is found and replayed in three clicks from the home page', async () => {
      await goTo(page, '/', 'Test');
      await page.locator('a[href*="state=FAILED"]').first().click();
      await page
        .getByRole('row', { name: /customer.created/ })
        .last()
        .getByRole('link')
        .click();
      await page.getByText('Attempt 2').waitFor();
      await page.getByText('out of order').first().waitFor();
      receiver.answering = 200;
      // It may be paused after its failures.
      await api('/api/webhook/modify', { id: refusedEndpointId, retry: true });
      await button('Replay').click();
      await page.getByRole('heading', { name: 'Sent again' }).waitFor();
      await page
        .getByRole('row', { name: /Succeeded/ })
        .getByRole('link')
        .click();
      await page.getByText('Attempt 1').waitFor();
      const events = receiver.received.map(({ body }) => JSON.parse(String(body)));
      const created = events.filter(({ type, data }) => type === 'customer.created' && data.object.id === customerId);
      expect(created).toHaveLength(3);
    });
  }

  return { refused, failed };
}
