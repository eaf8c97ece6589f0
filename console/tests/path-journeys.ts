import { openBrowser } from '@florin/server/tests/browser.ts';
import { databaseFromTemplate, type TestDatabase } from '@florin/server/tests/postgres/database.ts';
import { administratorPassword, florinOn } from '@florin/server/tests/service/florin.ts';
import { openProxy } from '@florin/server/tests/service/proxy.ts';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** A console and a documentation whose public address has a path, behind a proxy. */
export function pathJourneys(): void {
  let db: TestDatabase;
  let browser: Browser;

  beforeAll(async () => {
    [db, browser] = await Promise.all([databaseFromTemplate(), openBrowser()]);
  });

  afterAll(async () => {
    await browser.close();
    await db.drop();
  });

  test.each([
    ['passes the path on', false],
    ['strips the path', true],
  ])(
    'behind a proxy that %s, a user signs in, reloads a page, and sends a request of the reference',
    async (_, strips) => {
      const proxy = await openProxy('/florin', { strips });
      const florin = await florinOn(db, { APP_PUBLIC_URL: proxy.url });
      proxy.forwardTo(florin.address);
      const page = await browser.newPage({ locale: 'en-GB' });
      const complaints: string[] = [];
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('request', (request) => {
        if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(proxy.url))
          complaints.push(request.url());
      });
      page.on('response', (response) => {
        // The sign-in page asks for a session first.
        if (response.status() >= 400 && response.status() !== 401)
          complaints.push(`${response.status()} ${response.url()}`);
      });

      await page.goto(proxy.url);
      await page.getByLabel('User name or e-mail').fill('admin');
      await page.getByRole('textbox', { name: 'Password' }).fill(administratorPassword);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('link', { name: 'Payments', exact: true }).click();
      await page.waitForURL(`${proxy.url}/test/payments`);
      await page.reload();
      await page.getByRole('heading', { name: 'Payments', exact: true }).waitFor();
      await page.getByRole('link', { name: 'Health', exact: true }).click();
      await page.waitForURL(`${proxy.url}/test/system`);
      await page.getByText('live', { exact: true }).waitFor();

      await page.getByRole('link', { name: 'API reference' }).click();
      await page.waitForURL(`${proxy.url}/docs/reference/api`);
      await page.goto(`${proxy.url}/docs/reference/api#get-apitransactionlist`);
      await page
        .getByRole('button', { name: /Test Request.*transaction\/list/ })
        .first()
        .click();
      const client = page.locator('[role=dialog]').first();
      await client.getByRole('button', { name: /^Send/ }).first().click();
      // It sends neither the cookie nor a key.
      await client.getByText('401 Unauthorized').first().waitFor();
      expect(complaints).toEqual([]);

      await page.close();
      await florin.stop();
      await proxy.close();
    },
  );
}
