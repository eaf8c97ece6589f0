import { Type } from 'typebox';
import { get, post, type Route } from '../../../platform/http/route.ts';
import { saveTenant, type TenantDeps } from './modify.ts';
import { tenantInput, tenantRecord } from './schema.ts';
import { listTenants, type TenantRow } from './statements.ts';

export function tenantRoutes(deps: TenantDeps): Route[] {
  return [
    get('/api/tenant/list', 'platform_administrator', 'Tenants', {
      summary: 'List tenants',
      description: "In the order of their creation. The platform's own tenant is not among them.",
      data: Type.Array(tenantRecord),
      handle: async () => ({ data: (await deps.database.run(listTenants)).map(tenantOf) }),
    }),

    post('/api/tenant/modify', 'platform_administrator', 'Tenants', {
      summary: 'Create or update a tenant',
      description:
        'Without `id` a tenant is created, with it that one is updated. A tenant switched off (`state` false) refuses ' +
        'its logins, sessions and keys at once.',
      body: tenantInput,
      data: tenantRecord,
      handle: async ({ body }) => ({
        message: body.id === undefined ? 'Tenant created' : 'Tenant updated',
        data: tenantOf(await saveTenant(body, deps)),
      }),
    }),
  ];
}

function tenantOf({ id, name, state, created_at, updated_at }: TenantRow) {
  return { id, name, state, createdTime: created_at, updatedTime: updated_at };
}
