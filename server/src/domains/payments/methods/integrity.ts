import type { Check } from '../../../platform/postgres/check.ts';

const method = (id: string) => `'mtd_' || replace(${id}::text, '-', '')`;

/** Claims about payment methods, their events and the payments that use them. */
export const methodChecks: readonly Check[] = [
  {
    claim: 'A customer has at most one default payment method, which can be charged',
    offenders: `
      select ${method('m.id')} as offender
        from payment_method m
       where m.is_default
         and (m.status not in ('ACTIVE', 'EXPIRED')
              or exists (select from payment_method other
                          where other.tenant_id = m.tenant_id and other.customer_id = m.customer_id
                            and other.is_default and other.id <> m.id))`,
  },
  {
    claim: 'A payment method that was attached has its reference sealed, its event once, and no token any more',
    offenders: `
      with attached as (
        select tenant_id, object_id, count(*) as count from event where type = 'payment_method.attached' group by 1, 2
      ), known as (
        select tenant_id, ${method('id')} as object_id, reference_sealed,
               coalesce(source_plain, source_sealed::text) as source
          from payment_method
         where status in ('ACTIVE', 'EXPIRED', 'REVOKED')
      )
      select object_id as offender
        from known
        left join attached using (tenant_id, object_id)
       where attached.count is distinct from 1 or reference_sealed is null or source is not null`,
  },
  {
    claim: 'Every payment method that failed or was detached has exactly one event of that, and no other has one',
    offenders: `
      with told as (
        select tenant_id, object_id, type, count(*) as count
          from event
         where type in ('payment_method.failed', 'payment_method.detached')
         group by 1, 2, 3
      ), ended as (
        select tenant_id, ${method('id')} as object_id, 'payment_method.' || lower(status) as type
          from payment_method
         where status in ('FAILED', 'DETACHED')
      )
      select object_id as offender
        from told
        full join ended using (tenant_id, object_id, type)
       where told.count is distinct from 1 or ended.object_id is null`,
  },
  {
    claim: 'A payment method that waits for its provider has one open setup, and no other has one',
    offenders: `
      with open_setup as (
        select tenant_id, method_id as id, count(*) as count
          from payment_method_operation
         where kind = 'SETUP' and finished_at is null
         group by 1, 2
      )
      select ${method('m.id')} as offender
        from payment_method m
        left join open_setup using (tenant_id, id)
       where case m.status when 'PENDING' then open_setup.count is distinct from 1
                           when 'DETACHED' then false
                           else open_setup.count is not null end`,
  },
  {
    claim: "A payment's method is its customer's, of its mode, and kept by the channel of one of its charges",
    offenders: `
      select 'txn_' || replace(t.id::text, '-', '') as offender
        from transaction t
        left join payment_method m on m.tenant_id = t.tenant_id and m.id = t.method_id
       where t.method_id is not null
         and (m.id is null or m.customer_id is distinct from t.customer_id or m.livemode <> t.livemode
              or not exists (select from provider_operation o
                              where o.tenant_id = t.tenant_id and o.transaction_id = t.id and o.kind = 'CHARGE'
                                and o.channel_id = m.channel_id))`,
  },
];
