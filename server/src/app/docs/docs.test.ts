import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { refusalTypes } from '../../core/errors.ts';
import { documentationOf } from '../../platform/http/refusal-reply.ts';
import { openApiOf } from '../openapi/document.ts';
import { allRoutes } from '../routes.ts';
import { pages } from './pages.ts';
import { addDocs } from './serve.ts';

let folder: string;
let app: FastifyInstance;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'florin-docs-'));
  app = served('');
});

afterEach(async () => {
  await app.close();
  rmSync(folder, { recursive: true });
});

function served(basePath: string): FastifyInstance {
  const server = fastify();
  addDocs(server, basePath, async () => () => openApiOf(allRoutes.slice(0, 3), 'http://127.0.0.1'), builtAt());
  return server;
}

const builtAt = () => join(folder, 'docs');

const ask = (url: string, headers: Record<string, string> = {}, on = app) => on.inject({ url, headers });

function write(files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(builtAt(), name)), { recursive: true });
    writeFileSync(join(builtAt(), name), text);
  }
}

const inline = 'const base = "/__BASE_PATH__/docs/";';
const builtPages = {
  '.built-from': 'first',
  'index.html': `<script>${inline}</script><script type="module" src="/__BASE_PATH__/docs/assets/app.js"></script>`,
  'reference/errors.html': '<h2 id="amount_invalid">',
  'reference/api.html': '<div id="reference">',
  'assets/app.js': 'import "/__BASE_PATH__/docs/assets/theme.js"',
};

test('until the pages are built, every address of a refusal leads to its paragraph as text', async () => {
  const [page] = documentationOf('amount_invalid' as never).split('#');
  const moved = await ask(page as string);
  // Without a fragment: browsers keep theirs.
  expect([moved.statusCode, moved.headers.location]).toEqual([302, '/docs/reference/errors']);
  const { statusCode, body } = await ask('/docs/reference/errors');
  expect(statusCode).toBe(200);
  for (const type of Object.keys(refusalTypes)) expect(body).toContain(`id="${type}"`);
  expect((await ask('/docs/reference/api/refunds')).body).toContain('id="post-apirefundcreate"');
  expect((await ask('/docs/nowhere')).statusCode).toBe(404);
});

test('the page that stands in says that the build goes on, or why it failed', async () => {
  expect((await ask('/docs')).body).toContain('npm start builds it');
  writeFileSync(`${builtAt()}.state`, `building ${process.pid}`);
  const building = await ask('/docs/quickstart');
  expect(building.body).toContain('is being built just now');
  expect(building.body).toContain('http-equiv="refresh"');
  expect(building.body).toContain('href="/docs/quickstart.md"');
  writeFileSync(`${builtAt()}.state`, 'npm ended with 1 <offline>');
  expect((await ask('/docs')).body).toContain('npm ended with 1 &lt;offline&gt;');
  const { pid } = spawnSync(process.execPath, ['--version']);
  writeFileSync(`${builtAt()}.state`, `building ${pid}`);
  const ended = (await ask('/docs')).body;
  expect(ended).toContain('could not be built: the builder ended without a result. build/pages.log says more');
  expect(ended).not.toContain('http-equiv="refresh"');
});

test('every page is served as Markdown and is in the index for language models, built or not', async () => {
  const index = await ask('/llms.txt');
  expect(index.headers['content-type']).toBe('text/plain; charset=utf-8');
  expect(index.body).toMatch(/^# Florin\n\n> /);
  for (const { path, title, markdown } of pages()) {
    expect(index.body).toMatch(new RegExp(`^- \\[.+\\]\\(/docs/${path}\\.md\\): .+\\.$`, 'm'));
    const page = await ask(`/docs/${path}.md`);
    expect([page.statusCode, page.headers['content-type']]).toEqual([200, 'text/markdown; charset=utf-8']);
    expect(page.body, title).toBe(markdown());
  }
  expect((await ask('/docs/guides/none.md')).statusCode).toBe(404);
  expect((await ask('/docs/decisions/answers-and-errors.md')).statusCode).toBe(404);
});

test('built pages are served once they are there, below the path of the public address', async () => {
  const below = served('/pay');
  expect((await ask('/docs', {}, below)).body).toContain('/pay/docs/quickstart.md');
  write(builtPages);
  const page = await ask('/docs', {}, below);
  expect(page.body).toContain('src="/pay/docs/assets/app.js"');
  expect((await ask('/docs/', {}, below)).body).toBe(page.body);
  const asset = await ask('/docs/assets/app.js', {}, below);
  expect([asset.body, asset.headers['cache-control']]).toEqual([
    'import "/pay/docs/assets/theme.js"',
    'public, max-age=31536000, immutable',
  ]);
  expect((await ask('/docs/errors', {}, below)).headers.location).toBe('/pay/docs/reference/errors');
  await below.close();
});

test('pages that were built again replace those before', async () => {
  write(builtPages);
  await ask('/docs');
  write({ '.built-from': 'second', 'index.html': '<p>New</p>' });
  expect((await ask('/docs')).body).toBe('<p>New</p>');
});

test('a page runs its own inline scripts alone, as they are sent, and only the reference inserts styles', async () => {
  write(builtPages);
  const policy = String((await ask('/docs')).headers['content-security-policy']);
  const hash = createHash('sha256').update(inline.replace('/__BASE_PATH__', '')).digest('base64');
  expect(policy).toContain(`script-src 'self' 'sha256-${hash}';`);
  expect(policy).toContain("style-src 'self'; style-src-attr 'unsafe-inline'");
  expect(policy).toContain("connect-src 'self'");
  expect(policy).not.toMatch(/unsafe-eval|https?:|\*/);
  for (const path of ['/docs/reference/api', '/docs/reference/api/refunds']) {
    const { body, headers } = await ask(path);
    expect(body).toBe(builtPages['reference/api.html']);
    expect(headers['content-security-policy']).toContain("script-src 'self'; style-src 'self' 'unsafe-inline'");
  }
});

test('files outside of the built folder are not served', async () => {
  write(builtPages);
  writeFileSync(join(folder, 'secret.js'), 'secret');
  for (const path of ['../secret.js', '..%2fsecret.js', '%2e%2e/secret.js', 'assets/../../secret.js', '.built-from']) {
    expect((await ask(`/docs/${path}`)).statusCode, path).toBe(404);
  }
});

test('what needs no base path is sent compressed as it was built', async () => {
  write({ ...builtPages, 'reference/scalar.js': 'plain', 'reference/scalar.js.br': 'squeezed' });
  const squeezed = await ask('/docs/reference/scalar.js', { 'accept-encoding': 'gzip, br' });
  expect([squeezed.body, squeezed.headers['content-encoding']]).toEqual(['squeezed', 'br']);
  expect((await ask('/docs/reference/scalar.js', { 'accept-encoding': 'br;q=0' })).body).toBe('plain');
});
