import { statement } from '../../../platform/postgres/statement.ts';
import type { IntervalUnit } from './schema.ts';

export interface PlanRow {
  tenant_id: number;
  id: number;
  /** Never changes. */
  livemode: boolean;
  name: string;
  currency: string;
  amount: number;
  interval_unit: IntervalUnit;
  interval_count: number;
  trial_days: number;
  channel_id: number | null;
  state: boolean;
  /** In basis points; null: untaxed. */
  tax_rate: number | null;
  /** What payers read on their statements; null: that of the channel. */
  statement_descriptor: string | null;
  created_at: string;
  updated_at: string | null;
}

const columns = `id, tenant_id, livemode, name, currency, amount, interval_unit, interval_count, trial_days,
    channel_id, state,
  tax_rate, statement_descriptor, created_at, updated_at`;

/**
 * Values: tenant, name, currency, amount, interval unit, interval count, trial days, channel or null, state, tax rate
 * or null, statement descriptor or null, now (ms), mode.
 */
export const insertPlan = statement<PlanRow>(
  'plans.insert',
  `insert into plan (tenant_id, name, currency, amount, interval_unit, interval_count, trial_days, channel_id, state,
                     tax_rate, statement_descriptor, created_at, livemode)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, to_timestamp($12::float8 / 1000), $13)
   returning ${columns}`,
);

/** Waits for transactions that subscribe to the plan (`lockPlanShared`). Values: visible tenants, id. */
export const lockPlan = statement<PlanRow>(
  'plans.lock',
  `select ${columns} from plan where tenant_id = any ($1::bigint[]) and id = $2 for update`,
);

/** Keeps the plan unchanged while a transaction subscribes to it. Values: tenant, id. */
export const lockPlanShared = statement<PlanRow>(
  'plans.lock_shared',
  `select ${columns} from plan where tenant_id = $1 and id = $2 for share`,
);

/** Values: tenant, id. */
export const findPlan = statement<PlanRow>(
  'plans.find',
  `select ${columns} from plan where tenant_id = $1 and id = $2`,
);

/** Values: visible tenants, id. */
export const findVisiblePlan = statement<PlanRow>(
  'plans.find_visible',
  `select ${columns} from plan where tenant_id = any ($1::bigint[]) and id = $2`,
);

/** Values: as `insertPlan` without the mode, with the id after the tenant. */
export const updatePlan = statement<PlanRow>(
  'plans.update',
  `update plan
      set name = $3, currency = $4, amount = $5, interval_unit = $6, interval_count = $7, trial_days = $8,
          channel_id = $9, state = $10, tax_rate = $11, statement_descriptor = $12,
          updated_at = to_timestamp($13::float8 / 1000)
    where tenant_id = $1 and id = $2
   returning ${columns}`,
);

const filters = `tenant_id = any ($1::bigint[]) and ($2::boolean is null or state = $2)
    and livemode = any ($3::boolean[])`;

/** Newest first. Values: visible tenants, state or null, modes, offset, limit. */
export const listPlans = statement<PlanRow>(
  'plans.list',
  `select ${columns} from plan where ${filters} order by id desc offset $4 limit $5`,
);

/** Values: visible tenants, state or null, modes. */
export const countPlans = statement<{ total: number }>(
  'plans.count',
  `select count(*) as total from plan where ${filters}`,
);
