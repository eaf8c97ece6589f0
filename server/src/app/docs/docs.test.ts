import { request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseFromTemplate, type TestDatabase } from '../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../../tests/support/service/florin.ts';
import { refusalTypes } from '../../core/errors.ts';
import { pages } from './pages.ts';

let db: TestDatabase;
let florin: TestFlorin;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db);
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

const ask = (path: string, headers: Record<string, string> = {}) => request(florin.address + path, { headers });

test('every refusal links to its paragraph', async () => {
  const page = await (await ask('/docs/errors')).body.text();
  const { body } = await florin.get('/api/user/info');
  expect(body.error.doc).toBe('/docs/errors#credentials_missing');
  for (const type of Object.keys(refusalTypes)) expect(page).toContain(`id="${type}"`);
});

test('every link of every page leads to a page and a heading', async () => {
  const texts = new Map<string, string>();
  const textOf = async (path: string) => {
    const known = texts.get(path) ?? (await (await ask(path)).body.text());
    texts.set(path, known);
    return known;
  };
  for (const path of ['/docs', '/docs/errors', ...pages().map((page) => `/docs/${page.path}`)]) {
    const html = await textOf(path);
    for (const [, href = ''] of html.matchAll(/<a [^>]*href="([/#][^"]*)"/g)) {
      const [target, anchor] = [href.split('#')[0] || path, href.split('#')[1]];
      const { statusCode } = texts.has(target) ? { statusCode: 200 } : await ask(target);
      expect(statusCode, `${href} on ${path}`).toBe(200);
      const isThere = anchor === undefined || (await textOf(target)).includes(`id="${anchor}"`);
      expect(isThere, `${href} on ${path}`).toBe(true);
    }
  }
});

test('every page is in the navigation, in the index for language models, and served as Markdown', async () => {
  const nav = await (await ask('/docs/overview')).body.text();
  const index = await ask('/llms.txt');
  const listed = await index.body.text();
  expect(index.headers['content-type']).toBe('text/plain; charset=utf-8');
  expect(listed).toMatch(/^# Florin\n\n> /);
  for (const { path, title, markdown } of pages()) {
    if (!path.startsWith('reference/api/')) expect(nav).toContain(`href="/docs/${path}"`);
    expect(listed).toMatch(new RegExp(`^- \\[.+\\]\\(/docs/${path}\\.md\\): .+\\.$`, 'm'));
    const page = await ask(`/docs/${path}.md`);
    expect([page.statusCode, page.headers['content-type']]).toEqual([200, 'text/markdown; charset=utf-8']);
    expect(await page.body.text(), title).toBe(markdown());
  }
  expect((await ask('/docs/guides/none.md')).statusCode).toBe(404);
  expect((await ask('/docs/decisions/answers-and-errors.md')).statusCode).toBe(404);
});

const search = async (query: string) =>
  (await (await ask(`/docs/search?q=${encodeURIComponent(query)}`)).body.text()).split('<h1>Search</h1>')[1] ?? '';

test('a search finds sections of all pages, operations and errors, the best first, and accepts any text', async () => {
  const first = async (query: string) => /<li><a href="([^"]+)"/.exec(await search(query))?.[1];
  expect(await first('lost keys')).toBe('/docs/guides/operations#lost-keys');
  expect(await first('createRefund')).toBe('/docs#createRefund');
  expect(await first('POST /api/transaction/create')).toBe('/docs#createTransaction');
  expect(await first('channel_inactive')).toBe('/docs/reference/errors#channel_inactive');
  expect(await first('Next.js')).toBe('/docs/guides/frameworks/next');
  expect(await search('zebra crossing')).toContain('Nothing found.');
  expect(await search('')).toContain('Type what you look for.');
  const hostile = await search(`"><img src=x onerror=alert(1)> ${'long '.repeat(1000)}`);
  expect(hostile).not.toContain('<img');
  expect((await ask('/docs/search?q=a&q=b')).statusCode).toBe(200);
});

test('what a search finds exists', async () => {
  const found = new Set<string>();
  for (const query of ['payment', 'webhook secret', 'the', 'florin_', 'app.']) {
    for (const [, href = ''] of (await search(query)).matchAll(/<li><a href="(\/docs[^"]+)"/g)) found.add(href);
  }
  expect(found.size).toBeGreaterThan(60);
  const texts = new Map<string, string>();
  for (const href of found) {
    const [path = '', anchor] = href.split('#');
    const text = texts.get(path) ?? (await (await ask(path)).body.text());
    texts.set(path, text);
    if (anchor !== undefined) expect(text.includes(`id="${anchor}"`), href).toBe(true);
  }
});

test('the reference shows every field of a body, including objects of any content', async () => {
  const html = await (await ask('/docs')).body.text();
  const [operation = ''] = /<details id="createTransaction"[\s\S]*?<\/details>/.exec(html) ?? [];
  for (const field of ['amount', 'metadata', 'returnUrl']) expect(operation).toContain(`<code>${field}</code>`);
});

test('the pages load nothing from other servers and run nothing inline', async () => {
  const { headers, body } = await ask('/docs');
  expect(headers['content-security-policy']).not.toMatch(/unsafe|https?:|\*/);
  const html = await body.text();
  expect(html).not.toMatch(/<script(?! src="\/)| style=| on\w+="|src="(?!\/)/);
});

test('assets are cached forever at an address that changes with them; pages are revalidated', async () => {
  const html = await (await ask('/docs')).body.text();
  const assets = [...html.matchAll(/(?:src|href)="(\/docs\/assets\/[^"]+)"/g)].map(([, path]) => path as string);
  expect(assets).toHaveLength(2);
  let bytes = 0;
  for (const path of ['/docs', '/openapi.json', ...assets]) {
    const compressed = await ask(path, { 'accept-encoding': 'gzip, br' });
    expect(compressed.headers['content-encoding']).toBe('br');
    const cache = assets.includes(path) ? 'public, max-age=31536000, immutable' : 'public, no-cache';
    expect(compressed.headers['cache-control']).toBe(cache);
    bytes += (await compressed.body.arrayBuffer()).byteLength;
    const again = await ask(path, { 'if-none-match': String(compressed.headers.etag) });
    expect([again.statusCode, await again.body.text()]).toEqual([304, '']);
    const plain = await ask(path, { 'accept-encoding': 'br;q=0' });
    expect(plain.headers['content-encoding']).toBeUndefined();
    await plain.body.dump();
  }
  expect(bytes).toBeLessThan(400 * 1024);
});
