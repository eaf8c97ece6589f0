import type { FastifyInstance } from 'fastify';
import { SettingsError } from '../config/settings.ts';

/**
 * Refuses a path of `app.public-url` that begins like a path of a route that is added afterwards: nobody could tell
 * whether a proxy has stripped it.
 */
export function requireFreePath(app: FastifyInstance, basePath: string): void {
  if (basePath === '') return;
  app.addHook('onRoute', ({ url }) => {
    if (firstPart(url) !== firstPart(basePath)) return;
    const reason = `must not have the path ${basePath}, because paths of Florin begin with /${firstPart(url)}`;
    throw new SettingsError(`app.public-url ${reason}: use another one, such as /florin.`);
  });
}

const firstPart = (path: string) => path.split('/')[1];
