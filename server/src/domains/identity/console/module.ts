import type { Module } from '../../../platform/module.ts';
import type { IdentityApp } from '../app.ts';
import { consoleRoutes } from './routes.ts';

/** Sessions of the console: signing in and out with a cookie instead of tokens. */
export const consoleSessions = {
  name: 'console',
  tables: [],
  reference: [{ name: 'Console sessions', description: 'Sessions of the console, kept in a cookie.' }],
  routes: consoleRoutes,
} satisfies Module<IdentityApp>;
