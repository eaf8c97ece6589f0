import { Type } from 'typebox';
import { visibleModes } from '../../../core/livemode.ts';
import { defaultPageSize, paginationOf } from '../../../core/page.ts';
import type { Route } from '../../../platform/http/route.ts';
import { routesFor, savedMessage } from '../../../platform/http/routes-for.ts';
import { readVisible } from '../../identity/tenants/read-visible.ts';
import { listedTenants } from '../../identity/tenants/visible-tenants.ts';
import { acceptanceRefusals } from '../../payments/channels/rules.ts';
import type { BillingApp } from '../app.ts';
import { modifyPlan } from './modify.ts';
import { recordOf } from './record.ts';
import { planInput, planListQuery, planQuery, planRecord } from './schema.ts';
import { countPlans, findVisiblePlan, listPlans } from './statements.ts';

const { get, postOnce } = routesFor<BillingApp>();

export const planRoutes: readonly Route<BillingApp>[] = [
  postOnce('/api/plan/modify', 'subscription_write', 'Plans', {
    summary: 'Create or update a plan',
    description:
      'Without `id` a plan is created, with `id` that plan is updated. The answer is the saved record. A plan with ' +
      'subscriptions cannot change `currency`, `interval` and `intervalCount`.',
    body: planInput,
    refuses: ['plan_in_use', ...acceptanceRefusals],
    data: planRecord,
    message: savedMessage('Plan'),
    handle: modifyPlan,
  }),

  get('/api/plan/detail', 'subscription_read', 'Plans', {
    summary: 'Get a plan',
    query: planQuery,
    data: planRecord,
    handle: async ({ query: { id }, principal }, app) => ({
      data: recordOf(await readVisible(app.database, findVisiblePlan, { noun: 'plan', id }, principal)),
    }),
  }),

  get('/api/plan/list', 'subscription_read', 'Plans', {
    summary: 'List plans',
    description: 'Newest first. `total` is exact.',
    query: planListQuery,
    data: Type.Array(planRecord),
    paged: true,
    handle: ({ query, principal }, app) => {
      const { page = 1, pageSize = defaultPageSize, state = null } = query;
      return app.database.snapshot(async (snapshot) => {
        const tenantIds = await listedTenants(snapshot, principal, query.tenantId);
        const filters = [tenantIds, state, visibleModes(principal, query.livemode)];
        const [count] = await snapshot.run(countPlans, filters);
        const rows = await snapshot.run(listPlans, [...filters, (page - 1) * pageSize, pageSize]);
        return { data: rows.map(recordOf), pagination: paginationOf({ page, pageSize }, count?.total ?? 0) };
      });
    },
  }),
];
