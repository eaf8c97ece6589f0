import { defineModule } from '../../../platform/module.ts';
import type { Node } from '../../../platform/node.ts';
import { tenantRoutes } from './routes.ts';
import { tenantRecord } from './schema.ts';

/** Merchants, kept apart from each other. */
export const tenants = defineModule({
  name: 'tenants',
  tables: ['tenant'],
  reference: [{ name: 'Tenants', description: 'Merchants, kept apart from each other.' }],
  resources: { tenant: tenantRecord },
  routes: (node: Node) => tenantRoutes(node),
});
