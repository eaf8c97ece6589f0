import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Steps } from '../../platform/concurrency/in-pieces.ts';
import type { OpenApiDocument } from '../../platform/http/openapi/document.ts';
import { buildState, builtFolder } from '../http/built-files.ts';
import type { BuiltDocs } from './built-docs.ts';
import type { Site } from './site.ts';

/**
 * Serves the OpenAPI document at /openapi.json, the documentation at /docs, its pages also as Markdown (`.md`), and
 * their index at /llms.txt. The pages load nothing from other servers. Until they are built, their text stands in for
 * them, so that addresses lead where they will. Nothing is loaded or made before it is asked for: the OpenAPI document
 * was a third of the processor time of starting a node. `basePath` is that of the public address, with which links
 * begin; `folder` has the built pages.
 */
export function addDocs(
  app: FastifyInstance,
  basePath: string,
  loadDocument: () => Promise<() => Steps<OpenApiDocument>>,
  folder = builtFolder('docs'),
): void {
  let loading: Promise<{ site: Site; built: BuiltDocs }> | undefined;
  const docs = () => {
    loading ??= Promise.all([import('./site.ts'), import('./built-docs.ts'), loadDocument()]).then(
      ([{ Site }, { BuiltDocs }, make]) => ({ site: new Site(make, basePath), built: new BuiltDocs(folder, basePath) }),
    );
    return loading;
  };

  const sendPage = async (path: string, request: FastifyRequest, reply: FastifyReply) => {
    const { site, built } = await docs();
    if (await built.isBuilt()) {
      return (await built.send(path, request, reply)) ? reply : reply.callNotFound();
    }
    const page = site.page(path);
    if (path !== '' && page === undefined) return reply.callNotFound();
    const [{ sendUnbuilt }, { indexOf, textOf }] = await Promise.all([
      import('../http/unbuilt.ts'),
      import('./unbuilt-docs.ts'),
    ]);
    const state = await buildState(folder);
    const main = page === undefined ? indexOf(site.pages(), state, basePath) : textOf(page, state, basePath);
    return sendUnbuilt(reply, { status: 200, title: `${page?.title ?? 'Documentation'} · Florin`, state, main });
  };

  app.get('/openapi.json', async (request, reply) => (await (await docs()).site.openApi()).send(request, reply));
  app.get('/llms.txt', async (request, reply) => (await (await docs()).site.llmsTxt()).send(request, reply));
  app.get('/docs', (request, reply) => sendPage('', request, reply));
  app.get('/docs/*', async (request, reply) => {
    const path = (request.params as { '*': string })['*'];
    // The address of a refusal's explanation; a browser keeps the anchor.
    if (path === 'errors') return reply.redirect(`${basePath}/docs/reference/errors`, 302);
    if (!path.endsWith('.md')) return sendPage(path, request, reply);
    const page = await (await docs()).site.markdown(path.slice(0, -'.md'.length));
    return page === undefined ? reply.callNotFound() : page.send(request, reply);
  });
}
