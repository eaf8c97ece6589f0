import { chromiumPath } from '@florin/server/tests/browser.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accountJourneys } from './account-journeys.ts';
import { billingJourneys } from './billing-journeys.ts';
import { budget } from './budget.ts';
import { buildConsole } from './build.ts';
import { dialogJourneys } from './dialog-journeys.ts';
import { disputeJourneys } from './dispute-journeys.ts';
import { expiryJourneys } from './expiry-journeys.ts';
import { financeJourneys } from './finance-journeys.ts';
import { homeJourneys } from './home-journeys.ts';
import { journeys } from './journeys.ts';
import { type OpenedConsole, openConsole } from './opened-console.ts';
import { pages, signInPage } from './pages.ts';
import { pathJourneys } from './path-journeys.ts';
import { systemJourneys } from './system-journeys.ts';
import { webhookJourneys } from './webhook-journeys.ts';
import { wordsJourneys } from './words-journeys.ts';

// One file for all, because two would build the console twice at the same time.
beforeAll(() => buildConsole());

describe('the built files', budget);

describe.skipIf(chromiumPath === undefined)('in a browser', () => {
  let console: OpenedConsole;

  beforeAll(async () => {
    console = await openConsole();
  });

  afterAll(async () => {
    await console.close();
  });

  const { refused, failed } = webhookJourneys(() => console);
  describe('the page for signing in', () => signInPage(() => console));
  describe('journeys', () => journeys(() => console));
  describe('journeys of finance', () => financeJourneys(() => console));
  describe('a webhook that is refused', refused);
  describe('journeys of sellers and payers', () => billingJourneys(() => console));
  describe('journeys of dialogs', () => dialogJourneys(() => console));
  describe('journeys of home', () => homeJourneys(() => console));
  describe('journeys of disputes', () => disputeJourneys(() => console));
  describe('journeys of words', () => wordsJourneys(() => console));
  describe('journeys of users', () => accountJourneys(() => console));
  describe('journeys of operators', () => systemJourneys(() => console));
  describe('every page', () => pages(() => console));
  describe('a webhook that has failed', failed);

  test('no secret is in a page, in what its scripts can read, or in the log', async () => {
    const cookies = await console.window.context().cookies();
    expect(cookies.map(({ httpOnly, sameSite }) => [httpOnly, sameSite])).toEqual([[true, 'Strict']]);
    const secrets = [...console.secrets, ...cookies.map(({ value }) => value)];
    expect(secrets.length).toBeGreaterThan(10);
    expect([console.seen.length > 20, console.logged.length > 100]).toEqual([true, true]);
    const texts = [...console.seen, ...console.logged];
    expect(texts.filter((text) => secrets.some((secret) => text.includes(secret)))).toEqual([]);
    expect(texts.filter((text) => /eyJ\w{20}|sk_(live|test)_\w{32}|whsec_\w{20}/.test(text))).toEqual([]);
  });

  describe('below a path', pathJourneys);

  // Last, because it advances the clock for every window.
  describe('sessions that expire', () => expiryJourneys(() => console));

  test('no page has reported an error or contacted another server', () => {
    expect(console.complaints).toEqual([]);
  });
});
