import { dataOf, makeChannel } from '@florin/server/tests/factories.ts';
import { eventually } from '@florin/server/tests/postgres/database.ts';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { linkTo } from './account-journeys.ts';
import { goTo, type OpenedConsole, shown } from './opened-console.ts';

/** Journeys of sellers and payers, in the window of the administrator. */
export function billingJourneys(opened: () => OpenedConsole): void {
  let console: OpenedConsole;
  let page: Page;

  beforeAll(() => {
    console = opened();
    page = console.window;
  });

  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
  const dialog = () => page.getByRole('dialog');
  const isActive = (methodId: string) =>
    eventually('the method can be charged', async () => {
      const reply = await console.florin.get(`/api/payment-method/detail?id=${methodId}`, console.admin);
      return dataOf(reply).status === 'ACTIVE';
    });

  test("the first invoice asks for the seller's address, and is finalized only when asked", async () => {
    const { florin, admin } = console;
    const post = async (path: string, body: object) => dataOf(await florin.post(path, body, admin));
    const { id: customerId } = await post('/api/customer/modify', { name: 'First of all' });
    const lines = [{ description: 'Bread', quantity: 1, unitAmount: 250 }];
    const { id } = await post('/api/invoice/create', { customerId, currency: 'EUR', lines });
    await goTo(page, `/invoices/${id}`, 'Live');
    await button('Finalize').click();
    await button('Enter the address').click();
    await dialog().last().getByLabel('City').fill('Berne');
    await dialog().last().getByLabel('Country (two letters)').fill('ch');
    await button('Save').click();
    await button('Enter the address').waitFor({ state: 'detached' });
    const status = async () => dataOf(await florin.get(`/api/invoice/detail?id=${id}`, admin)).status;
    expect(await status()).toBe('DRAFT');
    await dialog().getByRole('button', { name: 'Finalize' }).click();
    await page.getByRole('heading', { name: /^INV-/ }).waitFor();
    expect(await status()).toBe('OPEN');
  });

  test('a seller enters an address and turns on mails to customers', async () => {
    await goTo(page, '/seller');
    await button('Edit: Name and address').click();
    await dialog().getByLabel('City').fill('Bern');
    await dialog().getByLabel('Country (two letters)').fill('ch');
    await dialog().getByLabel('Tax number').fill('CHE-123.456.789');
    await button('Save').click();
    await page.getByText('CHE-123.456.789').waitFor();
    await button('Edit: Mails to customers').click();
    await dialog().getByLabel('Customers are mailed').check();
    await button('Save').click();
    await dialog().waitFor({ state: 'detached' });
    await button('Edit: Invoice').click();
    await dialog().getByLabel('Subject').fill('Bill {number} of {seller}');
    await dialog().getByLabel('Text', { exact: true }).fill('Dear {customer}, please pay {amount}: {link}');
    await button('Save').click();
    await page.getByText('Bill {number} of {seller}').waitFor();
    const seller = dataOf(await console.florin.get('/api/seller/detail?id=0', console.admin));
    expect(seller).toMatchObject({
      address: { city: 'Bern', country: 'CH' },
      taxId: 'CHE-123.456.789',
      customerMails: true,
    });
  });

  test('a draft is changed, finalized, and paid from its mail', async () => {
    const { florin, admin } = console;
    const defaultChannelId = await makeChannel(florin, admin, { name: 'Bank transfer', currency: 'EUR' });
    const customer = { name: 'Grace', email: 'grace@home.example', defaultChannelId };
    const { id: customerId } = dataOf(await florin.post('/api/customer/modify', customer, admin));
    const lines = [{ description: 'Bread', quantity: 2, unitAmount: 250, taxRate: 700 }];
    const { id } = dataOf(await florin.post('/api/invoice/create', { customerId, currency: 'EUR', lines }, admin));

    await shown(page, `/invoices/${id}`);
    await button('Edit').click();
    await dialog().getByLabel('Quantity').fill('4');
    await button('Save the draft').click();
    await page.getByText('EUR 10.70').first().waitFor();
    await button('Finalize').click();
    await dialog().getByRole('button', { name: 'Finalize' }).click();
    await page.getByRole('heading', { name: /^INV-/ }).waitFor();

    const link = await eventually('the invoice is mailed', () => linkTo(console, 'grace@home', /\/p\/[\w-]{43}/));
    await page.goto(link);
    await page.getByRole('button', { name: /10\.70/ }).click();
    const payment = await eventually('the payment is there', async () => {
      const [found] = dataOf(await florin.get(`/api/transaction/list?invoiceId=${id}`, admin));
      return found;
    });
    await shown(page, `/payments/${payment.id}`);
    await button('Record the outcome').click();
    await dialog().getByRole('button', { name: 'Save' }).click();
    await dialog().waitFor({ state: 'detached' });
    await goTo(page, `/invoices/${id}`);
    await page.getByText('Paid', { exact: true }).first().waitFor();
    await button('Send by mail').click();
    await dialog().getByRole('button', { name: 'Send by mail' }).click();
    await page
      .getByRole('status')
      .filter({ hasText: 'The mail to grace@home.example is in the data folder' })
      .waitFor();
  });

  test('a payment link is created, copied and closed', async () => {
    await goTo(page, '/checkouts', 'Live');
    await button('Create a payment link').first().click();
    await dialog().getByLabel('Amount').fill('12.50');
    await dialog().getByLabel('Description').fill('A chair');
    await dialog().getByLabel('Ways to pay').press('ArrowDown');
    await page.getByRole('option', { name: 'Bank transfer' }).click();
    await page.keyboard.press('Tab');
    await button('Create the link').click();
    const url = await dialog()
      .getByText(/\/p\/[\w-]{43}/)
      .textContent();
    await button('Done').click();
    expect(url).toContain(console.florin.address);
    const row = page.getByRole('row', { name: /A chair/ });
    await row.getByRole('button', { name: 'Copy the link' }).waitFor();
    await row.getByRole('button', { name: 'Close' }).click();
    await dialog().getByRole('button', { name: 'Close' }).last().click();
    await row.getByText('Expired').waitFor();
  });

  test('a payment method is set up by a link, becomes the default, and is replaced when it is detached', async () => {
    const { florin, admin } = console;
    const post = async (path: string, body: object) => dataOf(await florin.post(path, body, admin));
    const provider = { name: 'Sandbox cards', provider: 'sandbox', webhookSecret: 'a secret of this journey' };
    const channelId = await makeChannel(florin, admin, provider);
    const { id: customerId } = await post('/api/customer/modify', { name: 'Joan', livemode: false });
    const known = { customerId, channelId, token: 'tok_visa', isDefault: true };
    const { id: firstId } = await post('/api/payment-method/setup', known);
    await isActive(firstId);
    const methods = page.getByRole('table', { name: 'Payment methods' });
    await goTo(page, `/customers/${customerId}`, 'Test');
    await methods.getByRole('row', { name: /Visa •••• 4242.*Default.*Active.*Sandbox cards/ }).waitFor();

    await button('Set up a payment method').click();
    await dialog().getByLabel('Channel').click();
    await page.getByRole('option', { name: 'Sandbox cards' }).click();
    await button('Create the link').click();
    const url = await dialog()
      .getByText(/\/sandbox\/setup\//)
      .textContent();
    await button('Done').click();
    await methods.getByRole('button', { name: 'Copy the link' }).waitFor();
    const payer = console.guest;
    await payer.goto(url as string);
    await payer.getByRole('button').first().click();

    const [second, first] = [methods.locator('tbody tr').first(), methods.locator('tbody tr').nth(1)];
    await second.getByRole('button', { name: 'Make default' }).click();
    await second.getByText('Default', { exact: true }).waitFor();
    await first.getByRole('button', { name: 'Make default' }).waitFor();
    const plan = { name: 'Monthly', currency: 'USD', amount: 900, interval: 'month', state: true, livemode: false };
    const { id: planId } = await post('/api/plan/modify', plan);
    const { id: subscriptionId } = await post('/api/subscription/create', { customerId, planId, methodId: firstId });
    await first.getByRole('button', { name: 'Detach' }).click();
    await button('Detach').last().click();
    await dialog().getByRole('alert').waitFor();
    await dialog().getByLabel('Charge instead').click();
    await page.getByRole('option').first().click();
    await button('Detach').last().click();
    await dialog().waitFor({ state: 'detached' });
    await first.waitFor({ state: 'detached' });
    const { methodId } = dataOf(await florin.get(`/api/subscription/detail?id=${subscriptionId}`, admin));
    expect(methodId).toMatch(/^mtd_/);
    expect(methodId).not.toBe(firstId);
  });

  test('a payment names its method and what may be done again, a customer why a method failed', async () => {
    const { florin, admin } = console;
    const post = async (path: string, body: object) => dataOf(await florin.post(path, body, admin));
    const provider = { name: 'Sandbox cards', provider: 'sandbox', webhookSecret: 'a secret of this journey' };
    const channelId = await makeChannel(florin, admin, provider);
    const { id: customerId } = await post('/api/customer/modify', { name: 'Mary', livemode: false });
    const metadata = { sandbox: 'offsession:authentication_required' };
    const { id: methodId } = await post('/api/payment-method/setup', {
      customerId,
      channelId,
      token: 'tok_visa',
      metadata,
    });
    await post('/api/payment-method/setup', {
      customerId,
      channelId,
      token: 'tok',
      metadata: { sandbox: 'setup:fail' },
    });
    await isActive(methodId);
    const charge = { amount: 900, currency: 'USD', channelId, methodId, initiator: 'MERCHANT' };
    const { id } = await post('/api/transaction/create', charge);
    await goTo(page, `/payments/${id}`, 'Test');
    await page.getByText('Only with the payer taking part').waitFor();
    await page.getByRole('link', { name: 'Visa •••• 4242' }).click();
    await page.getByRole('heading', { name: 'Mary' }).waitFor();
    await page.getByText('The card was declined without a further reason.').waitFor();

    const [event] = dataOf(await florin.get(`/api/event/list?objectId=${methodId}&livemode=false`, admin));
    await goTo(page, `/events/${event.id}`, 'Test');
    await page.getByRole('link', { name: methodId }).click();
    await page.getByRole('heading', { name: 'Mary' }).waitFor();
  });

  test('an overdue invoice has a tab and its days, and is paid by money that came another way', async () => {
    const { florin, admin } = console;
    const post = async (path: string, body: object) => dataOf(await florin.post(path, body, admin));
    const cash = { name: 'Cash', code: 'cash', type: 'OFFLINE', currency: 'CHF', country: 'CH', state: true };
    await post('/api/channel/modify', cash);
    const { id: customerId } = await post('/api/customer/modify', { name: 'Late payer' });
    const lines = [{ description: 'Chair', quantity: 1, unitAmount: 4_200 }];
    const { id } = await post('/api/invoice/create', { customerId, currency: 'CHF', lines });
    await post('/api/invoice/finalize', { id });
    const twoDaysAgo = new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10);
    await console.db.query('update invoice set due_date = $2 where id = $1', [id, twoDaysAgo]);
    await goTo(page, '/invoices', 'Live');
    await page.getByRole('tab', { name: 'Overdue' }).click();
    await page.waitForURL(/status=OPEN&dueTo=/);
    await page.getByRole('row', { name: /2 days overdue.*Late payer/ }).click();
    await button('Remind by mail').waitFor();
    await page.getByRole('button', { name: 'Record a payment' }).click();
    expect(await dialog().getByLabel('Amount').inputValue()).toBe('42.00');
    await dialog().getByLabel('Reference').fill('Envelope 7');
    await dialog().getByRole('button', { name: 'Record a payment' }).click();
    await page.waitForURL(/payments\/txn_/);
    // As facts, beside the JSON of the metadata.
    await page
      .getByRole('definition')
      .filter({ hasText: /^Envelope 7$/ })
      .waitFor();
    await page.getByText('Received on', { exact: true }).waitFor();
    await page.getByRole('link', { name: /^INV-/ }).waitFor();
    await eventually('the invoice is paid', async () => {
      return dataOf(await florin.get(`/api/invoice/detail?id=${id}`, admin)).status === 'PAID';
    });
    await goTo(page, '/invoices?status=UNCOLLECTIBLE', 'Live');
    await page.getByText('Nothing matches these filters').waitFor();
    await button('Clear the filters').click();
    await page.getByRole('row', { name: /Late payer/ }).waitFor();
  });

  test('an open test invoice says why it is not mailed', async () => {
    const { florin, admin } = console;
    const post = async (path: string, body: object) => dataOf(await florin.post(path, body, admin));
    const { id: customerId } = await post('/api/customer/modify', {
      name: 'Tested',
      email: 't@t.example',
      livemode: false,
    });
    const lines = [{ description: 'Chair', quantity: 1, unitAmount: 4_200 }];
    const { id } = await post('/api/invoice/create', { customerId, currency: 'CHF', lines });
    await post('/api/invoice/finalize', { id });
    await goTo(page, `/invoices/${id}`, 'Test');
    const send = button('Send by mail');
    await send.waitFor();
    expect(await send.getAttribute('aria-disabled')).toBe('true');
    expect(await send.getAttribute('aria-description')).toBe('No mails are sent about test invoices.');
  });

  test('a subscription changes its plan with a preview, and its plan lists it', async () => {
    const { florin, admin } = console;
    const post = async (path: string, body: object) => dataOf(await florin.post(path, body, admin));
    const [channel] = dataOf(await florin.get('/api/channel/list?livemode=true', admin)).filter(
      ({ code }: { code: string }) => code === 'cash',
    );
    const plan = { currency: 'CHF', interval: 'month', state: true, channelId: channel.id, taxRate: 1_900 };
    const { id: planId } = await post('/api/plan/modify', { ...plan, name: 'Small', amount: 1_000 });
    const { id: largeId } = await post('/api/plan/modify', { ...plan, name: 'Large', amount: 3_000 });
    const { id: customerId } = await post('/api/customer/modify', { name: 'Growing' });
    const { id } = await post('/api/subscription/create', { customerId, planId });
    await goTo(page, `/subscriptions/${id}`, 'Live');
    await page.getByRole('heading', { level: 1, name: 'Growing · Small' }).waitFor();
    await page.getByText(/^CHF\s10\.00 a month$/).waitFor();
    await page.getByRole('button', { name: 'Change plan or quantity' }).click();
    await dialog().getByRole('combobox', { name: 'Plan' }).click();
    await page.getByRole('option', { name: /Large/ }).click();
    await dialog().getByLabel('Only from the next period on').check({ force: true });
    await dialog().getByText('CHF 30.00').first().waitFor();
    await dialog()
      .getByText(/Tax 19%\s*CHF\s5\.70/)
      .waitFor();
    await dialog()
      .getByText(/Total\s*CHF\s35\.70/)
      .waitFor();
    await dialog().getByRole('button', { name: 'Change plan or quantity' }).click();
    await dialog().waitFor({ state: 'detached' });
    const changed = dataOf(await florin.get(`/api/subscription/detail?id=${id}`, admin));
    expect(changed.nextPlanId).toBe(largeId);
    await goTo(page, `/plans/${planId}`, 'Live');
    await page.getByRole('row', { name: /Growing/ }).waitFor();
  });

  test('a text that is too long for its column is shown whole under the pointer', async () => {
    const email = `${'accounts-payable-of-the-northern-'.repeat(2)}branch@merchants.example`;
    dataOf(await console.florin.post('/api/customer/modify', { name: 'Northern branch', email }, console.admin));
    await goTo(page, '/customers', 'Live');
    await page.getByRole('cell', { name: email }).hover({ force: true });
    await page.locator(`[title="${email}"]`).waitFor();
  });

  test('chosen columns are in the address, and a saved view leads back to them and to its filters', async () => {
    await goTo(page, '/invoices?status=PAID', 'Live');
    await button('View').click();
    await page.getByLabel('Due').uncheck();
    await page.waitForURL(/columns=number%2Cstatus%2Ctotal%2Cremaining%2CtoReturn%2Ccustomer%2Ccreated/);
    await page.getByRole('columnheader', { name: 'Due' }).waitFor({ state: 'detached' });
    await page.getByLabel('Name of the view').fill('Paid ones');
    await button('Save').click();
    await button('Paid ones').waitFor();
    await page.keyboard.press('Escape');

    // The service stores both, so that another browser shows them too.
    const other = console.guest;
    await console.signIn(other, 'admin', console.password, '/invoices');
    await other.getByRole('columnheader', { name: 'Total' }).waitFor();
    expect(await other.getByRole('columnheader', { name: 'Due' }).count()).toBe(0);
    await other.getByRole('button', { name: 'View', exact: true }).click();
    await other.getByRole('button', { name: 'Paid ones', exact: true }).click();
    await other.waitForURL(/status=PAID.*columns=/);

    await shown(page, '/invoices');
    await button('View').click();
    await button('Standard').click();
    await page.getByRole('columnheader', { name: 'Due' }).waitFor();
    await button('Paid ones').click();
    await page.waitForURL(/status=PAID.*columns=/);
    await page.getByRole('columnheader', { name: 'Due' }).waitFor({ state: 'detached' });
    // The last of several fast choices is stored.
    await page.getByLabel('Created').uncheck();
    await button('Remove the view Paid ones').click();
    await button('Standard').click();
    const saved = () => console.florin.get('/api/view/list?listName=invoices', console.admin);
    await eventually('nothing is saved any more', async () => dataOf(await saved()).length === 0);
    await button('Paid ones').waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
  });
}
