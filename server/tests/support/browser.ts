import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, chromium, type Page } from 'playwright-core';

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The Chromium of this machine, or of `CHROMIUM`; undefined if there is none, and tests of pages are skipped. */
export const chromiumPath = [process.env.CHROMIUM ?? '', ...places].find((path) => path !== '' && existsSync(path));

/**
 * Chromium uses only the last list of disabled features, so this one repeats the relevant part of Playwright's own. The
 * first two render suggestions of the address bar, which tests do not need: they took 0.65 s of CPU time for every
 * window.
 */
const disabledFeatures = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
];

export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: chromiumPath as string,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      `--disable-features=${disabledFeatures.join(',')}`,
    ],
  });
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * What axe finds wrong with the page, by all rules or by some, each with the first element concerned. `except`:
 * selectors of elements that were checked already.
 */
export async function axeViolations(
  page: Page,
  { rules, except = [] }: { rules?: readonly string[]; except?: readonly string[] } = {},
): Promise<string[]> {
  // Reading axe takes four times as long as running it, so that a document reads it once.
  if (await page.evaluate('window.axe === undefined')) await page.evaluate(axe);
  const options = JSON.stringify({ ...(rules && { runOnly: rules }), resultTypes: ['violations'], preload: false });
  const violations = await page.evaluate(`axe.run({ exclude: ${JSON.stringify(except)} }, ${options}).then((found) =>
    found.violations.map(({ id, nodes: [{ html, failureSummary }] }) => id + ': ' + html + ' ' + failureSummary))`);
  return violations as string[];
}

/** How many elements axe finds fault with, by rule. */
export async function axeRuleCounts(page: Page): Promise<Record<string, number>> {
  if (await page.evaluate('window.axe === undefined')) await page.evaluate(axe);
  const options = JSON.stringify({ resultTypes: ['violations'], preload: false });
  return (await page.evaluate(`axe.run(document, ${options}).then(({ violations }) =>
    Object.fromEntries(violations.map(({ id, nodes }) => [id, nodes.length])))`)) as Record<string, number>;
}
