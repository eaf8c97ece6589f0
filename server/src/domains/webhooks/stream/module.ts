import type { Module } from '../../../platform/module.ts';
import type { WebhooksApp } from '../app.ts';
import { streamRoutes } from './routes.ts';

/** Events as they happen, for browsers and programs that stay connected. */
export const stream = {
  name: 'stream',
  tables: [],
  routes: streamRoutes,
} satisfies Module<WebhooksApp>;
