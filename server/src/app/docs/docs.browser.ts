import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { axeViolations, chromiumPath, openBrowser } from '../../../tests/support/browser.ts';
import { makeChannel } from '../../../tests/support/factories.ts';
import { databaseFromTemplate, type TestDatabase } from '../../../tests/support/postgres/database.ts';
import { administratorPassword, florinOn, type TestFlorin } from '../../../tests/support/service/florin.ts';

describe.skipIf(chromiumPath === undefined)('in a browser', () => {
  let db: TestDatabase;
  let florin: TestFlorin;
  let browser: Browser;
  const complaints: string[] = [];

  beforeAll(async () => {
    db = await databaseFromTemplate();
    florin = await florinOn(db);
    browser = await openBrowser();
  });

  afterAll(async () => {
    await browser.close();
    await florin.stop();
    await db.drop();
  });

  const pageIn = async (path: string) => {
    const page = await browser.newPage({ colorScheme: 'light', baseURL: florin.address });
    page.on('console', (message) => complaints.push(message.text()));
    await page.goto(path);
    return page;
  };

  /** All that is wrong with the page, in both colour schemes. */
  const violations = async (page: Page) => {
    const found = await axeViolations(page);
    await page.emulateMedia({ colorScheme: 'dark' });
    const dark = await axeViolations(page);
    await page.emulateMedia({ colorScheme: 'light' });
    return [...found, ...dark];
  };

  test('axe finds nothing wrong with the page of errors in either colour scheme', async () => {
    const page = await pageIn('/docs/errors');
    expect(await violations(page)).toEqual([]);
    await page.close();
  });

  // In one page: laying out every operation takes seconds.
  describe('the reference', () => {
    let page: Page;
    let admin: string;
    const use = (key: string) => page.getByLabel('Key or access token').fill(key);

    beforeAll(async () => {
      admin = await florin.login('admin', administratorPassword);
      page = await pageIn('/docs#createTransaction');
    });

    test('axe finds nothing wrong with it', async () => {
      expect(await axeViolations(page)).toEqual([]);
    });

    test('with a test key, an unedited request names a record of the caller', async () => {
      const channelId = await makeChannel(florin, admin, { provider: 'sandbox' });
      const { body } = await florin.post('/api/developer/mine/generate', { scope: '*', livemode: false }, admin);
      await use(body.data.sk);
      await page.getByRole('button', { name: 'Send createTransaction' }).click();
      await page.locator('#createTransaction').getByText('200 OK').waitFor();
      await page.locator('#getTransaction summary').click();
      await page.getByRole('button', { name: 'Send getTransaction', exact: true }).click();
      await page.locator('#getTransaction').getByText(`"channelId": ${channelId}`).first().waitFor();
      expect(complaints).toEqual([]);
    });

    test('an operation is found by its name, and answers a request with a pasted token', async () => {
      await page.getByRole('searchbox', { name: 'Search' }).fill('listChannels');
      await page.getByText('1 found').waitFor();
      await use(admin.replace('Bearer ', ''));
      await page.locator('#listChannels summary').click();
      await page.getByRole('button', { name: 'Send listChannels' }).click();
      await page.locator('#listChannels').getByText('200 OK').waitFor();
      expect(complaints).toEqual([]);
    });
  });
});
