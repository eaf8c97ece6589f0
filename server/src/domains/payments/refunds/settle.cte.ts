/**
 * A CTE that writes the results of refunds in the statement that changes their payments. It reads a CTE `refund_outcome
 * (tenant_id, id, status, reference, failure_code, failure_message, reverses, at)`. `reverses`: the refund fails after
 * it had succeeded.
 */
export const settleRefundsCte = `
  refunded_now as (
    update refund r
       set status = refund_outcome.status, provider_reference = coalesce(refund_outcome.reference, r.provider_reference),
           failure_code = refund_outcome.failure_code, failure_message = refund_outcome.failure_message,
           reversed_at = case when refund_outcome.reverses then refund_outcome.at end, version = r.version + 1,
           updated_at = greatest(refund_outcome.at, r.updated_at)
      from refund_outcome
     where r.tenant_id = refund_outcome.tenant_id and r.id = refund_outcome.id
       and case when refund_outcome.reverses then r.status = 'SUCCESS' else r.status in ('PENDING', 'PROCESSING') end
  )`;
