import type { Check, Finding } from '../../../platform/postgres/check.ts';

const payment = (id: string) => `'txn_' || replace(${id}::text, '-', '')`;

/** Claims about payments, refunds and their provider operations. */
export const operationChecks: readonly Check[] = [
  {
    claim: 'A payment has at most one charge that is open or has succeeded',
    offenders: `
      select ${payment('transaction_id')} as offender
        from provider_operation
       where kind = 'CHARGE' and state not in ('FAILED', 'CANCELLED')
       group by tenant_id, transaction_id
      having count(*) > 1`,
  },
  {
    claim: 'A payment that has ended has no charge under way',
    // When a payment is cancelled before its charge is sent, the dispatcher ends the charge shortly after, without a
    // call.
    offenders: `
      select ${payment('t.id')} as offender
        from provider_operation o
        join transaction t on t.tenant_id = o.tenant_id and t.id = o.transaction_id
       where o.kind = 'CHARGE' and o.finished_at is null and t.status not in ('PENDING', 'PROCESSING')
         and not (t.status = 'CANCELLED' and o.state in ('READY', 'CALLING'))`,
  },
  {
    claim: 'A payment at a provider succeeds only by a charge that did, of the full amount',
    offenders: `
      select ${payment('t.id')} as offender
        from transaction t
       where t.provider is not null and t.status in ('SUCCESS', 'REFUNDED')
         and not exists (
           select 1 from provider_operation o
            where o.tenant_id = t.tenant_id and o.transaction_id = t.id and o.kind = 'CHARGE' and o.state = 'SUCCEEDED'
              and o.amount = t.amount
         )`,
  },
  {
    claim: 'A provider is asked for a refund by one operation, of the same amount and with the same outcome',
    offenders: `
      with requested as (
        select tenant_id, refund_id as id, transaction_id, count(*) as count, min(amount) as amount, min(state) as state
          from provider_operation
         where kind = 'REFUND'
         group by 1, 2, 3
      ), expected as (
        select r.tenant_id, r.id, r.transaction_id, r.amount, r.status
          from refund r
          join transaction t on t.tenant_id = r.tenant_id and t.id = r.transaction_id
         where t.provider is not null and r.origin is null
      )
      select 'ref_' || replace(id::text, '-', '') as offender
        from requested
        full join expected using (tenant_id, id)
       where (requested.transaction_id, requested.count, requested.amount)
             is distinct from (expected.transaction_id, 1, expected.amount)
          or case requested.state when 'SUCCEEDED' then status <> 'SUCCESS'
                              when 'FAILED' then status <> 'FAILED'
                              when 'CANCELLED' then status <> 'CANCELLED'
                              else status not in ('PENDING', 'PROCESSING') end`,
  },
  {
    claim:
      "Every operation of the sandbox that its answers ended is in the sandbox's own books, " +
      'with the same amount and outcome',
    // A cancellation succeeds if the sandbox cancelled the charge, or if the payment had ended without a call. An
    // operation that was not sent has no entry; one that the sandbox did not accept is UNTAKEN. Until `settles_at` the
    // sandbox does not report a success. Merchants hold the secret of their channels and sign callbacks themselves, so
    // what a callback or a user ended need not be in the books, nor the charge of a payment that a callback cancelled.
    // Nor is a refund whose money came back known to have failed before the callback that says so, nor is a capture
    // that the scheme rejects afterwards undone.
    offenders: `
      select ${payment('o.transaction_id')} || '-' || o.number as offender
        from provider_operation o
        join transaction t on t.tenant_id = o.tenant_id and t.id = o.transaction_id
        left join sandbox_operation s on s.key = ${payment('o.transaction_id')} || '-' || o.number
       where o.provider = 'sandbox' and o.finished_at is not null
         and case
               when s.state <> 'UNTAKEN' and (s.kind, s.channel_id, s.amount, s.currency)
                    is distinct from (o.kind, o.channel_id, o.amount, t.currency) then true
               when o.settled_by in ('callback', 'user') or (o.settled_by = 'nothing' and o.kind = 'CHARGE' and exists (
                      select from provider_operation c
                       where c.tenant_id = o.tenant_id and c.transaction_id = o.transaction_id and c.kind = 'CANCEL'
                         and c.settled_by = 'callback')) then false
               when s.key is null or s.state = 'UNTAKEN'
                 then o.state = 'SUCCEEDED' and not (o.kind = 'CANCEL' and o.settled_by = 'nothing')
               when o.kind = 'CANCEL' then case o.state when 'SUCCEEDED' then s.state <> 'CANCELLED'
                                                        when 'FAILED' then s.state <> 'FAILED'
                                                        else false end
               when s.behaviour in ('refund:returned', 'capture:fail-later') and o.state = 'SUCCEEDED'
                   then s.state not in ('SUCCEEDED', 'FAILED')
               else s.state <> o.state or (o.state = 'SUCCEEDED' and s.settles_at is not null)
             end`,
  },
  {
    claim: "Every entry in the sandbox's books was asked of it by an operation",
    offenders: `
      select s.key as offender
        from sandbox_operation s
       where not exists (
         select from provider_operation o
          where o.provider = 'sandbox' and ${payment('o.transaction_id')} || '-' || o.number = s.key
       )
         and not exists (
         select from payment_method_operation o
          where o.provider = 'sandbox' and s.kind = 'SETUP'
            and 'mtd_' || replace(o.method_id::text, '-', '') || '-' || o.number = s.key
       )`,
  },
];

/**
 * A provider may be wrong, and so may a callback that a merchant has signed itself: neither is a defect of the
 * database.
 */
export const operationFindings: readonly Finding[] = [
  {
    finding: 'The provider was asked again about what it had contradicted, and still disagrees with what is settled',
    offenders: `
      select ${payment('transaction_id')} || '-' || number as offender from discrepancy where state = 'DISAGREES'`,
  },
];
