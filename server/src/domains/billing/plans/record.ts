import type { Static } from 'typebox';
import { tenantOnWire } from '../../../core/principal.ts';
import type { planRecord } from './schema.ts';
import type { PlanRow } from './statements.ts';

export type PlanRecord = Static<typeof planRecord>;

export function recordOf(row: PlanRow): PlanRecord {
  return {
    id: row.id,
    livemode: row.livemode,
    tenantId: tenantOnWire(row.tenant_id),
    name: row.name,
    currency: row.currency,
    amount: row.amount,
    interval: row.interval_unit,
    intervalCount: row.interval_count,
    trialDays: row.trial_days,
    channelId: row.channel_id,
    taxRate: row.tax_rate,
    statementDescriptor: row.statement_descriptor,
    state: row.state,
    createdTime: row.created_at,
    updatedTime: row.updated_at ?? row.created_at,
  };
}
