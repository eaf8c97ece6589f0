import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { jsonType } from '../../platform/http/broken-http.ts';
import type { OpenApiDocument } from '../../platform/http/openapi/document.ts';
import { StaticContent } from '../../platform/http/static-content.ts';
import { htmlOf } from './markdown.ts';
import { navOf, type Page, pages } from './pages.ts';
import { referencePage } from './reference.ts';
import { shell } from './shell.ts';

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; " +
  "form-action 'none'; frame-ancestors 'none'";
const html = (content: string) =>
  new StaticContent(content, 'text/html; charset=utf-8', { headers: { 'content-security-policy': policy } });
const asset = (name: string, type: string) =>
  new StaticContent(readFileSync(new URL(`assets/${name}`, import.meta.url), 'utf8'), type, { immutable: true });

/**
 * Serves the OpenAPI document at /openapi.json, an interactive reference at /docs, and the guides beside it. The pages load
 * nothing from other servers, and run without inline scripts or styles.
 */
export function addDocs(app: FastifyInstance, document: OpenApiDocument): void {
  const json = new StaticContent(JSON.stringify(document), jsonType);
  const style = asset('docs.css', 'text/css; charset=utf-8');
  const script = asset('docs.js', 'text/javascript; charset=utf-8');
  const assets = { style: `/docs/assets/docs.${style.tag}.css`, script: `/docs/assets/docs.${script.tag}.js` };
  const site = new Site(document, assets);

  app.get('/openapi.json', (request, reply) => json.send(request, reply));
  app.get(assets.style, (request, reply) => style.send(request, reply));
  app.get(assets.script, (request, reply) => script.send(request, reply));
  app.get('/docs', (request, reply) => site.reference().send(request, reply));
  app.get('/docs/*', (request, reply) => {
    const page = site.page((request.params as { '*': string })['*']);
    return page === undefined ? reply.callNotFound() : page.send(request, reply);
  });
}

/** The pages, each rendered when it is first asked for. */
class Site {
  readonly #document: OpenApiDocument;
  readonly #assets: { style: string; script: string };
  #found: ReadonlyMap<string, Page> | undefined;
  readonly #rendered = new Map<string, StaticContent>();

  constructor(document: OpenApiDocument, assets: { style: string; script: string }) {
    this.#document = document;
    this.#assets = assets;
  }

  /** Read when a page is first asked for, so that no start waits for them. */
  get #pages(): ReadonlyMap<string, Page> {
    this.#found ??= new Map(pages().map((page) => [page.path, page]));
    return this.#found;
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
        htmlOf(page.markdown(), (href) => this.#addressOf(href, page.path)),
      )
    );
  }

  /** `../reference/errors.md#channel_inactive` on a guide is /docs/reference/errors#channel_inactive. */
  #addressOf(href: string, from: string): string | undefined {
    const { pathname, hash } = new URL(href, `http://docs/docs/${from}`);
    const path = pathname.replace(/^\/docs\//, '').replace(/\.md$/, '');
    return this.#pages.has(path) ? `/docs/${path}${hash}` : undefined;
  }

  #render(path: string, title: string, main: () => string): StaticContent {
    const nav = navOf([...this.#pages.values()]);
    const known = this.#rendered.get(path) ?? html(shell(title, main(), { nav, current: path, assets: this.#assets }));
    this.#rendered.set(path, known);
    return known;
  }
}
