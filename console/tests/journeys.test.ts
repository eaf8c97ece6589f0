import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath } from '../../server/src/testing/browser.ts';
import { dataOf, makeMember, makeTenant, memberPassword } from '../../server/src/testing/cast.ts';
import { administratorPassword } from '../../server/src/testing/service/florin.ts';
import { type OpenedConsole, openConsole, shown } from './opened-console.ts';

describe.skipIf(chromiumPath === undefined)('journeys', () => {
  let console: OpenedConsole;
  let channelId: number;

  beforeAll(async () => {
    console = await openConsole();
  });

  afterAll(async () => {
    await console.close();
  });

  const api = async (path: string, body: object, as = console.admin) =>
    dataOf(await console.florin.post(path, body, as));
  const pay = (amount: number, currency = 'USD', facts: object = {}) =>
    api('/api/transaction/create', { amount, currency, channelId, ...facts });
  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });

  test('the first run leads from signing in to a verified webhook, with one wrong password', async () => {
    const page = await console.open();
    await page.goto('/welcome');
    await page.getByLabel('User name or e-mail').fill('admin');
    await page.locator('input[name=password]').fill('not the password');
    await button(page, 'Sign in').click();
    await page.getByRole('alert').getByText('The account or the password is not right.').waitFor();
    await page.locator('input[name=password]').fill(administratorPassword);
    await button(page, 'Sign in').click();

    await button(page, 'Prepare').click();
    await button(page, 'Create a key').click();
    await page.getByText(/^sk_test_\w{32}$/).waitFor();
    await button(page, 'Make the payment from here').click();
    await page.getByText('Signature verified').first().waitFor();
    await page.getByText('Succeeded').first().waitFor();
    await page.getByText('transaction.succeeded').first().waitFor();

    const channels = dataOf(await console.florin.get('/api/channel/list?livemode=false', console.admin));
    channelId = channels[0].id;
  });

  test('no token and no secret is in storage, in cookies that scripts see, or in a page', async () => {
    const page = await console.signedIn();
    await shown(page, '/keys');
    const seen = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, document.documentElement.outerHTML])',
    );
    expect(seen).not.toMatch(/eyJ|sk_(live|test)_\w{32}/);
    expect(await page.evaluate('document.cookie')).toBe('');
  });

  test('a payment appears while its list is open', async () => {
    const page = await console.signedIn();
    await inTestMode(page, '/payments');
    await pay(4711, 'USD', { description: 'Just now' });
    await page.getByText('Just now').waitFor();
  });

  test('a payment is refunded in part and then in full, typed in its own units', async () => {
    const { id } = await pay(1234, 'KWD');
    const page = await console.signedIn();
    await shown(page, `/payments/${id}`);
    await page.getByText('Succeeded').first().waitFor();
    await button(page, 'Refund').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Amount').fill('0.5');
    await dialog.getByLabel('Reason').fill('Damaged');
    await button(page, 'Refund').last().click();
    await page.getByText('KWD 0.500').first().waitFor();
    await button(page, 'Refund').click();
    await button(page, 'Refund').last().click();
    await dialog.waitFor({ state: 'detached' });
    await page.locator('[aria-description="Everything has been refunded."]').waitFor();
    const { amountRefunded } = dataOf(await console.florin.get(`/api/transaction/detail?id=${id}`, console.admin));
    expect(amountRefunded).toBe(1234);
  });

  test('yen have no decimals, and an amount that is too large is refused beside its field', async () => {
    const { id } = await pay(500, 'JPY');
    const page = await console.signedIn();
    await shown(page, `/payments/${id}`);
    await page.getByText('JPY 500').first().waitFor();
    await page.getByText('Succeeded').first().waitFor();
    await button(page, 'Refund').click();
    await page.getByRole('dialog').getByLabel('Amount').fill('501');
    await button(page, 'Refund').last().click();
    await page.getByRole('dialog').getByText(/500/).first().waitFor();
    expect(await page.getByRole('dialog').isVisible()).toBe(true);
  });

  test('filters are in the address, the back button returns to the ones before, and the export is the filter', async () => {
    await pay(99, 'USD', { description: 'To be declined', metadata: { sandbox: 'decline:insufficient_funds' } });
    const page = await console.signedIn();
    await inTestMode(page, '/payments');
    await page.getByRole('tab', { name: /Failed/ }).click();
    await page.waitForURL('**/payments?status=FAILED');
    await page.getByText('To be declined').waitFor();
    await page.getByText('Just now').waitFor({ state: 'detached' });
    const [download] = await Promise.all([page.waitForEvent('download'), button(page, 'Export as CSV').click()]);
    const rows = (await streamed(await download.createReadStream())).trim().split('\n').slice(1);
    expect(rows).toHaveLength(await page.locator('tbody tr').count());
    expect(rows.every((row) => row.includes('FAILED'))).toBe(true);
    await page.goBack();
    await page.getByText('Just now').waitFor();
  });

  test('a failed delivery is found and understood', async () => {
    const url = 'http://127.0.0.1:9/closed';
    const { id } = await api('/api/webhook/register', { url, events: ['customer.created'], livemode: false });
    await api('/api/customer/modify', { name: 'Ada', livemode: false });
    const page = await console.signedIn();
    await shown(page, `/webhooks/${id}`);
    await page
      .getByRole('row', { name: /customer.created/ })
      .getByRole('link')
      .click();
    await page.waitForURL('**/deliveries/dlv_*');
    await page.getByText('Attempt 1').waitFor();
    await page.getByText(/Next try/).waitFor();
    expect(await page.getByText('"name": "Ada"').count()).toBe(1);
  });

  test('a chosen delivery is sent again, and its page shows both', async () => {
    const page = await console.signedIn();
    await inTestMode(page, '/deliveries?state=SUCCEEDED');
    const row = page.getByRole('row', { name: /transaction.succeeded/ }).last();
    await row.getByRole('checkbox').check();
    await button(page, 'Replay 1 delivery').click();
    await button(page, 'Replay 0 deliveries').waitFor();
    await row.getByRole('link').click();
    await page.getByRole('heading', { name: 'Sent again' }).waitFor();
  });

  test('a key is shown once, is gone after a reload, and is refused once it is revoked', async () => {
    const page = await console.signedIn();
    await shown(page, '/keys');
    await button(page, 'Create a key').first().click();
    await page.getByRole('dialog').getByLabel('Name').fill('Journey');
    await button(page, 'Create a key').last().click();
    const key = (await page.getByText(/^sk_live_\w{32}$/).textContent()) as string;
    expect((await console.florin.get('/api/transaction/list', `ApiKey ${key}`)).status).toBe(200);
    await page.getByLabel('I have stored it safely').check();
    await button(page, 'Done').click();
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
    await button(page, 'Revoke').last().click();
    await page.getByText('Revoked').waitFor();
    expect((await console.florin.get('/api/transaction/list', `ApiKey ${key}`)).status).toBe(401);
  });

  test('markup in a name is text', async () => {
    const name = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
    const { id } = await api('/api/customer/modify', { name });
    const page = await console.signedIn();
    await shown(page, `/customers/${id}`);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(name);
    expect(await page.title()).toBe(`${name} · Florin`);
  });

  test("another tenant's payment is not found, and a viewer sees what they may not do disabled", async () => {
    const tenantId = await makeTenant(console.florin, console.admin);
    const viewer = await makeMember(console.florin, console.admin, {
      userType: 'MERCHANT_USER',
      roles: ['viewer'],
      tenantId,
    });
    const { id } = await pay(100);
    const page = await console.signedIn(viewer.userName, memberPassword);
    await shown(page, `/payments/${id}`);
    await page.getByRole('heading', { name: 'Not found' }).waitFor();
    await shown(page, '/customers');
    const add = button(page, 'Add a customer').first();
    expect(await add.getAttribute('aria-disabled')).toBe('true');
    expect(await add.getAttribute('aria-description')).toContain('transaction_write');
    expect(await page.getByRole('link', { name: 'Audit log' }).count()).toBe(0);
  });

  test('signing out everywhere ends the session of another window', async () => {
    const tenantId = await makeTenant(console.florin, console.admin);
    const member = await makeMember(console.florin, console.admin, { userType: 'MERCHANT_ADMIN', tenantId });
    const [one, other] = [
      await console.signedIn(member.userName, memberPassword),
      await console.signedIn(member.userName, memberPassword),
    ];
    await shown(one, '/account');
    await shown(other, '/payments');
    await button(one, 'Sign out everywhere').click();
    await one.getByRole('heading', { name: 'Sign in to Florin' }).waitFor();
    await other.getByRole('link', { name: 'Refunds' }).click();
    await other.getByRole('heading', { name: 'Sign in to Florin' }).waitFor();
  });

  test('search goes to a payment by its id, with the keyboard alone', async () => {
    const { id } = await pay(100);
    const page = await console.signedIn();
    await shown(page, '/');
    await page.keyboard.press('Control+k');
    await page.keyboard.type(id);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/payments/${id}`);
  });

  test('a double click on the button of a form makes one refund', async () => {
    const { id } = await pay(1000);
    const page = await console.signedIn();
    await shown(page, `/payments/${id}`);
    await page.getByText('Succeeded').first().waitFor();
    await button(page, 'Refund').click();
    await page.getByRole('dialog').getByLabel('Amount').fill('1.00');
    await button(page, 'Refund').last().dblclick();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const { pagination } = (await console.florin.get(`/api/refund/list?transactionId=${id}`, console.admin)).body;
    expect(pagination.total).toBe(1);
  });

  test('in German, the whole page is German', async () => {
    const page = await console.signedIn('admin', administratorPassword, { locale: 'de-DE' });
    await shown(page, '/payments');
    await page.getByRole('heading', { name: 'Zahlungen', exact: true }).waitFor();
    expect(await page.evaluate('document.documentElement.lang')).toBe('de');
  });

  test('no page has complained, and none has asked another server', () => {
    expect(console.complaints).toEqual([]);
  });

  async function inTestMode(page: Page, path: string): Promise<void> {
    await shown(page, path);
    await page.getByText('Test', { exact: true }).click();
  }
});

async function streamed(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
