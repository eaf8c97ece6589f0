import { defineModule } from '../../../platform/module.ts';
import { type ConsoleDeps, consoleRoutes } from './routes.ts';
import { profile } from './schema.ts';

/** Sessions of the console: signing in and out with a cookie instead of tokens. */
export const consoleSessions = defineModule({
  name: 'console',
  tables: [],
  reference: [{ name: 'Console sessions', description: 'Sessions of the console, kept in a cookie.' }],
  schemas: { ConsoleProfile: profile },
  routes: (context: ConsoleDeps) => consoleRoutes(context),
});
