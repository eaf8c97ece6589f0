import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import type { OpenApiDocument } from '../../platform/http/openapi/document.ts';
import { jsonType } from '../../platform/http/server/broken-http.ts';
import { StaticContent } from '../../platform/http/server/static-content.ts';
import type { ReferenceGroup } from '../../platform/module.ts';
import { llmsTxt } from './llms-txt.ts';
import { htmlOf } from './markdown.ts';
import { navOf, type Page, pages } from './pages.ts';
import { referencePage } from './reference.ts';
import { DocSearch, searchPage } from './search.ts';
import { shell } from './shell.ts';

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; " +
  "form-action 'self'; frame-ancestors 'none'";
const html = (content: string) =>
  new StaticContent(content, 'text/html; charset=utf-8', { headers: { 'content-security-policy': policy } });
const asset = (name: string, type: string) =>
  new StaticContent(readFileSync(new URL(`assets/${name}`, import.meta.url), 'utf8'), type, { immutable: true });

const plain = (content: string, type: string) => new StaticContent(content, `${type}; charset=utf-8`);

/**
 * Serves the OpenAPI document at /openapi.json, an interactive reference at /docs, the guides beside it, as HTML and as Markdown
 * (`.md`), a search over all of them, and their index at /llms.txt. The pages load nothing from other servers, and run
 * without inline scripts or styles. Everything is made on first use: the OpenAPI document took a third of the processor time of
 * starting a node.
 */
export function addDocs(app: FastifyInstance, makeDocument: () => OpenApiDocument): void {
  const style = asset('docs.css', 'text/css; charset=utf-8');
  const script = asset('docs.js', 'text/javascript; charset=utf-8');
  const assets = { style: `/docs/assets/docs.${style.tag}.css`, script: `/docs/assets/docs.${script.tag}.js` };
  const site = new Site(makeDocument, assets);

  app.get('/openapi.json', (request, reply) => site.openApi().send(request, reply));
  app.get(assets.style, (request, reply) => style.send(request, reply));
  app.get(assets.script, (request, reply) => script.send(request, reply));
  app.get('/docs', (request, reply) => site.reference().send(request, reply));
  app.get('/llms.txt', (request, reply) => site.llmsTxt().send(request, reply));
  app.get('/docs/search', (request, reply) => site.search(request.query).send(request, reply));
  app.get('/docs/*', (request, reply) => {
    const path = (request.params as { '*': string })['*'];
    const page = path.endsWith('.md') ? site.markdown(path.slice(0, -'.md'.length)) : site.page(path);
    return page === undefined ? reply.callNotFound() : page.send(request, reply);
  });
}

/** In characters; the rest of a query is left out. */
const maximumQuery = 200;

/** The pages, each rendered on first use. */
class Site {
  readonly #makeDocument: () => OpenApiDocument;
  #made: OpenApiDocument | undefined;
  readonly #assets: { style: string; script: string };
  #found: ReadonlyMap<string, Page> | undefined;
  #search: DocSearch | undefined;
  readonly #rendered = new Map<string, StaticContent>();

  constructor(makeDocument: () => OpenApiDocument, assets: { style: string; script: string }) {
    this.#makeDocument = makeDocument;
    this.#assets = assets;
  }

  get #document(): OpenApiDocument {
    this.#made ??= this.#makeDocument();
    return this.#made;
  }

  /** Read on first use, so that no start waits for them. */
  get #pages(): ReadonlyMap<string, Page> {
    this.#found ??= new Map(pages().map((page) => [page.path, page]));
    return this.#found;
  }

  get #byFile(): ReadonlyMap<string, Page> {
    return new Map([...this.#pages.values()].map((page) => [page.file, page]));
  }

  openApi(): StaticContent {
    return this.#keep('openapi.json', () => new StaticContent(JSON.stringify(this.#document), jsonType));
  }

  reference(): StaticContent {
    return this.#render('/docs', 'API reference', () => referencePage(this.#document));
  }

  /** `error.doc` of refusals leads to /docs/errors. */
  page(path: string): StaticContent | undefined {
    const page = this.#pages.get(path === 'errors' ? 'reference/errors' : path);
    return (
      page &&
      this.#render(`/docs/${page.path}`, page.title, () =>
        htmlOf(page.markdown(), (href) => this.#addressOf(href, page)),
      )
    );
  }

  markdown(path: string): StaticContent | undefined {
    const page = this.#pages.get(path);
    return page && this.#keep(`${path}.md`, () => plain(page.markdown(), 'text/markdown'));
  }

  llmsTxt(): StaticContent {
    return this.#keep('llms.txt', () =>
      plain(llmsTxt([...this.#pages.values()], this.#document.tags as unknown as ReferenceGroup[]), 'text/plain'),
    );
  }

  /** Not kept: there is a page for each query. */
  search(query: unknown): StaticContent {
    const { q } = query as { q?: unknown };
    const words = typeof q === 'string' ? q.trim().slice(0, maximumQuery) : '';
    this.#search ??= new DocSearch([...this.#pages.values()], this.#document);
    const nav = navOf([...this.#pages.values()]);
    const main = searchPage(words, this.#search.find(words));
    return html(shell('Search', main, { nav, current: '/docs/search', assets: this.#assets, query: words }));
  }

  /** `../reference/errors.md#channel_inactive` on a guide is /docs/reference/errors#channel_inactive. */
  #addressOf(href: string, from: Page): string | undefined {
    const { pathname, hash } = new URL(href, `http://docs/${from.file}`);
    const page = this.#byFile.get(pathname.slice(1));
    return page && `/docs/${page.path}${hash}`;
  }

  #render(path: string, title: string, main: () => string): StaticContent {
    const nav = () => navOf([...this.#pages.values()]);
    return this.#keep(path, () => html(shell(title, main(), { nav: nav(), current: path, assets: this.#assets })));
  }

  #keep(name: string, make: () => StaticContent): StaticContent {
    const known = this.#rendered.get(name) ?? make();
    this.#rendered.set(name, known);
    return known;
  }
}
