import type { FastifyInstance } from 'fastify';

/** The content type that all bodies are treated as, so that the framework does not parse them. */
const bytesType = 'application/octet-stream';

/**
 * For routes that take the bytes of a body with any Content-Type or none. Routes that `add` registers have it as a
 * Buffer in `request.body`, possibly empty; the original header is in `request.raw.headers`.
 */
export function withRawBodies(app: FastifyInstance, add: (part: FastifyInstance) => void): void {
  app.register((part, _options, done) => {
    part.removeAllContentTypeParsers();
    part.addContentTypeParser(bytesType, { parseAs: 'buffer' }, (_request, body, parsed) => parsed(null, body));
    part.addHook('onRequest', (request, _reply, next) => {
      request.headers = { 'content-type': bytesType };
      next();
    });
    add(part);
    done();
  });
}
