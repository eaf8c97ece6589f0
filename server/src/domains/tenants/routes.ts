import { Type } from 'typebox';
import { endpoint } from '../../platform/http/route.ts';
import { saveTenant, type TenantDeps } from './save.ts';
import { tenantInput, tenantRecord } from './schema.ts';
import { listTenants, type TenantRow } from './sql.ts';

export function tenantEndpoints(deps: TenantDeps) {
  return {
    list: endpoint({
      summary: 'List tenants',
      description: "In the order of their creation. The platform's own tenant is not among them.",
      data: Type.Array(tenantRecord),
      handle: async () => ({ data: (await deps.database.run(listTenants)).map(tenantOf) }),
    }),

    modify: endpoint({
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
  };
}

function tenantOf({ id, name, state, created_at, updated_at }: TenantRow) {
  return { id, name, state, createdTime: created_at, updatedTime: updated_at };
}
