import { axeViolations, chromiumPath, openBrowser } from '@florin/server/tests/browser.ts';
import { databaseFromTemplate, type TestDatabase } from '@florin/server/tests/postgres/database.ts';
import { administratorPassword, florinOn, type TestFlorin } from '@florin/server/tests/service/florin.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loginDecidedBy, TestShell } from './run.ts';

let database: TestDatabase;
let florin: TestFlorin;
let shell: TestShell;

beforeAll(async () => {
  database = await databaseFromTemplate();
  florin = await florinOn(database);
  shell = new TestShell({ FLORIN_URL: florin.address });
});

afterAll(async () => {
  shell.remove();
  await florin.stop();
  await database.drop();
});

test.skipIf(chromiumPath === undefined)(
  'a user signs in on the page, sees which program asks, and approves',
  async () => {
    const browser = await openBrowser();
    try {
      const page = await browser.newPage();
      const wrong: string[] = [];
      page.on('pageerror', (error) => wrong.push(String(error)));
      const ran = await loginDecidedBy(shell, async (userCode) => {
        await page.goto(`${florin.address}/device?code=${userCode}`);
        await page.fill('[name=account]', 'admin');
        await page.fill('[name=password]', administratorPassword);
        await page.click('#sign-in button');
        await page.waitForSelector('#user-code:not([hidden])');
        expect(await page.inputValue('[name=userCode]')).toBe(userCode);
        await page.click('#user-code button');
        await page.waitForSelector('#decision:not([hidden])');
        expect(await page.textContent('#decision')).toContain('asks to act for admin');
        expect(await page.isVisible('.elsewhere')).toBe(false);
        expect(await axeViolations(page)).toEqual([]);
        await page.selectOption('[name=scope]', { label: 'only read' });
        await page.click('button[value=true]');
        await page.waitForSelector('text=Go back to the program');
      });
      expect(ran).toMatchObject({ exitCode: 0 });
      expect(wrong).toEqual([]);
      const [who] = (await shell.run('whoami --json')).json() as unknown as [{ scopes: string[] }];
      expect(who.scopes.length).toBeGreaterThan(3);
      expect(who.scopes.filter((scope) => !scope.endsWith('_read'))).toEqual([]);
    } finally {
      await browser.close();
    }
  },
);
