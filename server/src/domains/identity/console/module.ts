import { defineModule } from '../../../platform/module.ts';
import { type ConsoleDeps, consoleRoutes } from './routes.ts';

/** Sessions of the console: signing in and out with a cookie instead of tokens. */
export const consoleSessions = defineModule({
  name: 'console',
  tables: [],
  reference: [{ name: 'Console sessions', description: 'Sessions of the console, kept in a cookie.' }],
  routes: (context: ConsoleDeps) => consoleRoutes(context),
});
