/**
 * A query for the records that a provider knows by a reference: `(tenant_id, transaction_id, refund_id)`. References
 * are indexed by channel; a tenant uses its own channels and those of the platform. Parameters: SQL of the tenants, and
 * of the reference.
 */
export const recordsByReference = (tenantIds: string, reference: string) => `
  select distinct operation.tenant_id, operation.transaction_id, operation.refund_id
    from channel
   cross join lateral (
     select tenant_id, transaction_id, refund_id from provider_operation
      where channel_id = channel.id and provider_reference = ${reference} offset 0
   ) as operation
   where (channel.tenant_id = any (${tenantIds}) or channel.tenant_id = 0)
       and operation.tenant_id = any (${tenantIds})`;
