import { Type } from 'typebox';
import { notFound } from '../../../core/errors.ts';
import { defaultPageSize, paginationOf } from '../../../core/page.ts';
import { postOnce, savedMessage } from '../../../platform/http/idempotency.ts';
import { administrator, get, platformAdministrator, type Route } from '../../../platform/http/route.ts';
import { type ModifyTenantDeps, modifyTenant } from './modify.ts';
import { recordOf } from './record.ts';
import { tenantInput, tenantListQuery, tenantQuery, tenantRecord } from './schema.ts';
import { modifySeller, readSeller } from './seller.ts';
import { sellerInput, sellerQuery, sellerRecord } from './seller-schema.ts';
import { countTenants, findTenant, listTenants } from './statements.ts';

export function tenantRoutes(deps: ModifyTenantDeps): Route[] {
  return [
    get('/api/tenant/list', platformAdministrator('*'), 'Tenants', {
      summary: 'List tenants',
      description: "Oldest first, without the platform's own tenant.",
      query: tenantListQuery,
      data: Type.Array(tenantRecord),
      paged: true,
      handle: async ({ query: { page = 1, pageSize = defaultPageSize } }) => {
        const [rows, [count]] = await Promise.all([
          deps.database.run(listTenants, [(page - 1) * pageSize, pageSize]),
          deps.database.run(countTenants),
        ]);
        return { data: rows.map(recordOf), pagination: paginationOf({ page, pageSize }, count?.total ?? 0) };
      },
    }),

    get('/api/tenant/detail', platformAdministrator('*'), 'Tenants', {
      summary: 'Get a tenant',
      query: tenantQuery,
      data: tenantRecord,
      handle: async ({ query: { id } }) => {
        const [row] = await deps.database.run(findTenant, [id]);
        if (row === undefined) throw notFound('tenant', id);
        return { data: recordOf(row) };
      },
    }),

    get('/api/seller/detail', administrator('*'), 'Tenants', {
      summary: 'Get the seller',
      description:
        "How the caller's tenant presents itself to payers and customers; for a PLATFORM_ADMIN also another one.",
      query: sellerQuery,
      data: sellerRecord,
      handle: async ({ query, principal }) => ({ data: await readSeller(query.id, principal, deps) }),
    }),

    postOnce('/api/seller/modify', administrator('*'), 'Tenants', {
      summary: 'Change the seller',
      description:
        "What invoices, mails to customers and the pages of payers show of the caller's tenant; for a PLATFORM_ADMIN also of " +
        'another one. Fields that are left out keep their values.',
      body: sellerInput,
      refuses: ['livemode_mismatch', 'step_up_required'],
      data: sellerRecord,
      message: 'Seller updated',
      perform: ({ body, principal }, key) => modifySeller(body, principal, deps, key),
    }),

    postOnce('/api/tenant/modify', platformAdministrator('*'), 'Tenants', {
      summary: 'Create or update a tenant',
      description:
        'Without `id`, creates a tenant; with `id`, updates that tenant. Disabling a tenant (`state` false) refuses its ' +
        'logins, sessions and keys immediately.',
      body: tenantInput,
      refuses: ['step_up_required', 'livemode_mismatch'],
      data: tenantRecord,
      message: savedMessage('Tenant'),
      perform: ({ body, principal }, key) => modifyTenant(body, principal, deps, key),
    }),
  ];
}
