import { boundedCache } from '../../core/bounded-cache.ts';
import type { Html } from '../../platform/http/html.ts';
import type { OpenApiDocument } from '../../platform/http/openapi/document.ts';
import { jsonType } from '../../platform/http/server/broken-http.ts';
import { StaticContent } from '../../platform/http/server/static-content.ts';
import type { ReferenceGroup } from '../../platform/module.ts';
import { llmsTxt } from './llms-txt.ts';
import { htmlOf } from './markdown.ts';
import { navOf, type Page, pages } from './pages.ts';
import { referencePage } from './reference.ts';
import { DocSearch, searchPage } from './search.ts';
import { type NavGroup, shell } from './shell.ts';

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; " +
  "form-action 'self'; frame-ancestors 'none'";
const served = (page: Html, { isCompressed = true } = {}) =>
  new StaticContent(page.text, 'text/html; charset=utf-8', {
    headers: { 'content-security-policy': policy },
    isCompressed,
  });
const plain = (content: string, type: string) => new StaticContent(content, `${type}; charset=utf-8`);

/** In characters; the rest of a query is left out. */
const maximumQuery = 200;
/** Pages of results that are kept, of some 20 KB each. */
const maximumResults = 100;

/** The pages, each rendered when it is first asked for. */
export class Site {
  readonly #makeDocument: () => OpenApiDocument;
  #made: OpenApiDocument | undefined;
  readonly #frame: { assets: { style: string; script: string }; basePath: string };
  #found: ReadonlyMap<string, Page> | undefined;
  #search: DocSearch | undefined;
  readonly #results = boundedCache<string, StaticContent>(maximumResults);
  #navigation: readonly NavGroup[] | undefined;
  readonly #rendered = new Map<string, StaticContent>();

  constructor(
    makeDocument: () => OpenApiDocument,
    frame: { assets: { style: string; script: string }; basePath: string },
  ) {
    this.#makeDocument = makeDocument;
    this.#frame = frame;
  }

  get #document(): OpenApiDocument {
    this.#made ??= this.#makeDocument();
    return this.#made;
  }

  /** Read when a page is first asked for, so that no start waits for them. */
  get #pages(): ReadonlyMap<string, Page> {
    this.#found ??= new Map(pages().map((page) => [page.path, page]));
    return this.#found;
  }

  get #nav(): readonly NavGroup[] {
    this.#navigation ??= navOf([...this.#pages.values()]);
    return this.#navigation;
  }

  get #byFile(): ReadonlyMap<string, Page> {
    return new Map([...this.#pages.values()].map((page) => [page.file, page]));
  }

  openApi(): StaticContent {
    return this.#keep('openapi.json', () => new StaticContent(JSON.stringify(this.#document), jsonType));
  }

  reference(): StaticContent {
    return this.#render('/docs', 'API reference', () => referencePage(this.#document, this.#frame.basePath));
  }

  /** `error.doc` of refusals leads to /docs/errors. */
  page(path: string): StaticContent | undefined {
    const page = this.#pages.get(path === 'errors' ? 'reference/errors' : path);
    return (
      page &&
      this.#render(`/docs/${page.path}`, page.title, () =>
        htmlOf(page.markdown(), { pageAt: (href) => this.#addressOf(href, page), basePath: this.#frame.basePath }),
      )
    );
  }

  markdown(path: string): StaticContent | undefined {
    const page = this.#pages.get(path);
    return page && this.#keep(`${path}.md`, () => plain(page.markdown(), 'text/markdown'));
  }

  llmsTxt(): StaticContent {
    return this.#keep('llms.txt', () =>
      plain(
        llmsTxt([...this.#pages.values()], this.#document.tags as unknown as ReferenceGroup[], this.#frame),
        'text/plain',
      ),
    );
  }

  /** Not compressed: that would take longer than the search, and there is a page for each query. */
  search(query: unknown): StaticContent {
    const { q } = query as { q?: unknown };
    const words = typeof q === 'string' ? q.trim().slice(0, maximumQuery) : '';
    const known = this.#results.get(words);
    if (known !== undefined) return known;
    this.#search ??= new DocSearch([...this.#pages.values()], this.#document);
    const main = searchPage(words, this.#search.find(words), this.#frame.basePath);
    const shown = { nav: this.#nav, current: '/docs/search', ...this.#frame, query: words };
    const page = served(shell('Search', main, shown), { isCompressed: false });
    this.#results.set(words, page);
    return page;
  }

  /** `../reference/errors.md#channel_inactive` on a guide is /docs/reference/errors#channel_inactive below the base path. */
  #addressOf(href: string, from: Page): string | undefined {
    const { pathname, hash } = new URL(href, `http://docs/${from.file}`);
    const page = this.#byFile.get(pathname.slice(1));
    return page && `${this.#frame.basePath}/docs/${page.path}${hash}`;
  }

  #render(path: string, title: string, main: () => Html): StaticContent {
    return this.#keep(path, () => served(shell(title, main(), { nav: this.#nav, current: path, ...this.#frame })));
  }

  #keep(name: string, make: () => StaticContent): StaticContent {
    const known = this.#rendered.get(name) ?? make();
    this.#rendered.set(name, known);
    return known;
  }
}
