import { dayMs } from '@florin/server/core/clock.ts';
import { dataOf } from '@florin/server/tests/factories.ts';
import type { Page } from 'playwright-core';
import { beforeAll, test } from 'vitest';
import { goTo, type OpenedConsole } from './opened-console.ts';

/** These journeys come last, because they advance the clock of the node by days. */
export function expiryJourneys(opened: () => OpenedConsole): void {
  let console: OpenedConsole;
  let page: Page;
  let customerId: number;

  beforeAll(async () => {
    console = opened();
    page = console.guest;
    const { id } = dataOf(await console.florin.post('/api/customer/modify', { name: 'Returning' }, console.admin));
    customerId = id;
    await console.signIn(page, 'admin', console.password, '/customers');
  });

  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const isSaid = () => page.getByText('Your session has ended. Sign in to return to this page.').waitFor();
  const signInAgain = async () => {
    await page.getByLabel('User name or e-mail').fill('admin');
    await page.locator('input[name=password]').fill(console.password);
    await button('Sign in').click();
  };

  test('after the idle timeout the sign-in page says so, and leads on to the page that was opened', async () => {
    console.pass(8 * dayMs);
    // Not a click, which would wait until the link stands still: a look-up of the page may end the session first.
    await page.getByRole('link', { name: 'Refunds' }).dispatchEvent('click');
    await isSaid();
    await signInAgain();
    await page.getByRole('heading', { name: 'Refunds', exact: true }).waitFor();
  });

  test('a session in use ends after seven days, in the middle of a form', async () => {
    await goTo(page, `/customers/${customerId}`, 'Live');
    await page.getByRole('heading', { name: 'Returning' }).waitFor();
    console.pass(6 * dayMs);
    await goTo(page, '/refunds');
    await goTo(page, `/customers/${customerId}`);
    await button('Edit').click();
    await page.getByRole('dialog').getByLabel('Name').fill('Changed');
    console.pass(1.5 * dayMs);
    // Not a click, which would wait for the button: a look-up of the page behind the dialog may end the session first.
    await page.keyboard.press('Enter');
    await isSaid();
    await signInAgain();
    await page.getByRole('heading', { name: 'Returning' }).waitFor();
  });
}
