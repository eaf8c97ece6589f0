import { dataOf, type Member, makeMember, makeTenant, memberPassword } from '@florin/server/tests/factories.ts';
import { keptMails } from '@florin/server/tests/mail/kept-mails.ts';
import { eventually } from '@florin/server/tests/postgres/database.ts';
import { enrol } from '@florin/server/tests/service/second-factor.ts';
import type { Page } from 'playwright-core';
import { beforeAll, test } from 'vitest';
import { goTo, type OpenedConsole } from './opened-console.ts';
import { openRelay } from './relay.ts';

const newPassword = 'many slow green rivers';

/** Journeys of users who sign in, in the second window. */
export function accountJourneys(opened: () => OpenedConsole): void {
  let console: OpenedConsole;
  let page: Page;
  let member: Member;
  let tenantId: number;

  beforeAll(async () => {
    console = opened();
    page = console.guest;
    await page.context().clearCookies();
    tenantId = await makeTenant(console.florin, console.admin);
    member = await makeMember(console.florin, console.admin, { userType: 'MERCHANT_ADMIN', tenantId });
  });

  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const signOut = async () => {
    await button(member.userName).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to Florin' }).waitFor();
  };
  const giveName = async (password: string) => {
    await page.getByLabel('User name or e-mail').fill(member.userName);
    await page.locator('input[name=password]').fill(password);
    await button('Sign in').click();
  };

  test('a forgotten password is replaced by the link of a mail', async () => {
    await page.goto('/customers');
    await button('Forgot your password?').click();
    await page.getByLabel('E-mail').fill(`${member.userName}@example.com`);
    await button('Send the link').click();
    await page.getByText('an e-mail is on its way').waitFor();
    const link = await eventually('the mail is sent', () =>
      linkTo(console, member.userName, /\/reset-password\?token=\S+/),
    );
    await page.goto(link);
    await page.getByLabel('New password').fill(newPassword);
    await button('Set password').click();
    await page.getByText('The password is set').waitFor();
    await page.goto('/customers');
    await giveName(memberPassword);
    await page.getByRole('alert').waitFor();
    await giveName(newPassword);
    await page.getByRole('heading', { name: 'Customers', exact: true }).waitFor();
  });

  test('a user changes their own address with the current password, which ends the session', async () => {
    await goTo(page, '/account');
    await button('Change the e-mail address').click();
    await page.getByRole('dialog').getByLabel('E-mail').fill('owner@example.com');
    await page.getByRole('dialog').locator('input[name=oldPassword]').fill('not the password');
    await button('Save').click();
    await page.getByText('needs your current password').waitFor();
    await page.getByRole('dialog').locator('input[name=oldPassword]').fill(newPassword);
    await button('Save').click();
    await page.getByRole('heading', { name: 'Sign in to Florin' }).waitFor();
  });

  test('an interrupted stream is reported, and missed events are shown when it is back', async () => {
    const relay = await openRelay(console.florin.address);
    const behind = await console.open('en-GB', relay.address);
    await console.signIn(behind, member.userName, newPassword, '/customers');
    await behind.getByText('Live updates interrupted').waitFor({ state: 'detached' });
    relay.cut();
    await behind.getByText('Live updates interrupted').waitFor();
    dataOf(await console.florin.post('/api/customer/modify', { name: 'Meanwhile', tenantId }, console.admin));
    relay.resume();
    await behind.getByText('Live updates interrupted').waitFor({ state: 'detached' });
    await behind.getByText('Meanwhile').first().waitFor();
    await behind.context().close();
    await relay.close();
  });

  test('a passkey is added, and is then enough to sign in', async () => {
    // Browsers bind passkeys to host names, such as `localhost`.
    await page.goto(`${console.florin.address.replace('127.0.0.1', 'localhost')}/account`);
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('WebAuthn.enable');
    await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    await giveName(newPassword);
    await button('Create a passkey').click();
    await page.getByRole('dialog').getByLabel('Name').fill('This computer');
    await page.getByRole('dialog').locator('input[name=password]').fill(newPassword);
    await button('Next').click();
    await page.getByLabel('I have stored it safely').check();
    await button('Done').click();
    await page.getByRole('row', { name: /This computer/ }).waitFor();
    await signOut();
    await button('Use a passkey').click();
    await page.getByRole('heading', { name: 'My account' }).waitFor();
    await devtools.detach();
  });

  test('the second factor is requested after the password, and its code signs in', async () => {
    member = await makeMember(console.florin, console.admin, { userType: 'MERCHANT_ADMIN', tenantId });
    console.secrets.push(memberPassword, newPassword);
    const { recoveryCodes } = await enrol(console.florin, member.as, Date.now());
    console.secrets.push(...recoveryCodes);
    await page.goto('/refunds');
    await giveName(memberPassword);
    await page.getByRole('heading', { name: 'Enter your code' }).waitFor();
    await page.getByLabel('Code').fill('000000');
    await button('Sign in').click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Code').fill(recoveryCodes[0] as string);
    await button('Sign in').click();
    await page.getByRole('heading', { name: 'Refunds', exact: true }).waitFor();
  });
}

/** The newest URL of this form in the mails to a user. */
export async function linkTo({ florin }: OpenedConsole, user: string, path: RegExp): Promise<string | undefined> {
  const mails = await keptMails(florin.dataDir);
  const found = mails
    .filter((text) => text.includes(user))
    .map((text) => path.exec(text)?.[0])
    .findLast((link) => link !== undefined);
  return found && florin.address + found;
}
