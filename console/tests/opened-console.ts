import { createServer } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { openLog } from '../../server/src/platform/process/log.ts';
import { openBrowser } from '../../server/src/testing/browser.ts';
import { databaseFromTemplate } from '../../server/src/testing/postgres/database.ts';
import { administratorPassword, florinOn, type TestFlorin } from '../../server/src/testing/service/florin.ts';

export interface OpenedConsole {
  florin: TestFlorin;
  /** Moves the clock of the node ahead, for good: only the last journeys may. */
  pass: (ms: number) => void;
  /** The Authorization header of the administrator, for what a journey prepares. */
  admin: string;
  /** What the pages have complained of: errors of scripts, and what their policy has forbidden. */
  complaints: string[];
  /** What no page, no storage and no line of the log may hold. Journeys add what they make. */
  secrets: string[];
  /** Each page that was looked at, with what scripts of it can read. */
  seen: string[];
  /** The lines that the node has logged, at the level of `debug`. */
  logged: string[];
  /** The window of the administrator. Journeys share it: opening one and reading the console takes seconds. */
  window: Page;
  /** A window of its own, with cookies of its own. */
  open: (locale?: string, address?: string) => Promise<Page>;
  /** Of the administrator. */
  password: string;
  /** Signs in without the page for it, and shows a page. */
  signIn: (page: Page, account: string, password: string, path: string) => Promise<void>;
  close: () => Promise<void>;
}

/** A node with the built console, and a browser. */
export async function openConsole(): Promise<OpenedConsole> {
  const [db, browser, port] = await Promise.all([databaseFromTemplate(), openBrowser(), freePort()]);
  let aheadMs = 0;
  // One retry, so late that a journey sees the delivery wait for it, and the last journeys see it failed.
  const settings = { APP_SERVER_PORT: String(port), APP_WEBHOOK_RETRY_INTERVALS: '20s' };
  const logged: string[] = [];
  const log = openLog('debug', { write: (line) => logged.push(line) });
  const florin = await florinOn(db, settings, () => Date.now() + aheadMs, log);
  const complaints: string[] = [];
  const open = (locale = 'en-GB', address = florin.address) => openWindow(browser, address, locale, complaints);
  return {
    florin,
    pass: (ms) => {
      aheadMs += ms;
    },
    admin: await florin.login('admin', administratorPassword),
    complaints,
    secrets: [administratorPassword],
    seen: [],
    logged,
    window: await open(),
    open,
    password: administratorPassword,
    signIn: async (page, account, password, path) => {
      await signIn(page, { account, password });
      await shown(page, path);
    },
    close: async () => {
      await browser.close();
      await florin.stop();
      await db.drop();
    },
  };
}

/** What a script on the page could read: its markup and whatever the browser keeps for it. */
export async function readableIn(page: Page): Promise<string> {
  const kept = await page.evaluate(
    `(async () => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, await indexedDB.databases()]))()`,
  );
  return `${page.url()} ${kept} ${await page.content()}`;
}

/** At which address a window has the service. */
const addresses = new WeakMap<Page, string>();

async function openWindow(browser: Browser, baseURL: string, locale: string, complaints: string[]): Promise<Page> {
  const context = await browser.newContext({
    baseURL,
    locale,
    colorScheme: 'light',
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    acceptDownloads: true,
  });
  const page = await context.newPage();
  addresses.set(page, baseURL);
  page.on('pageerror', (error) => complaints.push(`${page.url()}: ${error.message}`));
  page.on('console', (message) => {
    // Refusals are part of the journeys.
    const isOurs = message.type() === 'error' && !/Failed to load resource|net::ERR_/.test(message.text());
    if (isOurs) complaints.push(`${page.url()}: ${message.text()}`);
  });
  page.on('request', (request) => {
    const url = request.url();
    if (
      ![baseURL, baseURL.replace('127.0.0.1', 'localhost')].some((own) => url.startsWith(own)) &&
      !/^(data|blob):/.test(url)
    )
      complaints.push(`${page.url()} asked ${url}`);
  });
  return page;
}

/** As the sign-in page does it, without its clicks. */
async function signIn(page: Page, credentials: object): Promise<void> {
  const address = addresses.get(page) as string;
  const headers = { origin: address, 'x-florin-console': '1' };
  const reply = await page.context().request.post('/api/console/session', { headers, data: credentials });
  if (!reply.ok()) throw new Error(await reply.text());
}

/** Loaded and shown completely: nothing is still being read. */
export async function shown(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await complete(page);
}

/** As a link leads there, without loading the console again, in live or in test mode where it matters. */
export async function goTo(page: Page, path: string, mode?: 'Live' | 'Test'): Promise<void> {
  await page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)})`);
  if (mode !== undefined) await page.getByRole('banner').getByText(mode, { exact: true }).click();
  await complete(page);
}

async function complete(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor();
  await page.locator('.mantine-Loader-root, .mantine-Skeleton-root').first().waitFor({ state: 'detached' });
}

/** The list shows one row; the rows before a filter or another tenant may still be there at first. */
export async function onlyRow(page: Page): Promise<void> {
  await page.locator('tbody tr').nth(1).waitFor({ state: 'detached' });
  await page.locator('tbody tr').waitFor();
}

/** Inboxes are posted to at the public address, so that the port must be known before. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
