/**
 * A CTE that writes the results of refunds in the statement that changes their payments. It reads a CTE `refund_news
 * (tenant_id, id, status, reference, failure_code, failure_message, reverses, at)`. `reverses`: the refund fails after it
 * had succeeded.
 */
export const settleRefundsCte = `
  refunded_now as (
    update refund r
       set status = refund_news.status, provider_reference = coalesce(refund_news.reference, r.provider_reference),
           failure_code = refund_news.failure_code, failure_message = refund_news.failure_message,
           reversed_at = case when refund_news.reverses then refund_news.at end, version = r.version + 1,
           updated_at = greatest(refund_news.at, r.updated_at)
      from refund_news
     where r.tenant_id = refund_news.tenant_id and r.id = refund_news.id
       and case when refund_news.reverses then r.status = 'SUCCESS' else r.status in ('PENDING', 'PROCESSING') end
  )`;
