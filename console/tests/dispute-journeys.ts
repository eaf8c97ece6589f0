import { dataOf, makeChannel } from '@florin/server/tests/factories.ts';
import { eventually } from '@florin/server/tests/postgres/database.ts';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { goTo, type OpenedConsole, shown } from './opened-console.ts';
import { behindDialog, beyondEdge, shell, violationsInBothThemes } from './pages.ts';

/** The smallest PNG: one pixel. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Journeys of finance with disputes, in the window of the administrator. */
export function disputeJourneys(opened: () => OpenedConsole): void {
  let page: Page;
  let channelId: number;
  let customerId: number;

  beforeAll(async () => {
    const { florin, admin, window } = opened();
    page = window;
    channelId = await makeChannel(florin, admin, {
      name: 'Sandbox with disputes',
      provider: 'sandbox',
      webhookSecret: 'a secret of these disputes',
    });
    const customer = await florin.post('/api/customer/modify', { name: 'Disputing', livemode: false }, admin);
    customerId = dataOf(customer).id;
  });

  async function disputed(): Promise<{ id: string; transactionId: string }> {
    const { florin, admin } = opened();
    const metadata = { sandbox: 'dispute' };
    const input = { amount: 4200, currency: 'USD', channelId, customerId, metadata, description: 'A lamp' };
    const { id: transactionId } = dataOf(await florin.post('/api/transaction/create', input, admin));
    return eventually('the payment is disputed', async () => {
      const found = await florin.get(`/api/dispute/list?transactionId=${transactionId}&livemode=false`, admin);
      return dataOf(found)[0];
    });
  }

  const statusOf = async (id: string) =>
    dataOf(await opened().florin.get(`/api/dispute/detail?id=${id}`, opened().admin)).status;
  const button = (name: string) => page.getByRole('button', { name, exact: true });

  test('a dispute is found at its payment, answered with a text and a file, and won', async () => {
    const { id, transactionId } = await disputed();
    await shown(page, `/payments/${transactionId}`, 'Test');
    expect(await page.getByText('Withdrawn by the provider').isVisible()).toBe(true);
    await page.locator('tbody tr').filter({ hasText: 'Fraud' }).getByRole('link').first().click();
    await page.getByRole('heading', { name: 'Dispute', exact: true }).waitFor();
    await page.getByRole('link', { name: 'Disputing' }).waitFor();

    const faults = [...(await violationsInBothThemes(page, shell)), ...(await beyondEdge(page))];
    await button('Submit evidence').hover();
    await page.getByText('Save some evidence first.').waitFor();
    await page.getByLabel('Explanation').fill('The parcel was signed for: winning_evidence');
    await button('Save draft').click();
    await page.locator('input[type=file]').setInputFiles({ name: 'receipt.png', mimeType: 'image/png', buffer: png });
    await button('Replace file').waitFor();
    await button('Submit evidence').click();
    await page.getByRole('dialog').getByText('Nothing can be added afterwards').waitFor();
    faults.push(...(await violationsInBothThemes(page, [behindDialog])));
    await page.getByRole('dialog').getByRole('button', { name: 'Submit evidence' }).click();
    await eventually('the dispute is won', async () => (await statusOf(id)) === 'WON');
    await shown(page, `/disputes/${id}`, 'Test');
    await page.getByText('Won').first().waitFor();
    await page.getByText('Received by the provider').waitFor();
    expect(faults).toEqual([]);
  }, 60_000);

  test('a file that is not what it says is refused beside its field', async () => {
    const { id } = await disputed();
    await shown(page, `/disputes/${id}`, 'Test');
    const buffer = Buffer.from('not a picture');
    await page.locator('input[type=file]').setInputFiles({ name: 'receipt.png', mimeType: 'image/png', buffer });
    await page.getByRole('alert').waitFor();
    expect(await button('Choose file').isVisible()).toBe(true);
  });

  test('a dispute is accepted from the list, and the payer keeps the money', async () => {
    const { id } = await disputed();
    await shown(page, '/disputes?status=OPEN', 'Test');
    await page.getByRole('row').filter({ hasText: '42.00' }).first().waitFor();
    expect([...(await violationsInBothThemes(page, shell)), ...(await beyondEdge(page))]).toEqual([]);
    await goTo(page, `/disputes/${id}`, 'Test');
    await button('Accept dispute').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Accept dispute' }).click();
    await eventually('the dispute is lost', async () => (await statusOf(id)) === 'LOST');
    await shown(page, '/payments', 'Live');
  }, 60_000);
}
