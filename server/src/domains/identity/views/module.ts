import { defineModule } from '../../../platform/module.ts';
import type { ViewDeps } from './manage.ts';
import { group, viewRoutes } from './routes.ts';
import { modifyViewInput, removeViewInput, viewRecord } from './schema.ts';

/** Views of the console's lists that users save: named filters and columns. */
export const views = defineModule({
  name: 'views',
  tables: ['saved_view'],
  reference: [{ name: group, description: 'Filters and columns of lists that a user has saved.' }],
  resources: { view: viewRecord },
  schemas: { View: viewRecord, ViewModifyInput: modifyViewInput, ViewRemoveInput: removeViewInput },
  routes: (context: ViewDeps) => viewRoutes(context),
});
