import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { consolePages } from '../../server/src/app/http/console/pages.ts';
import { axeViolations, chromiumPath } from '../../server/src/testing/browser.ts';
import { dataOf } from '../../server/src/testing/cast.ts';
import { pagePaths } from '../src/shell/page-paths.ts';
import { goTo, type OpenedConsole, openConsole, shown } from './opened-console.ts';

test('the server knows the paths of every page, and no other', () => {
  const firstParts = pagePaths.map((path) => path.split('/')[1] as string).filter((part) => part !== '');
  expect([...new Set(firstParts)].sort()).toEqual([...consolePages].sort());
});

describe.skipIf(chromiumPath === undefined)('every page', () => {
  let console: OpenedConsole;
  let paths: string[];

  beforeAll(async () => {
    console = await openConsole();
    paths = await withRecords(console);
  });

  afterAll(async () => {
    await console.close();
  });

  test('is accessible in both themes, and fits 360 pixels', async () => {
    const page = await console.signedIn();
    const faults: string[] = [];
    const visitAll = async (window: Page, look: () => Promise<string[]>) => {
      await shown(window, '/');
      for (const path of paths) {
        await goTo(window, path);
        faults.push(...(await look()).map((fault) => `${path} ${fault}`));
      }
    };
    await visitAll(page, () => axeViolations(page));
    await page.emulateMedia({ colorScheme: 'dark' });
    await visitAll(page, () => axeViolations(page, ['color-contrast']));
    const narrow = await console.signedIn('admin', undefined, { width: 360 });
    await visitAll(narrow, () => beyondEdge(narrow));
    expect(faults).toEqual([]);
  }, 240_000);

  test('sign-in is accessible in both themes', async () => {
    for (const dark of [false, true]) {
      const page = await console.open({ dark });
      await shown(page, '/');
      expect(await axeViolations(page)).toEqual([]);
    }
  });

  test.each([
    ['/channels', 'Add a channel'],
    ['/keys', 'Create a key'],
    ['/webhooks', 'Add an endpoint'],
    ['/customers', 'Add a customer'],
    ['/invoices', 'Draft an invoice'],
    ['/plans', 'Add a plan'],
    ['/team', 'Invite'],
  ])('the dialog of %s is accessible', async (path, name) => {
    const page = await console.signedIn('admin', undefined, { dark: path.length % 2 === 0 });
    await shown(page, path);
    await page.getByRole('button', { name }).first().click();
    await page.getByRole('dialog').waitFor();
    expect(await axeViolations(page)).toEqual([]);
  });

  async function beyondEdge(page: Page): Promise<string[]> {
    const beyond = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
    return Number(beyond) > 0 ? [`is ${beyond} px too wide`] : [];
  }
});

/** The paths of all pages, each with a record where it shows one. */
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
  const records: Record<string, string | number> = {
    payments: paymentId,
    refunds: refundId,
    customers: customerId,
    invoices: invoiceId,
    subscriptions: subscriptionId,
    webhooks: endpointId,
    deliveries: deliveryId,
    inboxes: inboxId,
    events: eventId,
  };
  return pagePaths.map((path) => path.replace(':id', String(records[path.split('/')[1] as string] ?? 'none')));
}
