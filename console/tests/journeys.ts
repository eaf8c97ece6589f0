import { dataOf, makeMember, makeTenant, memberPassword } from '@florin/server/tests/factories.ts';
import { administratorPassword } from '@florin/server/tests/service/florin.ts';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { goTo, type OpenedConsole, onlyRow, shown } from './opened-console.ts';

/** Journeys in the window of the administrator, who stays signed in. */
export function journeys(opened: () => OpenedConsole): void {
  let console: OpenedConsole;
  let page: Page;
  /** The window in which members of a tenant sign in. */
  let merchants: Page;
  let tenantId: number;
  let channelId: number;

  beforeAll(() => {
    console = opened();
    page = console.window;
    merchants = console.guest;
  });

  const api = async (path: string, body: object, as = console.admin) =>
    dataOf(await console.florin.post(path, body, as));
  const pay = (amount: number, currency = 'USD', facts: object = {}) =>
    api('/api/transaction/create', { amount, currency, channelId, ...facts });
  const button = (name: string | RegExp, window = page) => window.getByRole('button', { name });

  test('the first run leads from signing in to a verified webhook, with one wrong password', async () => {
    await page.goto('/welcome');
    await page.getByLabel('User name or e-mail').fill('admin');
    await page.locator('input[name=password]').fill('not the password');
    await button('Sign in').click();
    await page.getByRole('alert').getByText('The account or the password is wrong.').waitFor();
    await page.locator('input[name=password]').fill(administratorPassword);
    await button('Sign in').click();

    await button('Prepare').click();
    await button('Create a key').click();
    const key = (await page.getByText(/^sk_test_\w{32}$/).textContent()) as string;
    console.secrets.push(key);
    await button('Make the payment from here').click();
    await page.getByText('Signature verified').first().waitFor();
    await page.getByText('Succeeded').first().waitFor();
    await page.getByText('transaction.succeeded').first().waitFor();

    const channels = dataOf(await console.florin.get('/api/channel/list?livemode=false', console.admin));
    channelId = channels[0].id;

    // The key is enough for what a shop does first: find a channel, and refund what was paid.
    const as = `ApiKey ${key}`;
    expect(dataOf(await console.florin.get('/api/channel/list', as))).toMatchObject([{ id: channelId }]);
    const [{ id: transactionId }] = dataOf(await console.florin.get('/api/transaction/list', as));
    expect(dataOf(await console.florin.post('/api/refund/create', { transactionId }, as)).amount).toBe(1999);
  });

  test('the bare address opens in Test until there is a live channel, afterwards in the mode chosen last', async () => {
    await page.goto('/');
    await page.waitForURL('**/test');
    await page.getByText('First payment').first().waitFor();
    await page.getByRole('banner').getByText('Live', { exact: true }).click();
    await page.waitForURL(`${console.florin.address}/`);
    await page.getByRole('heading', { name: 'Before customers pay' }).waitFor();
    await page.goto('/');
    await page.getByRole('heading', { name: 'Before customers pay' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/');
    await page.getByRole('banner').getByText('Test', { exact: true }).click();
    await page.goto('/');
    await page.waitForURL('**/test');
  });

  test('a link without a mark shows live records, and one with /test test records', async () => {
    await api('/api/customer/modify', { name: 'A live customer' });
    await api('/api/customer/modify', { name: 'A test customer', livemode: false });
    await shown(page, '/customers', 'Live');
    await page.getByText('A live customer').waitFor();
    expect(await page.getByText('A test customer').count()).toBe(0);
    await shown(page, '/customers', 'Test');
    await page.getByText('A test customer').waitFor();
    expect(await page.getByText('A live customer').count()).toBe(0);
    await page.getByRole('link', { name: 'Payments', exact: true }).click();
    await page.waitForURL('**/test/payments');
  });

  test('a search shows records of the mode only', async () => {
    const bank = { name: 'Live bank', code: 'live-bank', type: 'OFFLINE', currency: 'USD', country: 'US', state: true };
    const { id: liveChannelId } = await api('/api/channel/modify', bank);
    await pay(300, 'USD', { description: 'Twin, live', channelId: liveChannelId });
    await pay(300, 'USD', { description: 'Twin, test' });
    await goTo(page, '/payments?search=Twin', 'Test');
    await page.getByText('Twin, test').waitFor();
    await onlyRow(page);
    await goTo(page, '/payments?search=Twin', 'Live');
    await page.getByText('Twin, live').waitFor();
    await onlyRow(page);

    for (const livemode of [true, false]) {
      const { id: customerId } = await api('/api/customer/modify', { name: 'Twin', livemode });
      const lines = [{ description: 'Bread', quantity: 1, unitAmount: 250 }];
      await api('/api/invoice/create', { customerId, currency: 'USD', description: 'Twin', lines });
    }
    for (const mode of ['Live', 'Test'] as const) {
      await goTo(page, '/invoices?search=Twin', mode);
      await page.getByRole('cell', { name: 'Twin' }).first().waitFor();
      await onlyRow(page);
    }
  });

  test('Live has a checklist, whose commands are shown to platform administrators alone', async () => {
    await goTo(page, '/', 'Live');
    const list = page.getByRole('region', { name: 'Before customers pay' });
    await list.getByText(/florin backup/).waitFor();
    await list.getByText(/APP_MAIL_URL/).waitFor();
    await list.getByRole('link', { name: 'Create a key' }).waitFor();
    const owner = await makeMember(console.florin, console.admin, {
      userType: 'MERCHANT_ADMIN',
      tenantId: await makeTenant(console.florin, console.admin),
    });
    await console.signIn(merchants, owner.userName, memberPassword, '/');
    await merchants.getByRole('banner').getByText('Live', { exact: true }).click();
    const own = merchants.getByRole('region', { name: 'Before customers pay' });
    await own.getByRole('link', { name: 'Enter the address' }).waitFor();
    expect(await own.getByText(/florin backup|APP_MAIL_URL/).count()).toBe(0);
    await own.getByRole('button', { name: 'Hide this list' }).click();
    await own.waitFor({ state: 'detached' });
  });

  test('a payment that arrives while its list is open is announced, and moves no row before', async () => {
    await goTo(page, '/payments', 'Test');
    // The list of an earlier visit is replaced without asking.
    await page.getByText('Twin, test').waitFor();
    const before = await page.locator('tbody tr').count();
    await pay(4711, 'USD', { description: 'Just now' });
    await button('1 new payment').waitFor();
    expect(await page.locator('tbody tr').count()).toBe(before);
    await button('1 new payment').click();
    await page.getByText('Just now').waitFor();
    await button('1 new payment').waitFor({ state: 'detached' });
  });

  test('a key is shown once, is gone after a reload, and is refused once it is revoked', async () => {
    await goTo(page, '/keys', 'Live');
    await button('Create a key').first().click();
    await page.getByRole('dialog').getByLabel('Name').fill('Journey');
    await button('Create a key').last().click();
    const key = (await page.getByText(/^sk_live_\w{32}$/).textContent()) as string;
    console.secrets.push(key);
    expect((await console.florin.get('/api/transaction/list', `ApiKey ${key}`)).status).toBe(200);
    await page.getByLabel('I have stored it safely').check();
    await button('Done').click();
    await shown(page, '/keys');
    expect(await page.content()).not.toContain(key);

    await page
      .getByRole('row', { name: /Journey/ })
      .getByRole('button', { name: 'Revoke' })
      .click();
    await page
      .getByRole('dialog')
      .getByLabel(/last four/)
      .fill(key.slice(-4));
    await button('Revoke').last().click();
    await page.getByText('Revoked').waitFor();
    expect((await console.florin.get('/api/transaction/list', `ApiKey ${key}`)).status).toBe(401);
  });

  test('markup in a name is text', async () => {
    const name = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
    const { id } = await api('/api/customer/modify', { name });
    await goTo(page, `/customers/${id}`);
    // The heading names the kind of record until the customer is loaded.
    await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
    expect(await page.title()).toBe(`${name} · Florin`);
  });

  test("another tenant's payment is not found, and actions that a viewer may not perform are disabled", async () => {
    tenantId = await makeTenant(console.florin, console.admin);
    const viewer = await makeMember(console.florin, console.admin, {
      userType: 'MERCHANT_USER',
      roles: ['viewer'],
      tenantId,
    });
    const { id } = await pay(100);
    await console.signIn(merchants, viewer.userName, memberPassword, `/payments/${id}`);
    await merchants.getByRole('heading', { name: 'Not found' }).waitFor();
    await goTo(merchants, '/customers');
    const add = button('Create a customer', merchants).first();
    expect(await add.getAttribute('aria-disabled')).toBe('true');
    expect(await add.getAttribute('aria-description')).toContain('transaction_write');
    expect(await merchants.getByRole('link', { name: 'Audit log' }).count()).toBe(0);
  });

  test.each([
    ['cashier', [true, false, false]],
    ['operator', [true, true, true]],
  ])('for the role %s permitted actions are enabled, and others name the missing permission', async (role, allowed) => {
    const member = { userType: 'MERCHANT_USER' as const, roles: [role], tenantId };
    const { userName } = await makeMember(console.florin, console.admin, member);
    await console.signIn(merchants, userName, memberPassword, '/customers');
    const guarded = [
      ['/customers', 'Create a customer', 'transaction_write'],
      ['/invoices', 'Create an invoice', 'invoice_write'],
      ['/webhooks', 'Create an endpoint', 'webhook_write'],
    ] as const;
    for (const [i, [path, name, permission]] of guarded.entries()) {
      await goTo(merchants, path);
      const found = button(name, merchants).first();
      expect(await found.getAttribute('aria-disabled'), path).toBe(String(!allowed[i]));
      if (!allowed[i]) expect(await found.getAttribute('aria-description')).toContain(permission);
    }
  });

  test('signing out everywhere ends the session of another window, which is German for a German browser', async () => {
    const { userName } = await makeMember(console.florin, console.admin, { userType: 'MERCHANT_ADMIN', tenantId });
    const german = await console.open('de-DE');
    await console.signIn(merchants, userName, memberPassword, '/account');
    await console.signIn(german, userName, memberPassword, '/payments');
    await german.getByRole('heading', { name: 'Zahlungen', exact: true }).waitFor();
    expect(await german.evaluate('document.documentElement.lang')).toBe('de');
    const body = JSON.stringify({ code: 503, message: 'Not now.', data: null, error: { type: 'overloaded' } });
    await merchants.route('**/api/console/session/end', (route) => route.fulfill({ status: 503, body }));
    await button(userName, merchants).click();
    await merchants.getByRole('menuitem', { name: 'Sign out' }).click();
    await merchants.getByRole('alert').filter({ hasText: 'Not now.' }).waitFor();
    await merchants.keyboard.press('Escape');
    await merchants.getByRole('alert').waitFor({ state: 'detached' });
    await button('Sign out everywhere', merchants).click();
    await merchants.getByRole('alert').filter({ hasText: 'Not now.' }).waitFor();
    await merchants.unroute('**/api/console/session/end');
    await button('Sign out everywhere', merchants).click();
    await merchants.getByRole('heading', { name: 'Sign in to Florin' }).waitFor();
    await german.getByRole('link', { name: 'Erstattungen' }).click();
    await german.getByRole('heading', { name: 'Bei Florin anmelden' }).waitFor();
  });

  test('search opens a payment by its id, with only the keyboard', async () => {
    const { id } = await pay(100);
    await goTo(page, '/');
    await page.keyboard.press('Control+k');
    await page.locator('[role=dialog] input:focus').waitFor();
    await page.keyboard.type('something else');
    await page.keyboard.press('Control+k');
    await page.keyboard.type(id);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/payments/${id}`);
  });

  test('a platform administrator acts for one tenant: sees only its records, and creates records for it', async () => {
    const name = 'Harbour Books';
    const harbour = await makeTenant(console.florin, console.admin, name);
    await api('/api/customer/modify', { name: 'Of the platform', livemode: false });
    await shown(page, '/customers', 'Test');
    await page.getByRole('combobox', { name: 'Act for a tenant' }).click();
    await page.getByRole('option', { name }).click();
    await button('Create a customer').first().click();
    await page.getByRole('dialog').getByLabel('Name').fill('Reader');
    await button('Save').click();
    await page
      .getByRole('heading', { level: 1, name: 'Reader' })
      .or(page.getByRole('link', { name: 'Reader' }))
      .first()
      .waitFor();
    await goTo(page, '/customers');
    await onlyRow(page);
    const [customer] = dataOf(
      await console.florin.get(`/api/customer/list?tenantId=${harbour}&livemode=false`, console.admin),
    );
    expect(customer).toMatchObject({ name: 'Reader', tenantId: String(harbour) });
    await page.getByRole('combobox', { name: 'Act for a tenant' }).click();
    await page.getByRole('option', { name: 'All tenants' }).click();
    await page
      .getByRole('row', { name: /Platform/ })
      .first()
      .waitFor();
  });

  test('a refused request of a program is found with its reason', async () => {
    const { sk } = await api('/api/developer/mine/generate', { name: 'Shop', livemode: false });
    await console.florin.post('/api/transaction/create', { amount: 1.5, currency: 'USD', channelId }, `ApiKey ${sk}`);
    await goTo(page, '/requests?by=key&status=400', 'Test');
    await page
      .getByRole('row', { name: /transaction\/create/ })
      .getByRole('link')
      .first()
      .click();
    await page
      .getByText(/amount/)
      .first()
      .waitFor();
    await page.getByText('invalid_request').waitFor();
  });

  test('while the service does not answer, the page says so, and a click reads again once it is back', async () => {
    // Of a later release, so that the console has no words for it.
    const error = { type: 'out_of_order', requestId: 'req_1' };
    const body = JSON.stringify({ code: 500, message: 'Out of order.', data: null, error });
    await page.route('**/api/request/list?*', (route) =>
      route.fulfill({ status: 500, contentType: 'application/json', body }),
    );
    // Without goTo, which waits until the page is complete.
    await page.evaluate(`history.pushState(null, '', '/requests?status=5xx')`);
    await page.getByText('The service does not answer. Trying again …').waitFor();
    await page.getByRole('alert').locator('q', { hasText: 'Out of order.' }).waitFor();
    await page.unroute('**/api/request/list?*');
    await button('Try again').click();
    await page.getByText('No requests').waitFor();
  });

  test('a page whose file is gone after an upgrade is loaded again, and one that stays away says so', async () => {
    await console.signIn(merchants, 'admin', administratorPassword, '/payments');
    const file = '**/assets/system-page-*.js';
    let isNew = false;
    merchants.once('domcontentloaded', () => {
      isNew = true;
    });
    await merchants.route(file, (route) => (isNew ? route.continue() : route.fulfill({ status: 404 })));
    await merchants.getByRole('link', { name: 'Health' }).click();
    await merchants.getByRole('heading', { level: 1, name: 'Health' }).waitFor();
    expect(isNew).toBe(true);
    await merchants.unroute(file);
    await shown(merchants, '/payments');
    await merchants.route(file, (route) => route.fulfill({ status: 404 }));
    await merchants.getByRole('link', { name: 'Health' }).click();
    await merchants.getByRole('heading', { name: 'This page has failed' }).waitFor();
    await merchants.getByRole('link', { name: 'Payments', exact: true }).click();
    await merchants.getByRole('heading', { level: 1, name: 'Payments' }).waitFor();
    await merchants.unroute(file);
  });
}
