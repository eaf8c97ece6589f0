import { defineModule } from '../../../platform/module.ts';
import type { Node } from '../../../platform/node.ts';
import { tenantRoutes } from './routes.ts';
import { tenantInput, tenantRecord } from './schema.ts';

/** Merchants. Each sees only its own records. */
export const tenants = defineModule({
  name: 'tenants',
  tables: ['tenant'],
  reference: [{ name: 'Tenants', description: 'Merchants. Each sees only its own records.' }],
  resources: { tenant: tenantRecord },
  schemas: { TenantModifyInput: tenantInput, Tenant: tenantRecord },
  routes: (node: Node) => tenantRoutes(node),
});
