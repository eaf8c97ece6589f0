import type { Relation } from '../../../platform/postgres/relation.ts';

/** Results of captures. */
type Outcomes = Relation<'tenant_id' | 'id' | 'status' | 'reference' | 'failure_code' | 'at'>;

/** A CTE that writes the results of captures in the statement that changes their payments. */
export const settleCaptures = (outcomes: Outcomes) => `
  captured as (
    update capture c
       set status = outcome.status, provider_reference = coalesce(outcome.reference, c.provider_reference),
           failure_code = outcome.failure_code, updated_at = greatest(outcome.at, c.updated_at)
      from ${outcomes.name} as outcome
     where c.tenant_id = outcome.tenant_id and c.id = outcome.id and c.status in ('PENDING', 'PROCESSING')
  )`;
