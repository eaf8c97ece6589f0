import { Type } from 'typebox';
import { notFound } from '../../../core/errors.ts';
import { defaultPageSize, paginationOf } from '../../../core/page.ts';
import { administrator, platformAdministrator, type Route } from '../../../platform/http/route.ts';
import { routesFor, savedMessage } from '../../../platform/http/routes-for.ts';
import type { IdentityApp } from '../app.ts';
import { modifyTenant } from './modify.ts';
import { recordOf } from './record.ts';
import { tenantInput, tenantListQuery, tenantQuery, tenantRecord } from './schema.ts';
import { modifySeller, readSeller } from './seller.ts';
import { sellerInput, sellerQuery, sellerRecord } from './seller-schema.ts';
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
      return { data: rows.map(recordOf), pagination: paginationOf({ page, pageSize }, count?.total ?? 0) };
    },
  }),

  get('/api/tenant/detail', platformAdministrator('*'), 'Tenants', {
    summary: 'Get a tenant',
    query: tenantQuery,
    data: tenantRecord,
    handle: async ({ query: { id } }, app) => {
      const [row] = await app.database.run(findTenant, [id]);
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
    handle: async (call, app) => ({ data: await readSeller(call, app) }),
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
    handle: modifySeller,
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
    handle: modifyTenant,
  }),
];
