import type { FastifyInstance, FastifyReply } from 'fastify';

/** Own files and requests to this service only. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; " +
  "frame-ancestors 'none'";

/** Serves an HTML page at `path`, its style at `path.css` and its script at `path.js`. */
export function addStaticPage(
  app: FastifyInstance,
  path: string,
  { page, style, script }: { page: string; style: string; script: string },
): void {
  const files = [
    [path, 'text/html', page],
    [`${path}.css`, 'text/css', style],
    [`${path}.js`, 'text/javascript', script],
  ] as const;
  for (const [file, type, text] of files) {
    app.get(file, (_request, reply: FastifyReply) =>
      reply.headers({ 'content-type': `${type}; charset=utf-8`, 'content-security-policy': policy }).send(text),
    );
  }
}
