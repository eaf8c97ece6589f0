import { axeViolations } from '@florin/server/tests/browser.ts';
import { dataOf, makeChannel } from '@florin/server/tests/factories.ts';
import { eventually } from '@florin/server/tests/postgres/database.ts';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { pagePaths } from '../src/shell/page-paths.ts';
import { goTo, type OpenedConsole, readableIn, shown } from './opened-console.ts';

/** Checks of every page, in the window of the administrator. */
export function pages(opened: () => OpenedConsole): void {
  let page: Page;
  let paths: string[];

  beforeAll(async () => {
    page = opened().window;
    paths = await withRecords(opened());
  });

  test('every page is accessible in both themes, fits 360 pixels, and respects reduced motion', async () => {
    await goTo(page, '/payments', 'Live');
    const faults: string[] = [];
    for (const path of paths) {
      await goTo(page, path);
      opened().seen.push(await readableIn(page));
      const found = [
        ...(await violationsInBothThemes(page, path === '/' ? alike : [...shell, ...alike])),
        ...(await beyondEdge(page)),
        ...(await transitions(page)),
      ];
      faults.push(...found.map((fault) => `${path} ${fault}`));
    }
    expect(faults).toEqual([]);
    // Half a minute on a quiet machine; on a full one it took two.
  }, 300_000);

  test.each([
    ['/channels', 'Create a channel'],
    ['/keys', 'Create a key'],
    ['/webhooks', 'Create an endpoint'],
    ['/customers', 'Create a customer'],
    ['/invoices', 'Create an invoice'],
    ['/checkouts', 'Create a payment link'],
    ['/plans', 'Create a plan'],
    ['/seller', 'Edit: Pages of payers'],
    ['/account', 'Create a passkey'],
    ['/seller', 'Edit: Invoice'],
    ['/payments', 'View'],
    ['/payments', 'Search'],
    ['/payments', 'Time'],
    ['/payments', 'Amount'],
    ['/payments', 'Customer'],
    ['/team', 'Invite'],
    ['/audit', 'Show'],
  ])('the dialog of %s is accessible in both themes', async (path, name) => {
    await goTo(page, path);
    await page.getByRole('button', { name }).first().click();
    await page.getByRole('dialog').waitFor();
    expect(await page.locator(`${behindDialog} [role=dialog]`).count()).toBe(0);
    expect(await violationsInBothThemes(page, [behindDialog])).toEqual([]);
    await page.keyboard.press('Escape');
  });

  test('the payment methods of a customer and their dialogs are accessible in both themes', async () => {
    const customerId = await withMethods(opened());
    await goTo(page, `/customers/${customerId}`, 'Test');
    await page.getByRole('row', { name: /Failed/ }).waitFor();
    await page.getByRole('button', { name: 'Make default' }).first().waitFor();
    const faults = [...(await violationsInBothThemes(page, shell)), ...(await beyondEdge(page))];
    await page.getByRole('button', { name: 'Detach' }).first().click();
    await page.getByRole('dialog').getByLabel('Charge instead').waitFor();
    faults.push(...(await violationsInBothThemes(page, [behindDialog])));
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Set up a payment method' }).click();
    await page.getByRole('dialog').getByLabel('Channel').waitFor();
    faults.push(...(await violationsInBothThemes(page, [behindDialog])));
    await page.getByRole('button', { name: 'Create the link' }).click();
    await page.getByRole('dialog').getByRole('link', { name: 'Open the page' }).waitFor();
    faults.push(...(await violationsInBothThemes(page, [behindDialog])));
    await page.getByRole('button', { name: 'Done' }).click();
    await goTo(page, '/payments', 'Live');
    expect(faults).toEqual([]);
  });

  test('formats of Arabic are used for amounts, counts, times and charts, and fit 360 pixels', async () => {
    const { guest: arabic, signIn, password } = opened();
    const chosen = JSON.stringify({ language: 'en', formats: 'ar-EG', timeZone: 'Africa/Cairo' });
    await arabic.evaluate(`localStorage.setItem('florin.preferences', ${JSON.stringify(chosen)})`);
    const faults: string[] = [];
    for (const path of ['/', '/payments', '/ledger', paths.find((one) => one.startsWith('/payments/')) as string]) {
      if (path === '/') await signIn(arabic, 'admin', password, path);
      else await goTo(arabic, path);
      await arabic
        .getByText(/[٠-٩]٫[٠-٩]/)
        .first()
        .waitFor();
      faults.push(...(await beyondEdge(arabic)).map((fault) => `${path} ${fault}`));
    }
    expect(faults).toEqual([]);
    // Each is isolated, so that it does not reorder the text next to it.
    const isolated =
      "[...document.querySelectorAll('time')].map((time) => (time.closest('bdi') ?? " +
      "time.querySelector('bdi')) !== null)";
    expect(new Set((await arabic.evaluate(isolated)) as boolean[])).toEqual(new Set([true]));
    await arabic.evaluate(`localStorage.removeItem('florin.preferences')`);
  });
}

/** Before anyone signs in. */
export function signInPage(opened: () => OpenedConsole): void {
  test('sign-in is accessible in both themes', async () => {
    const page = opened().window;
    await shown(page, '/welcome');
    expect(await violationsInBothThemes(page)).toEqual([]);
  });
}

/** Checked on one page only, because it is the same on every page. This halves the work of axe. */
export const shell = ['header', 'nav'];

/**
 * Only some rows of a table are checked: they are alike, contrast is measured for each text, and the journeys leave
 * dozens.
 */
