import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseFromTemplate, type TestDatabase } from '../../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../../../tests/support/service/florin.ts';

let db: TestDatabase;
let florin: TestFlorin;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db, { APP_PUBLIC_URL: 'https://pay.example.com/florin' });
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

async function open(path: string, accept: string, language = 'en', method = 'GET') {
  const headers = { accept, 'accept-language': language };
  const response = await fetch(florin.address + path, { method, headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

test.each([
  ['en-GB,en;q=0.9', 'There is no page at this address.'],
  ['de-CH', 'Unter dieser Adresse gibt es keine Seite.'],
])(
  'a browser that prefers %s gets a page for an unknown address, with a link to the console',
  async (language, reason) => {
    const { status, headers, text } = await open('/nowhere?x="><script>', browser, language);
    expect([status, headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/);
    expect(text).toContain(reason);
    expect(text).toContain('href="https://pay.example.com/florin/"');
    expect(text).not.toContain('script');
  },
);

test.each([
  ['a program', '/nowhere', '*/*', 'GET'],
  ['whatever is below /api/', '/api/nowhere', browser, 'GET'],
  ['another method', '/nowhere', browser, 'POST'],
])('%s gets the refusal in the envelope', async (_who, path, accept, method) => {
  const { status, text } = await open(path, accept, 'en', method);
  expect([status, JSON.parse(text).error.type]).toEqual([404, 'path_unknown']);
});
