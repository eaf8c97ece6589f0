import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import type { Steps } from '../../platform/concurrency/in-pieces.ts';
import type { OpenApiDocument } from '../../platform/http/openapi/document.ts';
import { StaticContent } from '../../platform/http/server/static-content.ts';
import type { Site } from './site.ts';

const asset = (name: string, type: string) =>
  new StaticContent(readFileSync(new URL(`assets/${name}`, import.meta.url), 'utf8'), type, { immutable: true });

/**
 * Serves the OpenAPI document at /openapi.json, an interactive reference at /docs, the guides beside it, as HTML and as
 * Markdown (`.md`), a search over all of them, and their index at /llms.txt. The pages load nothing from other servers,
 * and run without inline scripts or styles. Nothing is loaded or made before it is asked for: the OpenAPI document was
 * a third of the processor time of starting a node. `basePath` is that of the public address, with which links begin.
 */
export function addDocs(
  app: FastifyInstance,
  basePath: string,
  loadDocument: () => Promise<() => Steps<OpenApiDocument>>,
): void {
  const style = asset('docs.css', 'text/css; charset=utf-8');
  const script = asset('docs.js', 'text/javascript; charset=utf-8');
  const assets = { style: `/docs/assets/docs.${style.tag}.css`, script: `/docs/assets/docs.${script.tag}.js` };
  let loading: Promise<Site> | undefined;
  const site = () => {
    loading ??= Promise.all([import('./site.ts'), loadDocument()]).then(
      ([{ Site }, make]) => new Site(make, { assets, basePath }),
    );
    return loading;
  };

  app.get('/openapi.json', async (request, reply) => (await (await site()).openApi()).send(request, reply));
  app.get(assets.style, (request, reply) => style.send(request, reply));
  app.get(assets.script, (request, reply) => script.send(request, reply));
  app.get('/docs', async (request, reply) => (await (await site()).reference()).send(request, reply));
  app.get('/llms.txt', async (request, reply) => (await (await site()).llmsTxt()).send(request, reply));
  app.get('/docs/search', async (request, reply) => (await (await site()).search(request.query)).send(request, reply));
  app.get('/docs/*', async (request, reply) => {
    const path = (request.params as { '*': string })['*'];
    const page = path.endsWith('.md')
      ? await (await site()).markdown(path.slice(0, -'.md'.length))
      : await (await site()).page(path);
    return page === undefined ? reply.callNotFound() : page.send(request, reply);
  });
}
