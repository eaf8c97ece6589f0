import { Type } from 'typebox';
import { notFound } from '../../../core/errors.ts';
import { defaultPageSize, paginationOf } from '../../../core/page.ts';
import { platformAdministrator, type Route } from '../../../platform/http/route.ts';
import { routesFor, savedMessage } from '../../../platform/http/routes-for.ts';
import type { IdentityApp } from '../app.ts';
import { modifyTenant } from './modify.ts';
import { recordOf } from './record.ts';
import { tenantInput, tenantListQuery, tenantQuery, tenantRecord } from './schema.ts';
import type { TenantSeller } from './sellers.ts';
import { countTenants, findTenant, listTenants } from './statements.ts';

const { get, postOnce } = routesFor<IdentityApp>();

export const tenantRoutes: readonly Route<IdentityApp>[] = [
  get('/api/tenant/list', platformAdministrator('*'), 'Tenants', {
    summary: 'List tenants',
    description: "Oldest first, without the platform's own tenant.",
    query: tenantListQuery,
    data: Type.Array(tenantRecord),
    paged: true,
    handle: async ({ query: { page = 1, pageSize = defaultPageSize } }, app) => {
      const [rows, [count]] = await Promise.all([
        app.database.run(listTenants, [(page - 1) * pageSize, pageSize]),
        app.database.run(countTenants),
      ]);
      const sellers = await app.tenantSellers.find(
        app.database,
        rows.map(({ id }) => id),
      );
      const data = rows.map((row, index) => recordOf(row, sellers[index] as TenantSeller));
      return { data, pagination: paginationOf({ page, pageSize }, count?.total ?? 0) };
    },
  }),

  get('/api/tenant/detail', platformAdministrator('*'), 'Tenants', {
    summary: 'Get a tenant',
    query: tenantQuery,
    data: tenantRecord,
    handle: async ({ query: { id } }, app) => {
      const [row] = await app.database.run(findTenant, [id]);
      if (row === undefined) throw notFound('tenant', id);
      const [seller] = (await app.tenantSellers.find(app.database, [id])) as [TenantSeller];
      return { data: recordOf(row, seller) };
    },
  }),

  postOnce('/api/tenant/modify', platformAdministrator('*'), 'Tenants', {
    summary: 'Create or update a tenant',
    description:
      'Without `id`, creates a tenant; with `id`, updates that tenant. ' +
      'Disabling a tenant (`state` false) refuses its logins, sessions and keys immediately.',
    body: tenantInput,
    refuses: ['step_up_required', 'livemode_mismatch'],
    data: tenantRecord,
    message: savedMessage('Tenant'),
    handle: modifyTenant,
  }),
];
