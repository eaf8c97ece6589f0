import { createServer } from 'node:net';
import { openLog } from '@florin/server/platform/process/log.ts';
import { openBrowser } from '@florin/server/tests/browser.ts';
import { databaseFromTemplate, type TestDatabase } from '@florin/server/tests/postgres/database.ts';
import { administratorPassword, florinOn, type TestFlorin } from '@florin/server/tests/service/florin.ts';
import type { Browser, Page } from 'playwright-core';

export interface OpenedConsole {
  florin: TestFlorin;
  /** For what no request can cause, such as a pause of an hour. */
  db: TestDatabase;
  /** Advances the clock of the node for good, so only the last journeys may use it. */
  pass: (ms: number) => void;
  /** The Authorization header of the administrator, with which journeys prepare data. */
  admin: string;
  /** Errors of scripts, and violations of the content security policy. */
  complaints: string[];
  /** What no page, storage or log line may contain. Journeys add the secrets that they create. */
  secrets: string[];
  /** What scripts could read on each visited page. */
  seen: string[];
  /** The log lines of the node, at level `debug`. */
  logged: string[];
  /** The window of the administrator. Journeys share it, because opening one and loading the console takes seconds. */
  window: Page;
  /**
   * The second window, with its own cookies and storage, in which others sign in one after the other. A window that is
   * opened loads and compiles the console again.
   */
  guest: Page;
  /** Opens a further window with its own cookies. */
  open: (locale?: string, address?: string) => Promise<Page>;
  /** The password of the administrator. */
  password: string;
  /** Signs in without the sign-in page, and shows a page. */
  signIn: (page: Page, account: string, password: string, path: string) => Promise<void>;
  close: () => Promise<void>;
}

/** A node with the built console, and a browser. */
export async function openConsole(): Promise<OpenedConsole> {
  const [db, browser, port] = await Promise.all([databaseFromTemplate(), openBrowser(), freePort()]);
  let aheadMs = 0;
  // One late retry, so that a journey sees the delivery wait for it and the last journeys see it failed.
  const settings = { APP_SERVER_PORT: String(port), APP_WEBHOOK_RETRY_INTERVALS: '20s' };
  const logged: string[] = [];
  const log = openLog('debug', { write: (line) => logged.push(line) });
  const florin = await florinOn(db, settings, () => Date.now() + aheadMs, log);
  const complaints: string[] = [];
  const open = (locale = 'en-GB', address = florin.address) => openWindow(browser, address, locale, complaints);
  return {
    florin,
    db,
    pass: (ms) => {
      aheadMs += ms;
    },
    admin: await florin.login('admin', administratorPassword),
    complaints,
    secrets: [administratorPassword],
    seen: [],
    logged,
    window: await open(),
    guest: await open(),
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

/** What a script on the page could read: its markup and the storage of the browser. */
export async function readableIn(page: Page): Promise<string> {
  const kept = await page.evaluate(
    '(async () => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, ' +
      'await indexedDB.databases()]))()',
  );
  return `${page.url()} ${kept} ${await page.content()}`;
}

/** The address of the service in each window. */
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
    // The journeys cause refusals on purpose.
    const isOurs =
      message.type() === 'error' &&
      !/Failed to load resource|net::ERR_|dynamically imported module/.test(message.text());
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

/** Sends the request of the sign-in page. */
async function signIn(page: Page, credentials: object): Promise<void> {
  const address = addresses.get(page) as string;
  const headers = { origin: address, 'x-florin-console': '1' };
  const reply = await page.context().request.post('/api/console/session', { headers, data: credentials });
  if (!reply.ok()) throw new Error(await reply.text());
}

/** Loads a page in the given mode or in that of the window, and waits until it is complete. */
export async function shown(page: Page, path: string, mode: 'Live' | 'Test' = modeOf(page)): Promise<void> {
  await page.goto(inMode(path, mode));
  await complete(page);
}

/** Goes to a page like a link, without loading the console again, in the given mode or in that of the window. */
export async function goTo(page: Page, path: string, mode: 'Live' | 'Test' = modeOf(page)): Promise<void> {
  await page.evaluate(`history.pushState(null, '', ${JSON.stringify(inMode(path, mode))})`);
  await complete(page);
}

const modeOf = (page: Page) => (/^https?:\/\/[^/]+\/test(\/|$|\?)/.test(page.url()) ? 'Test' : 'Live');

const inMode = (path: string, mode: 'Live' | 'Test') => (mode === 'Live' ? path : `/test${path}`.replace(/\/$/, ''));

async function complete(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor();
  await page.locator('.mantine-Loader-root, .mantine-Skeleton-root').first().waitFor({ state: 'detached' });
  // Links to records are empty until the names of these are loaded.
  await page.locator('main a:empty').first().waitFor({ state: 'detached' });
}

/** Waits until the list shows one row. At first it may still show the rows of another filter or tenant. */
export async function onlyRow(page: Page): Promise<void> {
  await page.locator('tbody tr').nth(1).waitFor({ state: 'detached' });
  await page.locator('tbody tr').waitFor();
}

/** The port must be known before the start, because messages to inboxes are posted to the public address. */
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