const alike = ['tbody tr:nth-child(n+4)'];

/** The page behind a dialog, which is checked by itself. */
export const behindDialog = '.mantine-AppShell-root';

/**
 * All rules in the theme of the window. In the other theme, which it has afterwards, only the rule about colours,
 * because only the colours differ.
 */
export async function violationsInBothThemes(page: Page, except: readonly string[] = []): Promise<string[]> {
  const found = await axeViolations(page, { except });
  const theme = await changeTheme(page);
  const inOther = await axeViolations(page, { rules: ['color-contrast'], except });
  return [...found, ...inOther.map((fault) => `${theme}: ${fault}`)];
}

/** The console changes its theme in its next frame. Axe would not wait for that. */
async function changeTheme(page: Page): Promise<'dark' | 'light'> {
  const isDark = await page.evaluate(`document.documentElement.dataset.mantineColorScheme === 'dark'`);
  const colorScheme = isDark ? 'light' : 'dark';
  await page.emulateMedia({ colorScheme });
  await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
  return colorScheme;
}

/**
 * What changes its colour slowly with the theme, although the window prefers less motion. Until it is done, its text
 * may be unreadable.
 */
async function transitions(page: Page): Promise<string[]> {
  const found = await page.evaluate(`(() => {
    const { dataset } = document.documentElement;
    const theme = dataset.mantineColorScheme;
    dataset.mantineColorScheme = theme === 'dark' ? 'light' : 'dark';
    const started = document.getAnimations().filter((animation) => animation instanceof CSSTransition);
    dataset.mantineColorScheme = theme;
    return [...new Set(started.map(({ effect }) => effect.target.className))];
  })()`);
  return (found as string[]).map((one) => `is changed slowly: ${one}`);
}

/** Resizes the page, because loading each page again at this width took a third of the test. */
export async function beyondEdge(page: Page): Promise<string[]> {
  await page.setViewportSize({ width: 360, height: 800 });
  const beyond = await page.evaluate(`new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() =>
    resolve(Math.max(0, ...[document.documentElement, document.querySelector('header')].map((part) =>
      part.scrollWidth - part.clientWidth))))))`);
  await page.setViewportSize({ width: 1280, height: 800 });
  return Number(beyond) > 0 ? [`is ${beyond} px too wide`] : [];
}

/** The paths of all pages, with the id of a record where the page shows one. */
async function withRecords({ florin, admin }: OpenedConsole): Promise<string[]> {
  const api = async (path: string, body: object) => dataOf(await florin.post(path, body, admin));
  const { id: channelId } = await api('/api/channel/modify', {
    name: 'Bank',
    code: 'bank',
    type: 'OFFLINE',
    currency: 'EUR',
    country: 'DE',
    state: true,
  });
  const { id: customerId } = await api('/api/customer/modify', { name: 'Ada', defaultChannelId: channelId });
  const { id: endpointId } = await api('/api/webhook/register', { url: 'http://127.0.0.1:9/closed', events: ['*'] });
  const { id: inboxId } = await api('/api/inbox/create', {});
  const { id: paymentId } = await api('/api/transaction/create', {
    amount: 100,
    currency: 'EUR',
    channelId,
    customerId,
  });
  await api('/api/transaction/update', { id: paymentId, status: 'SUCCESS' });
  const { id: refundId } = await api('/api/refund/create', { transactionId: paymentId, amount: 10 });
  const lines = [{ description: 'Bread', quantity: 2, unitAmount: 250, taxRate: 700 }];
  const { id: invoiceId } = await api('/api/invoice/create', { customerId, currency: 'EUR', lines });
  const plan = { name: 'Basic', currency: 'EUR', amount: 900, interval: 'month', state: true };
  const { id: planId } = await api('/api/plan/modify', plan);
  const { id: subscriptionId } = await api('/api/subscription/create', { customerId, planId });
  const [{ id: deliveryId, eventId }] = dataOf(await florin.get('/api/webhook/delivery/list', admin));
  const [{ id: requestId }] = dataOf(await florin.get('/api/request/list?status=2xx', admin));
  const records: Record<string, string | number> = {
    payments: paymentId,
    refunds: refundId,
    customers: customerId,
    invoices: invoiceId,
    subscriptions: subscriptionId,
    plans: planId,
    webhooks: endpointId,
    deliveries: deliveryId,
    inboxes: inboxId,
    events: eventId,
    requests: requestId,
  };
  return pagePaths.map((path) => path.replace(':id', String(records[path.split('/')[1] as string] ?? 'none')));
}

/** A test customer with two cards that can be charged, and one that could not be set up. Returns the id. */
async function withMethods({ florin, admin }: OpenedConsole): Promise<number> {
  const post = async (path: string, body: object) => dataOf(await florin.post(path, body, admin));
  const provider = { name: 'Sandbox cards', provider: 'sandbox', webhookSecret: 'a secret of these pages' };
  const channelId = await makeChannel(florin, admin, provider);
  const { id: customerId } = await post('/api/customer/modify', { name: 'Ada', livemode: false });
  for (const metadata of [{}, {}, { sandbox: 'setup:fail' }])
    await post('/api/payment-method/setup', { customerId, channelId, token: 'tok_visa', metadata });
  await eventually('the provider has answered', async () => {
    const methods = dataOf(await florin.get(`/api/payment-method/list?customerId=${customerId}&livemode=false`, admin));
    return methods.every(({ status }: { status: string }) => status !== 'PENDING');
  });
  return customerId;
}
