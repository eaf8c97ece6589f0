import type { Relation } from '../../../platform/postgres/relation.ts';

/** Results of refunds. `reverses`: the refund fails after it had succeeded. */
type Outcomes = Relation<
  'tenant_id' | 'id' | 'status' | 'reference' | 'failure_code' | 'failure_message' | 'reverses' | 'at'
>;

/** A CTE that writes the results of refunds in the statement that changes their payments. */
export const settleRefunds = (outcomes: Outcomes) => `
  refunded_now as (
    update refund r
       set status = outcome.status, provider_reference = coalesce(outcome.reference, r.provider_reference),
           failure_code = outcome.failure_code, failure_message = outcome.failure_message,
           reversed_at = case when outcome.reverses then outcome.at end, version = r.version + 1,
           updated_at = greatest(outcome.at, r.updated_at)
      from ${outcomes.name} as outcome
     where r.tenant_id = outcome.tenant_id and r.id = outcome.id
       and case when outcome.reverses then r.status = 'SUCCESS' else r.status in ('PENDING', 'PROCESSING') end
  )`;
