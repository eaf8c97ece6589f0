import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../../../core/errors.ts';
import { rule } from '../../../core/refusal-rules.ts';
import { html } from '../../../platform/http/html.ts';
import { basePathMark, buildState, builtFolder, findFile } from '../built-files.ts';
import { sendUnbuilt, sentenceOf } from '../unbuilt.ts';
import { consolePages } from './pages.ts';

const builtConsole = builtFolder('console');

/**
 * Serves the console at `/` and at the paths of its pages. The page is small and never cached; the files that it names
 * have a hash of their content in their names and are cached for a year. `basePath` is that of the public address.
 */
export function addConsole(app: FastifyInstance, basePath: string): void {
  const showPage = async (_request: FastifyRequest, reply: FastifyReply) => {
    const page = await findFile(builtConsole, 'index.html', undefined);
    return page === undefined ? sendNotBuilt(reply, basePath) : sendPage(reply, page.content.toString(), basePath);
  };
  for (const path of ['/', ...consolePages.flatMap((name) => [`/${name}`, `/${name}/*`])]) {
    app.get(path, showPage);
  }
  app.get('/assets/:name', async (request, reply) => {
    const { name } = request.params as { name: string };
    const file = await findFile(join(builtConsole, 'assets'), name, request.headers['accept-encoding']);
    if (file === undefined) throw new Refusal('path_unknown', rule('no_such_file', { name }));
    return reply
      .headers({
        'content-type': file.type,
        'cache-control': 'public, max-age=31536000, immutable',
        vary: 'accept-encoding',
        ...(file.encoding !== undefined && { 'content-encoding': file.encoding }),
      })
      .send(file.content);
  });
}

/** Allows own files only; styles that the console makes at run time carry the nonce. */
const policyOf = (nonce: string) =>
  `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; font-src 'self'; ` +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

function sendPage(reply: FastifyReply, page: string, basePath: string): FastifyReply {
  const nonce = randomBytes(16).toString('base64');
  return reply
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policyOf(nonce),
      'cross-origin-opener-policy': 'same-origin',
      'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
    })
    .send(page.replaceAll('{{nonce}}', nonce).replaceAll(basePathMark, basePath));
}

async function sendNotBuilt(reply: FastifyReply, basePath: string): Promise<FastifyReply> {
  const state = await buildState(builtConsole);
  const main = html`<h1>Florin</h1>
<p role="status">${sentenceOf('The console', state)}</p>
<p>The API is served already: see the <a href="${basePath}/docs">documentation</a>.</p>`;
  return sendUnbuilt(reply, { status: 503, title: 'Florin', state, main });
}
