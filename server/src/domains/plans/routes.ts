import { Type } from 'typebox';
import { endpoint } from '../../platform/http/route.ts';
import { defaultPageSize, paginationOf } from '../../vocabulary/page.ts';
import { tenantOnWire } from '../../vocabulary/principal.ts';
import { tenantsSeen } from '../tenants/seen.ts';
import { type PlanDeps, savePlan } from './save.ts';
import { planInput, planListQuery, planRecord } from './schema.ts';
import { countPlans, listPlans, type PlanRow } from './sql.ts';

export function planEndpoints(deps: PlanDeps) {
  return {
    modify: endpoint({
      summary: 'Create or update a plan',
      description:
        'Without `id` a plan is created, with it that one is updated. The answer is what was saved. Of a plan that has ' +
        'subscriptions `currency`, `interval` and `intervalCount` stay.',
      body: planInput,
      data: planRecord,
      handle: async ({ body, principal }) => ({
        message: body.id === undefined ? 'Plan created' : 'Plan updated',
        data: recordOf(await savePlan(body, principal, deps)),
      }),
    }),

    list: endpoint({
      summary: 'List plans',
      description: 'Newest first.',
      query: planListQuery,
      data: Type.Array(planRecord),
      paged: true,
      handle: ({ query, principal }) => {
        const { page = 1, pageSize = defaultPageSize, state = null } = query;
        return deps.database.snapshot(async (moment) => {
          const narrowed = [await tenantsSeen(moment, principal), state];
          const [count] = await moment.run(countPlans, narrowed);
          const rows = await moment.run(listPlans, [...narrowed, (page - 1) * pageSize, pageSize]);
          return { data: rows.map(recordOf), pagination: paginationOf({ page, pageSize }, count?.total ?? 0) };
        });
      },
    }),
  };
}

function recordOf(row: PlanRow) {
  return {
    id: row.id,
    tenantId: tenantOnWire(row.tenant_id),
    name: row.name,
    currency: row.currency,
    amount: row.amount,
    interval: row.interval_unit,
    intervalCount: row.interval_count,
    trialDays: row.trial_days,
    channelId: row.channel_id,
    state: row.state,
    createdTime: row.created_at,
    updatedTime: row.updated_at,
  };
}
