import type { FastifyInstance } from 'fastify';
import { florinIcon } from './pages/look.ts';

/**
 * The icon that a browser asks for on its own for pages that name none: those of payers, of devices and of a password
 * reset, and every answer that is opened in a tab. It is an SVG, which browsers take by its type.
 */
export function addFavicon(app: FastifyInstance): void {
  app.get('/favicon.ico', (_request, reply) =>
    reply.headers({ 'content-type': 'image/svg+xml', 'cache-control': 'public, max-age=86400' }).send(florinIcon),
  );
}
