import { boundedCache } from '../../platform/caching/bounded-cache.ts';
import { inPieces, type Steps } from '../../platform/concurrency/in-pieces.ts';
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
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
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

/** The pages, each rendered when it is first asked for. What takes long is made in pieces: payments go on meanwhile. */
export class Site {
  readonly #makeDocument: () => Steps<OpenApiDocument>;
  #made: Promise<OpenApiDocument> | undefined;
  readonly #frame: { assets: { style: string; script: string }; basePath: string };
  #found: ReadonlyMap<string, Page> | undefined;
  #search: Promise<DocSearch> | undefined;
  readonly #results = boundedCache<string, StaticContent>(maximumResults);
  #navigation: readonly NavGroup[] | undefined;
  readonly #rendered = new Map<string, Promise<StaticContent>>();

  constructor(
    makeDocument: () => Steps<OpenApiDocument>,
    frame: { assets: { style: string; script: string }; basePath: string },
  ) {
    this.#makeDocument = makeDocument;
    this.#frame = frame;
  }

  #document(): Promise<OpenApiDocument> {
    this.#made ??= inPieces(this.#makeDocument());
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

  openApi(): Promise<StaticContent> {
    return this.#keep('openapi.json', async () => new StaticContent(JSON.stringify(await this.#document()), jsonType));
  }

  reference(): Promise<StaticContent> {
    return this.#render('/docs', 'API reference', async () =>
      inPieces(referencePage(await this.#document(), this.#frame.basePath)),
    );
  }

  /** `error.doc` of refusals leads to /docs/errors. */
  async page(path: string): Promise<StaticContent | undefined> {
    const page = this.#pages.get(path === 'errors' ? 'reference/errors' : path);
    return (
      page &&
      this.#render(`/docs/${page.path}`, page.title, async () =>
        htmlOf(page.markdown(), { pageAt: (href) => this.#addressOf(href, page), basePath: this.#frame.basePath }),
      )
    );
  }

  async markdown(path: string): Promise<StaticContent | undefined> {
    const page = this.#pages.get(path);
    return page && this.#keep(`${path}.md`, async () => plain(page.markdown(), 'text/markdown'));
  }

  llmsTxt(): Promise<StaticContent> {
    return this.#keep('llms.txt', async () => {
      const { tags } = await this.#document();
      return plain(llmsTxt([...this.#pages.values()], tags as unknown as ReferenceGroup[], this.#frame), 'text/plain');
    });
  }

  /** Not compressed: that would take longer than the search, and there is a page for each query. */
  async search(query: unknown): Promise<StaticContent> {
    const { q } = query as { q?: unknown };
    const words = typeof q === 'string' ? q.trim().slice(0, maximumQuery) : '';
    const known = this.#results.get(words);
    if (known !== undefined) return known;
    this.#search ??= this.#document().then((document) => inPieces(DocSearch.of([...this.#pages.values()], document)));
    const main = searchPage(words, (await this.#search).find(words), this.#frame.basePath);
    const shown = { nav: this.#nav, current: '/docs/search', ...this.#frame, query: words };
    const page = served(shell('Search', main, shown), { isCompressed: false });
    this.#results.set(words, page);
    return page;
  }

  /**
   * `../reference/errors.md#channel_inactive` on a guide is /docs/reference/errors#channel_inactive below the base
   * path.
   */
  #addressOf(href: string, from: Page): string | undefined {
    const { pathname, hash } = new URL(href, `http://docs/${from.file}`);
    const page = this.#byFile.get(pathname.slice(1));
    return page && `${this.#frame.basePath}/docs/${page.path}${hash}`;
  }

  #render(path: string, title: string, main: () => Promise<Html>): Promise<StaticContent> {
    return this.#keep(path, async () =>
      served(shell(title, await main(), { nav: this.#nav, current: path, ...this.#frame })),
    );
  }

  #keep(name: string, make: () => Promise<StaticContent>): Promise<StaticContent> {
    const known = this.#rendered.get(name) ?? make();
    this.#rendered.set(name, known);
    return known;
  }
}
