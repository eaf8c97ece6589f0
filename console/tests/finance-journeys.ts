import { buffer, text } from 'node:stream/consumers';
import { dataOf } from '@florin/server/tests/factories.ts';
import { eventually } from '@florin/server/tests/postgres/database.ts';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { goTo, type OpenedConsole, onlyRow } from './opened-console.ts';

/** Refunds, lists and files of finance, in the window of the administrator, through the channel of the first run. */
export function financeJourneys(opened: () => OpenedConsole): void {
  let console: OpenedConsole;
  let page: Page;
  let channelId: number;

  beforeAll(async () => {
    console = opened();
    page = console.window;
    const [channel] = dataOf(await console.florin.get('/api/channel/list?livemode=false', console.admin));
    channelId = channel.id;
  });

  const api = async (path: string, body: object) => dataOf(await console.florin.post(path, body, console.admin));
  const pay = (amount: number, currency = 'USD', facts: object = {}) =>
    api('/api/transaction/create', { amount, currency, channelId, ...facts });
  const button = (name: string | RegExp) => page.getByRole('button', { name });
  /** Not the button of that name which opens the dialog, and is all there is until it is open. */
  const dialogButton = (name: string) => page.getByRole('dialog').getByRole('button', { name });

  test('a payment is refunded in part and then in full, typed in its own units', async () => {
    const { id } = await pay(1234, 'KWD');
    await goTo(page, `/payments/${id}`, 'Test');
    await page.getByText('Succeeded').first().waitFor();
    await button('Refund').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Amount').fill('0.5');
    await dialog.getByLabel('Reason').fill('Damaged');
    await dialogButton('Refund').click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('KWD 0.500').first().waitFor();
    await button('Refund').click();
    await dialogButton('Refund').click();
    await dialog.waitFor({ state: 'detached' });
    await page.locator('[aria-description="Everything has been refunded."]').waitFor();
    const { amountRefunded } = dataOf(await console.florin.get(`/api/transaction/detail?id=${id}`, console.admin));
    expect(amountRefunded).toBe(1234);
  });

  test('yen have no decimals, and an amount that is too large is refused beside its field', async () => {
    const { id } = await pay(500, 'JPY');
    await goTo(page, `/payments/${id}`);
    await page.getByText('JPY 500').first().waitFor();
    await page.getByText('Succeeded').first().waitFor();
    await button('Refund').click();
    await page.getByRole('dialog').getByLabel('Amount').fill('501');
    await dialogButton('Refund').click();
    await page.getByRole('dialog').getByText(/500/).first().waitFor();
    expect(await page.getByRole('dialog').isVisible()).toBe(true);
  });

  test('an amount is read as people write it; one with two readings, or none, refunds nothing', async () => {
    // The dialog of the payment before is still open.
    await page.keyboard.press('Escape');
    const { id } = await pay(500_000);
    await goTo(page, `/payments/${id}`);
    await page.getByText('Succeeded').first().waitFor();
    await button('Refund').click();
    const dialog = page.getByRole('dialog');
    const amount = dialog.getByLabel('Amount');
    expect(await amount.inputValue()).toBe('5000.00');
    for (const [typed, said] of [
      ['1.000', 'Is this USD 1.00 or USD 1,000.00?'],
      ['a thousand', 'This is not an amount in USD.'],
    ] as const) {
      await amount.fill(typed);
      await dialog.getByText(said).waitFor();
      await dialogButton('Refund').click();
      await dialog.locator('input:invalid').waitFor();
    }
    await amount.fill('');
    await dialogButton('Refund').click();
    expect(await dialog.isVisible()).toBe(true);
    const refunds = async () => dataOf(await console.florin.get(`/api/refund/list?transactionId=${id}`, console.admin));
    expect(await refunds()).toEqual([]);
    await amount.fill('1.000,00');
    await dialogButton('Refund').click();
    await dialog.waitFor({ state: 'detached' });
    expect(await refunds()).toMatchObject([{ amount: 100_000 }]);
  });

  test('a double click on the button of a form creates one refund', async () => {
    const { id } = await pay(1000);
    await goTo(page, `/payments/${id}`);
    await page.getByText('Succeeded').first().waitFor();
    await button('Refund').click();
    await page.getByRole('dialog').getByLabel('Amount').fill('1.00');
    await dialogButton('Refund').dblclick();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const { pagination } = (await console.florin.get(`/api/refund/list?transactionId=${id}`, console.admin)).body;
    expect(pagination.total).toBe(1);
  });

  test('filters are in the address, the back button undoes them, and the export has the filtered rows', async () => {
    await pay(99, 'USD', { description: 'To be declined', metadata: { sandbox: 'decline:insufficient_funds' } });
    await goTo(page, '/payments', 'Test');
    await page.getByRole('tab', { name: /Failed/ }).click();
    await page.waitForURL('**/payments?status=FAILED');
    await page.getByText('To be declined').waitFor();
    await page.getByText('Just now').waitFor({ state: 'detached' });
    const [download] = await Promise.all([page.waitForEvent('download'), button('Export as CSV').click()]);
    const rows = (await text(await download.createReadStream())).trim().split('\n').slice(1);
    expect(rows).toHaveLength(await page.locator('tbody tr').count());
    expect(rows.every((row) => row.includes('FAILED'))).toBe(true);
    await page.goBack();
    await page.getByText('Just now').waitFor();
  });

  test('search finds an order by what finance knows of it, with only the keyboard', async () => {
    const { id: customerId } = await api('/api/customer/modify', { name: 'Jürgen Müller', livemode: false });
    const { id } = await pay(987_654, 'EUR', { description: 'Order 4711, oak table', customerId });
    await eventually('the payment can be refunded', async () => {
      const { status } = dataOf(await console.florin.get(`/api/transaction/detail?id=${id}`, console.admin));
      return status === 'SUCCESS';
    });
    await api('/api/refund/create', { transactionId: id, amount: 1_000 });
    await goTo(page, '/', 'Test');
    await eventually('the entries have followed', async () => {
      const found = await console.florin.get('/api/search?q=oak%20table&livemode=false', console.admin);
      return dataOf(found).payments.length > 0;
    });
    for (const sought of ['muller oak', '9.876,54', id.slice(-6)]) {
      await page.keyboard.press('Control+k');
      await page.locator('[role=dialog] input:focus').waitFor();
      await page.keyboard.type(sought);
      const hit = page.getByRole('region', { name: 'Payments' }).getByRole('button', { name: /Order 4711/ });
      // The status that the list shows, not that of the API.
      await hit.getByText('Partly refunded').waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL(`**/payments/${id}`);
    }
    await page.keyboard.press('Control+k');
    await page.locator('[role=dialog] input:focus').waitFor();
    await page.keyboard.type('Müller');
    const customer = page.getByRole('region', { name: 'Customers' }).getByRole('button', { name: 'Jürgen Müller' });
    await customer.waitFor();
    await customer.click();
    await page.getByRole('heading', { level: 1, name: 'Jürgen Müller' }).waitFor();
  });

  test('filters are chips, which say what they filter by and can be taken away', async () => {
    await goTo(page, '/payments', 'Test');
    await button('Time').click();
    await button('Today').click();
    await page.waitForURL(/startDate=\d{4}-\d{2}-\d{2}T/);
    await button('Time: Today').waitFor();
    await button('Customer').click();
    await page.getByRole('dialog').getByRole('textbox', { name: 'Search' }).fill('müll');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /Jürgen Müller/ })
      .click();
    await page.waitForURL(/customerId=\d+/);
    await onlyRow(page);
    await button('Amount').click();
    await page.getByRole('combobox', { name: 'Currency' }).selectOption('EUR');
    await page.getByLabel('Amount from').fill('9.876,54');
    await page.keyboard.press('Enter');
    await page.waitForURL(/amountFrom=987654/);
    await onlyRow(page);
    await button('Remove the filter Time').click();
    await page.waitForURL((url) => !url.search.includes('startDate'));
  });

  test('a filtered list that is not counted is read to its end, and says in which zone its times are', async () => {
    for (let i = 1; i <= 26; i++) await pay(100 + i, 'KWD', { description: `Long list ${i}` });
    await goTo(page, '/payments?search=Long%20list', 'Test');
    await page.getByText('Long list 26', { exact: true }).waitFor();
    await page.getByText('times in UTC').waitFor();
    expect(await page.locator('tbody tr').count()).toBe(25);
    await button('Next').click();
    await page.waitForURL(/cursor=/);
    await page.getByText('Long list 1', { exact: true }).waitFor();
    await onlyRow(page);
    await page.goBack();
    await page.getByText('Long list 26', { exact: true }).waitFor();
    await button('Next').click();
    await page.getByText('Long list 1', { exact: true }).waitFor();
    // Other filters have other pages.
    await page.getByRole('tab', { name: 'Succeeded' }).click();
    await page.waitForURL((url) => !url.search.includes('cursor'));
    await page.getByText('Long list 26', { exact: true }).waitFor();
  });

  test('selected rows are added up by status and currency, and the file for finance has names and units', async () => {
    await goTo(page, '/payments?currency=EUR', 'Test');
    await onlyRow(page);
    await page.getByLabel('Select this row').check();
    await page
      .getByRole('status')
      .getByText(/^Partly refunded\s*EUR\s9,876\.54$/)
      .waitFor();
    await button('Clear').click();
    const saved = async (format: RegExp) => {
      await button('For finance').click();
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('menuitem', { name: format }).click(),
      ]);
      return { name: download.suggestedFilename(), content: await buffer(await download.createReadStream()) };
    };
    const csv = await saved(/CSV/);
    expect(csv.name).toMatch(/^Payments until \d{4}-\d\d-\d\d \(test\)\.csv$/);
    const [, row, ...others] = csv.content.toString().trimEnd().split('\r\n');
    expect(row).toMatch(/,9876\.54,10\.00,EUR,Jürgen Müller,"Order 4711, oak table",/);
    expect(others).toEqual([]);
    const workbook = await saved(/XLSX/);
    expect(workbook.name).toMatch(/\.xlsx$/);
    expect(workbook.content.subarray(0, 2).toString()).toBe('PK');
  });
}
