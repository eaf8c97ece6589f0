import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromiumPath, openBrowser } from '@florin/server/tests/browser.ts';
import { type ReadyService, startService } from '@florin/server/tests/service/service-process.ts';
import type { Page } from 'playwright-core';
import { answerHelp } from '../usage.ts';
import { createDemoData } from './demo.ts';

/**
 * `npm run screenshots`: the pictures of the README, taken from the console with demo data. They are written to
 * docs/images, each with at most 150 KB.
 */
answerHelp(`Usage: npm run screenshots

Starts Florin with demo data in a scratch folder and writes docs/images/*.png: the first run, the start page, a
payment and a delivery. Needs Chromium (or its path in CHROMIUM).
`);
if (chromiumPath === undefined) {
  process.stderr.write('There is no Chromium on this machine: install it, or name it in CHROMIUM.\n');
  process.exit(1);
}

const images = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), 'docs', 'images');
const password = 'screenshots of the console';
const dataDir = mkdtempSync(join(tmpdir(), 'florin-screenshots-'));
const service = await startService({
  environment: {
    APP_DATA_DIR: dataDir,
    PORT: '18090',
    APP_ADMIN_PASSWORD: password,
    APP_LOG_LEVEL: 'warn',
    APP_WEBHOOK_ALLOW_TARGETS: '127.0.0.0/8',
  },
});
const browser = await openBrowser();
try {
  mkdirSync(images, { recursive: true });
  const page = await signedIn();
  await take(page, '/welcome', 'first-run');
  await createDemoData(service.address, 'admin', password);
  const { payment, delivery } = await delivered(service);
  await take(page, '/', 'home');
  await take(page, `/payments/${payment}`, 'payment');
  await take(page, `/deliveries/${delivery}`, 'delivery');
} finally {
  await browser.close();
  await service.end('SIGTERM');
  rmSync(dataDir, { recursive: true, force: true });
}

async function signedIn(): Promise<Page> {
  const context = await browser.newContext({
    baseURL: service.address,
    locale: 'en-GB',
    viewport: { width: 1200, height: 750 },
    reducedMotion: 'reduce',
  });
  const reply = await context.request.post('/api/console/session', {
    headers: { origin: service.address, 'x-florin-console': '1' },
    data: { account: 'admin', password },
  });
  if (!reply.ok()) throw new Error(await reply.text());
  return context.newPage();
}

/** A payment whose webhook has arrived in an inbox of the service. */
async function delivered(florin: ReadyService): Promise<{ payment: string; delivery: string }> {
  const admin = await florin.login('admin', password);
  const secret = 'whsec_ScreenshotsOfTheConsole0';
  const inbox = await florin.post('/api/inbox/create', { secret }, admin);
  const endpoint = { url: inbox.body.data.url, events: ['transaction.*'], secret, livemode: false };
  await florin.post('/api/webhook/register', endpoint, admin);
  await florin.post(
    '/api/developer/mine/generate',
    { name: 'Shop', scope: 'transaction_write', livemode: false },
    admin,
  );
  const channels = await florin.get('/api/channel/list', admin);
  const order = {
    amount: 2499,
    currency: 'USD',
    channelId: channels.body.data[0].id,
    description: 'Order 1042',
    metadata: { order: 1042 },
  };
  const payment = (await florin.post('/api/transaction/create', order, admin)).body.data.id as string;
  for (;;) {
    const query = 'livemode=false&eventType=transaction.succeeded&state=SUCCEEDED';
    const { body } = await florin.get(`/api/webhook/delivery/list?${query}`, admin);
    const found = (body.data as { id: string; objectId: string }[]).find(({ objectId }) => objectId === payment);
    if (found !== undefined) return { payment, delivery: found.id };
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

async function take(page: Page, path: string, name: string): Promise<void> {
  await page.goto(path);
  await page.locator('h1').first().waitFor();
  await page.locator('.mantine-Loader-root, .mantine-Skeleton-root').first().waitFor({ state: 'detached' });
  // Charts draw themselves once their script has arrived.
  await page.waitForTimeout(2_000);
  const picture = await page.screenshot({ path: join(images, `${name}.png`) });
  const kilobytes = Math.ceil(picture.length / 1024);
  if (kilobytes > 150) throw new Error(`${name}.png has ${kilobytes} KB.`);
  console.log(`docs/images/${name}.png: ${kilobytes} KB`);
}
