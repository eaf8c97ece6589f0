import { hash } from 'node:crypto';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { version } from '../cli/version.ts';
import { buildState, builtFolder, readIfThere } from './built-files.ts';
import { refreshSeconds, sentenceOf } from './unbuilt.ts';

const folder = builtFolder('sdk');

/**
 * Serves the package of the client library, as it is for this version: `npm install https://HOST/sdk.tgz`. Until the
 * starting script has built it, the answer is 503, which npm repeats.
 */
export function addSdkPackage(app: FastifyInstance): void {
  app.get('/sdk.tgz', async (request, reply) => {
    const content = await readIfThere(join(folder, 'sdk.tgz'));
    if (content === undefined) {
      const sentence = sentenceOf('The client library', await buildState(folder), 'Try again in a few seconds.');
      reply.headers({ 'content-type': 'text/plain; charset=utf-8', 'retry-after': refreshSeconds });
      return reply.code(503).send(`${sentence}\n`);
    }
    const etag = `"${hash('sha256', content, 'base64url')}"`;
    reply.headers({ etag, 'cache-control': 'no-cache' });
    if (request.headers['if-none-match'] === etag) return reply.code(304).send();
    const name = `florin-sdk-${version}.tgz`;
    return reply
      .headers({ 'content-type': 'application/gzip', 'content-disposition': `attachment; filename="${name}"` })
      .send(content);
  });
}
