import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { axeRuleCounts, axeViolations, chromiumPath, openBrowser } from '../../../tests/support/browser.ts';
import { buildDocs } from '../../../tests/support/built-docs.ts';
import { databaseFromTemplate, type TestDatabase } from '../../../tests/support/postgres/database.ts';
import { administratorPassword, florinOn, type TestFlorin } from '../../../tests/support/service/florin.ts';
import { refusalTypes } from '../../core/errors.ts';
import { pages } from './pages.ts';

/**
 * What axe finds in the reference that neither options nor our style sheet of Scalar can mend: elements by rule. It may
 * only shrink.
 */
const leftInScalar: Readonly<Record<string, number>> = { 'nested-interactive': 40, 'landmark-unique': 1 };

/** Scalar's field for a key has no name of its own. */
const keyPlaceholder = 'QUxMIFlPVVIgQkFTRSBBUkUgQkVMT05HIFRPIFVT';

describe.skipIf(chromiumPath === undefined)('in a browser', () => {
  let db: TestDatabase;
  let florin: TestFlorin;
  let browser: Browser;
  let context: BrowserContext;
  const complaints: string[] = [];
  const requested: string[] = [];

  beforeAll(async () => {
    expect(buildDocs(), 'the documentation is built').toBe(true);
    db = await databaseFromTemplate();
    florin = await florinOn(db);
    browser = await openBrowser();
    context = await browser.newContext({ colorScheme: 'light', baseURL: florin.address });
    context.on('request', (request) => requested.push(request.url()));
    context.on('console', (message) => {
      const isExpected = message.type() !== 'error' || /status of 40[01]/.test(message.text());
      if (!isExpected) complaints.push(`${message.page()?.url()}: ${message.text()}`);
    });
  }, 300_000);

  afterAll(async () => {
    await browser.close();
    await florin.stop();
    await db.drop();
  });

  const opened = async (path: string) => {
    const page = await context.newPage();
    await page.goto(path);
    return page;
  };

  /** All that is wrong with the page, in both colour schemes. */
  const violations = async (page: Page) => {
    const light = await axeViolations(page);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.locator('html.dark').waitFor();
    // A transition of an inherited colour begins another one in the elements below when it ends.
    const coloursHaveChanged = `(async () => {
      for (let running = []; (running = document.getAnimations()).length > 0; )
        await Promise.allSettled(running.map(({ finished }) => finished));
    })()`;
    await page.evaluate(coloursHaveChanged);
    const dark = await axeViolations(page);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.locator('html:not(.dark)').waitFor();
    await page.evaluate(coloursHaveChanged);
    return [...light, ...dark];
  };

  const ownPages = ['', ...pages().map(({ path }) => path)].filter((path) => !/^reference\/api(\/|$)/.test(path));

  test('axe finds nothing wrong with any page, in either colour scheme', { timeout: 600_000 }, async () => {
    const page = await opened('/docs');
    const found: string[] = [];
    for (const path of ownPages) {
      await page.goto(`/docs/${path}`);
      found.push(...(await violations(page)).map((violation) => `/docs/${path}: ${violation}`));
    }
    expect(found).toEqual([]);
    await page.close();
  });

  test('every link of every page leads to a page and a heading', { timeout: 300_000 }, async () => {
    const page = await opened('/docs');
    const anchors = new Map<string, Set<string>>();
    const links = new Map<string, string>();
    for (const path of ownPages) {
      await page.goto(`/docs/${path}`);
      const [ids, hrefs] = (await page.evaluate(
        `[[...document.querySelectorAll('[id]')].map(({ id }) => id), [...document.links].map(({ href }) => href)]`,
      )) as [string[], string[]];
      anchors.set(new URL(page.url()).pathname, new Set(ids));
      for (const href of hrefs) if (href.startsWith(florin.address)) links.set(href, path);
    }
    expect(links.size).toBeGreaterThan(200);
    const broken: string[] = [];
    for (const [href, from] of links) {
      const { pathname, hash } = new URL(href);
      const known = anchors.get(pathname);
      const isThere =
        known === undefined
          ? (await florin.call('GET', pathname)).status === 200
          : hash === '' || known.has(decodeURIComponent(hash.slice(1)));
      if (!isThere) broken.push(`${href} on ${from}`);
    }
    expect(broken).toEqual([]);
    await page.close();
  });

  test('the address of every refusal leads to its paragraph', async () => {
    const page = await opened('/docs/errors#refund_exceeds_payment');
    expect(new URL(page.url()).hash).toBe('#refund_exceeds_payment');
    for (const type of Object.keys(refusalTypes)) expect(await page.locator(`[id="${type}"]`).count(), type).toBe(1);
    await page.close();
  });

  test('a search for "refund" finds the page on refunds first, and operations of the reference', async () => {
    const page = await opened('/docs');
    const finds = async (query: string, address: string) => {
      await page.getByRole('button', { name: 'Search' }).click();
      await page.locator('#localsearch-input').fill(query);
      // At first it may still show what the query before had found.
      await page.locator(`.VPLocalSearchBox li:first-child .result[href^="${address}"]`).waitFor();
      await page.keyboard.press('Escape');
    };
    await finds('refund', '/docs/guides/refunds');
    await finds('createRefund', '/docs/reference/endpoints');
    await finds('channel_inactive', '/docs/reference/errors#channel_inactive');
    await page.close();
  });

  test('on a phone the navigation comes before the content, and opens', async () => {
    const phone = await browser.newContext({ viewport: { width: 360, height: 740 }, baseURL: florin.address });
    const page = await phone.newPage();
    await page.goto('/docs/guides/webhooks');
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.locator('.VPSidebar').getByRole('link', { name: 'Quickstart' }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    expect(
      await page.evaluate(
        `Boolean(document.querySelector('.VPSidebar').compareDocumentPosition(document.querySelector('main')) & 4)`,
      ),
    ).toBe(true);
    await phone.close();
  });

  test('examples are in tabs, and can be copied', async () => {
    const page = await opened('/docs/guides/webhooks');
    for (const language of ['Python', 'Go', 'Java', 'PHP', 'Ruby']) {
      await page.locator('.vp-code-group label').getByText(language, { exact: true }).click();
      await page.locator('.vp-code-group div.active button.copy').first().waitFor();
    }
    await page.goto('/docs/guides/refunds');
    for (const label of ['curl', 'TypeScript', 'CLI']) {
      await page.locator('.vp-code-group label').getByText(label, { exact: true }).first().click();
    }
    await page.close();
  });

  describe('the reference', () => {
    let page: Page;

    beforeAll(async () => {
      page = await context.newPage();
      // Signed in at the console of the same host, whose cookie must not count here.
      const data = { account: 'admin', password: administratorPassword };
      const headers = { origin: florin.address, 'x-florin-console': '1' };
      expect((await context.request.post('/api/console/session', { data, headers })).status()).toBe(200);
      expect((await context.cookies()).length).toBeGreaterThan(0);
      await page.goto('/docs/reference/api#get-apitransactionlist');
      await page.getByRole('heading', { name: 'List transactions' }).first().waitFor();
    }, 60_000);

    /** Sends the request as the page shows it, with the key if there is one; returns what the page shows then. */
    const send = async (key?: string) => {
      await page.reload();
      await page
        .getByRole('button', { name: /Test Request.*transaction\/list/ })
        .first()
        .click();
      const client = page.locator('[role=dialog]').first();
      if (key !== undefined) {
        await client
          .getByRole('button', { name: /Authentication/ })
          .first()
          .click();
        await client.getByPlaceholder(keyPlaceholder).fill(key);
      }
      await client.getByRole('button', { name: /^Send/ }).first().click();
      await client
        .getByText(/^\d{3} \w+/)
        .first()
        .waitFor();
      return client.innerText();
    };
    const listRequests = () => requested.filter((url) => url.includes('/api/transaction/list'));

    test('without a key the answer is 401, although the browser is signed in at the console', async () => {
      const sent = page.waitForRequest(/\/api\/transaction\/list/);
      expect(await send()).toContain('401 Unauthorized');
      const headers = await (await sent).allHeaders();
      expect(headers).not.toHaveProperty('cookie');
      expect(headers).not.toHaveProperty('authorization');
      expect((await context.cookies()).length).toBeGreaterThan(0);
    });

    test('a live key is refused before anything is sent', async () => {
      const before = listRequests().length;
      expect(await send(`sk_live_${'a'.repeat(32)}`)).toContain('This page sends test keys alone');
      expect(listRequests().length).toBe(before);
    });

    test('a test key is sent alone, and forgotten when the page is loaded again', async () => {
      const as = await florin.login('admin', administratorPassword);
      const made = await florin.post('/api/developer/mine/generate', { scope: '*', livemode: false }, as);
      const sent = page.waitForRequest(/\/api\/transaction\/list/);
      expect(await send(made.body.data.sk)).toContain('200 OK');
      const headers = await (await sent).allHeaders();
      expect(headers.authorization).toBe(`ApiKey ${made.body.data.sk}`);
      expect(headers).not.toHaveProperty('cookie');
      const stored = `JSON.stringify([{ ...localStorage }, { ...sessionStorage }])`;
      expect(await page.evaluate(stored)).not.toContain('sk_test_');
      expect(await send()).toContain('401 Unauthorized');
    });

    test.each(['light', 'dark'] as const)('axe finds only what cannot be mended in it, %s', async (theme) => {
      await page.evaluate(`localStorage.setItem('vitepress-theme-appearance', '${theme}')`);
      await page.reload();
      await page.getByRole('heading', { name: 'List transactions' }).first().waitFor();
      const counts = await axeRuleCounts(page);
      for (const [rule, count] of Object.entries(counts))
        expect(count, rule).toBeLessThanOrEqual(leftInScalar[rule] ?? 0);
    });
  });

  test('nothing was asked of other hosts, and nothing was refused by the policy', () => {
    expect(requested.filter((url) => !url.startsWith(florin.address) && !/^(data|blob):/.test(url))).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
