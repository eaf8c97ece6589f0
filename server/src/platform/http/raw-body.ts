import type { FastifyInstance } from 'fastify';

/** What every body is taken for within, so that the framework has no opinion of it. */
const bytesType = 'application/octet-stream';

/**
 * Routes that take a body as the bytes it came as: whatever it is announced as, or as nothing at all. Those that `add` puts
 * on its part of the server find it, empty or not, as a Buffer in `request.body`; what it was announced as stays in
 * `request.raw.headers`.
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
