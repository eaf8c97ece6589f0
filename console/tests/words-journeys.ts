import { axeViolations } from '@florin/server/tests/browser.ts';
import { dataOf, makeChannel } from '@florin/server/tests/factories.ts';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { goTo, type OpenedConsole, shown } from './opened-console.ts';

/** What the console says of refusals, steps and changes, and which days its figures are of, in both languages. */
export function wordsJourneys(opened: () => OpenedConsole): void {
  let console: OpenedConsole;
  let page: Page;
  let paymentId: string;
  let customerId: number;

  beforeAll(async () => {
    console = opened();
    page = console.guest;
    const { florin, admin } = console;
    const post = async (path: string, body: object) => dataOf(await florin.post(path, body, admin));
    const channelId = await makeChannel(florin, admin, { name: 'Counter', currency: 'EUR' });
    customerId = (await post('/api/customer/modify', { name: 'Worded', defaultChannelId: channelId })).id;
    await post('/api/customer/modify', { id: customerId, phone: '+41 31 000 00 00' });
    const payment = { amount: 123_456, currency: 'EUR', channelId, customerId };
    paymentId = (await post('/api/transaction/create', payment)).id;
    await post('/api/transaction/update', { id: paymentId, status: 'SUCCESS' });
  });

  afterAll(async () => {
    await page.evaluate(`localStorage.removeItem('florin.preferences')`);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  describe.each([
    [
      'en',
      {
        refund: 'Refund',
        amount: 'Amount',
        left: 'Only EUR 1,234.56 of EUR 1,234.56 can still be refunded.',
        created: 'admin created the payment of EUR 1,234.56.',
        changed: 'Customer changed',
        show: 'Show',
        after: 'After',
        days: '30 days',
      },
    ],
    [
      'de',
      {
        refund: 'Erstatten',
        amount: 'Betrag',
        left: 'Nur 1.234,56 EUR von 1.234,56 EUR können noch erstattet werden.',
        created: 'admin hat die Zahlung über 1.234,56 EUR angelegt.',
        changed: 'Kunde geändert',
        show: 'Anzeigen',
        after: 'Nachher',
        days: '30 Tage',
      },
    ],
  ] as const)('in %s', (language, words) => {
    beforeAll(async () => {
      const formats = language === 'en' ? 'en-GB' : 'de-DE';
      const chosen = JSON.stringify({ language, formats, timeZone: 'UTC' });
      await console.signIn(page, 'admin', console.password, '/payments');
      await page.evaluate(`localStorage.setItem('florin.preferences', ${JSON.stringify(chosen)})`);
      await shown(page, '/payments', 'Live');
    });

    const dialog = () => page.getByRole('dialog');
    /** Intl separates amounts from currencies by spaces that do not break. */
    const said = (text: string) => page.getByText(new RegExp(text.replace(/[.?]/g, '\\$&').replaceAll(' ', '\\s')));

    test.each([360, 1280])('a refused refund says what is left, in major units, at %i pixels', async (width) => {
      await page.setViewportSize({ width, height: 800 });
      await goTo(page, `/payments/${paymentId}`, 'Live');
      await said(words.created).waitFor();
      await page.getByRole('button', { name: words.refund, exact: true }).first().click();
      await dialog()
        .getByLabel(words.amount)
        .fill(language === 'en' ? '2000' : '2.000,00');
      await dialog().getByRole('button', { name: words.refund, exact: true }).click();
      await said(words.left).waitFor();
      expect(await dialog().innerText()).not.toContain('minor units');
      expect(await axeViolations(page, { except: ['.mantine-AppShell-root'] })).toEqual([]);
      await page.keyboard.press('Escape');
    });

    test.each([360, 1280])('an entry of the audit log shows what it changed, at %i pixels', async (width) => {
      await page.setViewportSize({ width, height: 800 });
      await goTo(page, '/audit?recordType=customer', 'Live');
      await page
        .getByRole('row', { name: new RegExp(words.changed) })
        .first()
        .getByRole('button', { name: words.show })
        .click();
      await dialog().getByRole('columnheader', { name: words.after }).waitFor();
      await dialog().getByRole('cell', { name: '+41 31 000 00 00' }).waitFor();
      expect(await axeViolations(page, { except: ['.mantine-AppShell-root'] })).toEqual([]);
      await dialog().getByRole('link').first().click();
      await page.getByRole('heading', { name: 'Worded' }).waitFor();
    });

    test.each([360, 1280])(
      'the figures of home and their links are of the chosen days, at %i pixels',
      async (width) => {
        await page.setViewportSize({ width, height: 800 });
        await goTo(page, '/', 'Live');
        await page.getByText(words.days, { exact: true }).click();
        await page.waitForURL(/startDate=\d{4}-\d\d-\d\d&endDate=\d{4}-\d\d-\d\d/);
        const days = new URL(page.url()).search.slice(1);
        const links = await page.locator(`a[href*="${days}"]`).count();
        expect(links).toBeGreaterThan(0);
        expect(await axeViolations(page, { except: ['header', 'nav', 'tbody tr:nth-child(n+4)'] })).toEqual([]);
      },
    );
  });
}
