import { Type } from 'typebox';
import { get, platformAdministrator, post, type Route } from '../../../platform/http/route.ts';
import { type ModifyTenantDeps, modifyTenant } from './modify.ts';
import { recordOf } from './record.ts';
import { tenantInput, tenantRecord } from './schema.ts';
import { listTenants } from './statements.ts';

export function tenantRoutes(deps: ModifyTenantDeps): Route[] {
  return [
    get('/api/tenant/list', platformAdministrator('*'), 'Tenants', {
      summary: 'List tenants',
      description: "Oldest first, without the platform's own tenant.",
      data: Type.Array(tenantRecord),
      handle: async () => ({ data: (await deps.database.run(listTenants)).map(recordOf) }),
    }),

    post('/api/tenant/modify', platformAdministrator('*'), 'Tenants', {
      summary: 'Create or update a tenant',
      description:
        'Without `id`, creates a tenant; with `id`, updates that tenant. Disabling a tenant (`state` false) refuses its ' +
        'logins, sessions and keys immediately.',
      body: tenantInput,
      refuses: ['step_up_required'],
      data: tenantRecord,
      handle: async ({ body, principal }) => ({
        message: body.id === undefined ? 'Tenant created' : 'Tenant updated',
        data: recordOf(await modifyTenant(body, principal, deps)),
      }),
    }),
  ];
}
