import type { Check } from '../../../platform/postgres/check.ts';
import { partBytes } from '../raw-bodies/raw-bodies.ts';

const dispute = (id: string) => `'dsp_' || replace(${id}::text, '-', '')`;
const payment = (id: string) => `'txn_' || replace(${id}::text, '-', '')`;

/** What movements have withdrawn and not reinstated. */
const withdrawn = `coalesce(sum(case kind when 'WITHDRAWN' then amount when 'REINSTATED' then -amount else 0 end), 0)`;

/** Claims about disputes, their payments, their ledger transfers and their events. None depends on a provider. */
export const disputeChecks: readonly Check[] = [
  {
    claim: 'Every movement of a dispute is booked once, for its amount, and no other transfer is one of a dispute',
    offenders: `
      with booked as (
        select tenant_id, source_id as id, leg, transaction_id, dispute_id, channel_id, debit, credit, currency, amount
          from ledger_transfer
         where dispute_id is not null or 'DISPUTED' in (debit, credit)
      ), expected as (
        select m.tenant_id, m.id, 1::smallint as leg, d.transaction_id, m.dispute_id, d.channel_id,
               case m.kind when 'WITHDRAWN' then 'DISPUTED' when 'FEE_CHARGED' then 'PROVIDER_FEES'
                           else 'PROVIDER_RECEIVABLE' end as debit,
               case m.kind when 'REINSTATED' then 'DISPUTED' when 'FEE_RETURNED' then 'PROVIDER_FEES'
                           else 'PROVIDER_RECEIVABLE' end as credit,
               m.currency, m.amount
          from dispute_movement m
          join dispute d on d.tenant_id = m.tenant_id and d.id = m.dispute_id
         where m.booked
      )
      select distinct ${dispute('coalesce(booked.dispute_id, expected.dispute_id, id)')} as offender
        from booked
        full join expected using (tenant_id, id, leg)
       where (booked.transaction_id, booked.dispute_id, booked.channel_id, booked.debit, booked.credit,
              booked.currency, booked.amount)
             is distinct from (expected.transaction_id, expected.dispute_id, expected.channel_id, expected.debit,
                               expected.credit, expected.currency, expected.amount)`,
  },
  {
    claim: 'The balance of DISPUTED is, dispute by dispute, what was withdrawn less what was reinstated',
    offenders: `
      with balance as (
        select tenant_id, dispute_id as id, sum(case when debit = 'DISPUTED' then amount else -amount end) as amount
          from ledger_transfer
         where 'DISPUTED' in (debit, credit)
         group by 1, 2
      ), moved as (
        select tenant_id, dispute_id as id, ${withdrawn} as amount from dispute_movement where booked group by 1, 2
      )
      select ${dispute('d.id')} as offender
        from dispute d
        left join balance using (tenant_id, id)
        left join moved using (tenant_id, id)
       where d.amount_withdrawn <> coalesce(balance.amount, 0) or d.amount_withdrawn <> coalesce(moved.amount, 0)`,
  },
  {
    claim: 'A payment shows as disputed the sum that its disputes have withdrawn',
    offenders: `
      with disputed as (
        select tenant_id, transaction_id as id, sum(amount_withdrawn) as amount from dispute group by 1, 2
      )
      select ${payment('id')} as offender
        from disputed
        full join transaction t using (tenant_id, id)
       where t.status is null or coalesce(t.amount_disputed, 0) <> coalesce(disputed.amount, 0)`,
  },
  {
    claim: 'Every dispute has exactly one dispute.created event, and the mode of its payment and its channel',
    offenders: `
      with event_count as (
        select tenant_id, object_id, count(*) as count from event where type = 'dispute.created' group by 1, 2
      ), known as (
        select d.tenant_id, ${dispute('d.id')} as object_id,
               d.livemode = t.livemode and d.livemode = coalesce(channel.livemode, d.livemode) as has_mode
          from dispute d
          left join transaction t on t.tenant_id = d.tenant_id and t.id = d.transaction_id
          left join channel on channel.id = d.channel_id
      )
      select object_id as offender
        from event_count
        full join known using (tenant_id, object_id)
       where event_count.count is distinct from 1 or has_mode is not true`,
  },
  {
    claim: 'Every file of evidence has its content, with all of its parts',
    offenders: `
      select ${dispute('f.dispute_id')} as offender
        from dispute_file f
        left join raw_body b on b.tenant_id = f.tenant_id and b.id = f.id and b.kept
        left join lateral (
          select count(*) as count from raw_body_part p where p.tenant_id = f.tenant_id and p.body_id = f.id
        ) as parts on true
       where (b.bytes, b.sha256) is distinct from (f.bytes::bigint, f.sha256)
          or parts.count <> (f.bytes + ${partBytes} - 1) / ${partBytes}`,
  },
];
