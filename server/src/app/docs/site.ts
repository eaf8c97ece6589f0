import { inPieces, type Steps } from '../../platform/concurrency/in-pieces.ts';
import type { OpenApiDocument } from '../../platform/http/openapi/document.ts';
import { jsonType } from '../../platform/http/server/broken-http.ts';
import { StaticContent } from '../../platform/http/server/static-content.ts';
import type { ReferenceGroup } from '../../platform/module.ts';
import { llmsTxt } from './llms-txt.ts';
import { type Page, pages } from './pages.ts';

const plain = (content: string, type: string) => new StaticContent(content, `${type}; charset=utf-8`);

/**
 * What needs no build: the OpenAPI document, the pages as Markdown, and their index. Each is made when it is first
 * asked for, and in pieces: payments go on meanwhile.
 */
export class Site {
  readonly #makeDocument: () => Steps<OpenApiDocument>;
  readonly #basePath: string;
  readonly #made = new Map<string, Promise<StaticContent>>();
  #document: Promise<OpenApiDocument> | undefined;
  #pages: ReadonlyMap<string, Page> | undefined;

  constructor(makeDocument: () => Steps<OpenApiDocument>, basePath: string) {
    this.#makeDocument = makeDocument;
    this.#basePath = basePath;
  }

  openApi(): Promise<StaticContent> {
    return this.#keep('openapi.json', async () => {
      // Links in descriptions lead to pages of this service.
      const text = JSON.stringify(await this.#whole()).replaceAll('](/docs', `](${this.#basePath}/docs`);
      return new StaticContent(text, jsonType);
    });
  }

  llmsTxt(): Promise<StaticContent> {
    return this.#keep('llms.txt', async () => {
      const groups = (await this.#whole()).tags as unknown as ReferenceGroup[];
      return plain(llmsTxt(this.pages(), groups, { basePath: this.#basePath }), 'text/plain');
    });
  }

  async markdown(path: string): Promise<StaticContent | undefined> {
    const page = this.page(path);
    return page && this.#keep(`${path}.md`, async () => plain(page.markdown(), 'text/markdown'));
  }

  page(path: string): Page | undefined {
    return this.#byPath().get(path);
  }

  pages(): Page[] {
    return [...this.#byPath().values()];
  }

  /** Read when a page is first asked for, so that no start waits for them. */
  #byPath(): ReadonlyMap<string, Page> {
    this.#pages ??= new Map(pages().map((page) => [page.path, page]));
    return this.#pages;
  }

  #whole(): Promise<OpenApiDocument> {
    this.#document ??= inPieces(this.#makeDocument());
    return this.#document;
  }

  #keep(name: string, make: () => Promise<StaticContent>): Promise<StaticContent> {
    const known = this.#made.get(name) ?? make();
    this.#made.set(name, known);
    return known;
  }
}
