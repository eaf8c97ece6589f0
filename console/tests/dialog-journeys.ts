import { dataOf } from '@florin/server/tests/factories.ts';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { goTo, type OpenedConsole } from './opened-console.ts';

/** What happens to a dialog while something else happens, in the window of the administrator. */
export function dialogJourneys(opened: () => OpenedConsole): void {
  let console: OpenedConsole;
  let page: Page;

  beforeAll(() => {
    console = opened();
    page = console.window;
  });

  const post = async (path: string, body: object) => dataOf(await console.florin.post(path, body, console.admin));
  const dialog = () => page.getByRole('dialog');
  const record = () => page.getByRole('button', { name: 'Record a payment' });

  async function openInvoice(name: string, currency: string): Promise<{ id: number; number: string }> {
    const { id: customerId } = await post('/api/customer/modify', { name });
    const lines = [{ description: 'Lamp', quantity: 1, unitAmount: 7_700 }];
    const { id } = await post('/api/invoice/create', { customerId, currency, lines });
    return post('/api/invoice/finalize', { id });
  }

  /** Without waiting until the page is complete. */
  const pushTo = (path: string) => page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)})`);

  test('a dialog offers a channel that was added after another page had read the channels', async () => {
    const { id } = await openInvoice('Pays in crowns', 'NOK');
    await goTo(page, '/channels', 'Live');
    const till = { name: 'Till', code: 'till', type: 'OFFLINE', currency: 'NOK', country: 'NO', state: true };
    await post('/api/channel/modify', till);
    await goTo(page, `/invoices/${id}`, 'Live');
    await record().click();
    await dialog().getByRole('combobox', { name: 'Received through' }).waitFor();
    await page.locator('input[value="Till"]').waitFor();
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await dialog().waitFor({ state: 'detached' });
  });

  test('a dialog and what was typed in it stay while the page cannot be read again', async () => {
    const { id, number } = await openInvoice('Typed about', 'NOK');
    await goTo(page, `/invoices/${id}`, 'Live');
    await record().click();
    await dialog().getByLabel('Reference').fill('Envelope 8');
    const error = { type: 'out_of_order', requestId: 'req_1' };
    const body = JSON.stringify({ code: 500, message: 'Out of order.', data: null, error });
    const failing = '**/api/invoice/detail?*';
    await page.route(failing, (route) => route.fulfill({ status: 500, contentType: 'application/json', body }));
    // Its event has the page read the invoice again.
    await openInvoice('Somebody else', 'NOK');
    await page.locator('q', { hasText: 'Out of order.' }).first().waitFor();
    expect(await dialog().getByLabel('Reference').inputValue()).toBe('Envelope 8');
    await page.unroute(failing);
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await dialog().waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: number }).waitFor();
    await page.getByRole('button', { name: 'Try again' }).first().click();
    await page.locator('q', { hasText: 'Out of order.' }).first().waitFor({ state: 'detached' });
  });

  test('another record begins without the dialog and without the data of the one before', async () => {
    const first = await openInvoice('The first', 'NOK');
    const second = await openInvoice('The second', 'NOK');
    await goTo(page, `/invoices/${first.id}`, 'Live');
    let answer = () => {};
    const isHeld = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const ofSecond = `**/api/invoice/detail?id=${second.id}`;
    await page.route(ofSecond, async (route) => {
      await isHeld;
      await route.continue();
    });
    await pushTo(`/invoices/${second.id}`);
    await page.getByRole('heading', { name: first.number }).waitFor({ state: 'detached' });
    expect(await page.getByRole('button', { name: 'Void' }).count()).toBe(0);
    answer();
    await page.getByRole('heading', { name: second.number }).waitFor();
    await page.unroute(ofSecond);
    await page.getByRole('button', { name: 'Void' }).click();
    await dialog().waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: first.number }).waitFor();
    await dialog().waitFor({ state: 'detached' });
  });
}
