import type { Module } from '../../../platform/module.ts';
import type { IdentityApp } from '../app.ts';
import { group, viewRoutes } from './routes.ts';
import { viewRecord } from './schema.ts';

/** Views of the console's lists that users save: named filters and columns. */
export const views = {
  name: 'views',
  tables: ['saved_view'],
  errors: {
    view_limit_reached: 'conflict',
  },
  reference: [{ name: group, description: 'Filters and columns of lists that a user has saved.' }],
  resources: { view: viewRecord },
  routes: viewRoutes,
} satisfies Module<IdentityApp>;
