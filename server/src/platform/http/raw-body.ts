import type { FastifyBodyParser, FastifyInstance } from 'fastify';

/** The content type that all bodies are treated as, so that the framework does not parse them. */
const bytesType = 'application/octet-stream';

type Add = (part: FastifyInstance) => void;

/**
 * For routes that take the bytes of a body with any Content-Type or none. Routes that `add` registers have it as a
 * Buffer in `request.body`, possibly empty; the original header is in `request.raw.headers`.
 */
export function withRawBodies(app: FastifyInstance, add: Add): void {
  withBytes(app, add, (part) => {
    part.addContentTypeParser(bytesType, { parseAs: 'buffer' }, (_request, body, parsed) => parsed(null, body));
  });
}

/** As `withRawBodies`, with the body as a stream of any length, of which nothing has been read. */
export function withBodyStreams(app: FastifyInstance, add: Add): void {
  const asItArrives: FastifyBodyParser<string> = (_request, body, parsed) => parsed(null, body);
  withBytes(app, add, (part) => {
    part.addContentTypeParser(bytesType, asItArrives as never);
    part.addHook('onRequest', ({ raw }, _reply, next) => {
      raw.isStreamed = true;
      next();
    });
  });
}

function withBytes(app: FastifyInstance, add: Add, addParser: Add): void {
  app.register((part, _options, done) => {
    part.removeAllContentTypeParsers();
    addParser(part);
    part.addHook('onRequest', (request, _reply, next) => {
      request.headers = { 'content-type': bytesType };
      next();
    });
    add(part);
    done();
  });
}
