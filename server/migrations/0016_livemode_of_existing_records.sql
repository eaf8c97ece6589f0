-- The modes of the records that exist, from their channels: the sandbox's were for tests.
create temporary table test_payment (tenant_id bigint, id uuid, primary key (tenant_id, id)) on commit drop;
with changed as (
  update transaction t set livemode = false
    from tenant, channel
   where t.tenant_id = tenant.id and t.channel_id = channel.id and not channel.livemode
  returning t.tenant_id, t.id
)
insert into test_payment select tenant_id, id from changed;
analyze test_payment;

update subscription s set livemode = false
  from customer c, plan p, channel
 where c.tenant_id = s.tenant_id and c.id = s.customer_id and p.tenant_id = s.tenant_id and p.id = s.plan_id
   and channel.id = coalesce(s.channel_id, p.channel_id, c.default_channel_id) and not channel.livemode;

-- By the payments of an invoice, if it has any; else by the channel that it would be paid on.
update invoice i set livemode = false
  from customer c
 where c.tenant_id = i.tenant_id and c.id = i.customer_id
   and case when exists (select from invoice_payment p
                          where p.tenant_id = i.tenant_id and p.invoice_id = i.id and p.transaction_id is not null)
            then not exists (select from invoice_payment p
                              where p.tenant_id = i.tenant_id and p.invoice_id = i.id and p.transaction_id is not null
                                and not exists (select from test_payment t
                                                 where t.tenant_id = p.tenant_id and t.id = p.transaction_id))
            else not coalesce((select livemode from subscription s
                                where s.tenant_id = i.tenant_id and s.id = i.subscription_id),
                              (select livemode from channel where id = coalesce(i.channel_id, c.default_channel_id)), true)
       end;

-- Customers and plans that were used for tests and for nothing else.
update customer c set livemode = false
 where (exists (select from channel where id = c.default_channel_id and not livemode)
        or exists (select from invoice where tenant_id = c.tenant_id and customer_id = c.id and not livemode)
        or exists (select from subscription where tenant_id = c.tenant_id and customer_id = c.id and not livemode))
   and not exists (select from channel where id = c.default_channel_id and livemode)
   and not exists (select from invoice where tenant_id = c.tenant_id and customer_id = c.id and livemode)
   and not exists (select from subscription where tenant_id = c.tenant_id and customer_id = c.id and livemode);
update plan p set livemode = false
 where (exists (select from channel where id = p.channel_id and not livemode)
        or exists (select from subscription where tenant_id = p.tenant_id and plan_id = p.id and not livemode))
   and not exists (select from channel where id = p.channel_id and livemode)
   and not exists (select from subscription where tenant_id = p.tenant_id and plan_id = p.id and livemode);

update event e set livemode = false
  from test_payment t
 where e.tenant_id = t.tenant_id and e.id = t.id and e.type = 'transaction.created';
update event e set livemode = false
  from (
    select tenant_id, 'txn_' || replace(id::text, '-', '') as object_id from test_payment
     union all
    select r.tenant_id, 'ref_' || replace(r.id::text, '-', '')
      from refund r join test_payment t on t.tenant_id = r.tenant_id and t.id = r.transaction_id
     union all
    select tenant_id, 'inv_' || id from invoice where not livemode
     union all
    select tenant_id, 'sub_' || id from subscription where not livemode
  ) as test
 where e.tenant_id = test.tenant_id and e.object_id = test.object_id and e.type <> 'transaction.created';

-- The totals count live and test payments apart. A channel's totals have its mode; those of all channels are divided.
alter table transaction_total add column livemode boolean not null default true, drop constraint transaction_total_pkey;
update transaction_total total set livemode = false from channel where channel.id = channel_id and not channel.livemode;
insert into transaction_total (tenant_id, livemode, channel_id, user_id, status, day, currency, count, amount)
select tenant_id, false, 0, user_id, status, day, currency, sum(count), sum(amount)
  from transaction_total where not livemode
 group by tenant_id, user_id, status, day, currency;
update transaction_total total set count = total.count - test.count, amount = total.amount - test.amount
  from transaction_total test
 where not test.livemode and test.channel_id = 0 and total.livemode and total.channel_id = 0
   and (total.tenant_id, total.user_id, total.status, total.day, total.currency)
       = (test.tenant_id, test.user_id, test.status, test.day, test.currency);
alter table transaction_total add primary key (tenant_id, livemode, channel_id, user_id, status, day, currency);

alter table transaction_slice_total
  add column livemode boolean not null default true, drop constraint transaction_slice_total_pkey;
update transaction_slice_total total set livemode = false from channel where channel.id = channel_id and not channel.livemode;
insert into transaction_slice_total (tenant_id, livemode, channel_id, user_id, status, started_at, count)
select tenant_id, false, 0, user_id, status, started_at, sum(count)
  from transaction_slice_total where not livemode
 group by tenant_id, user_id, status, started_at;
update transaction_slice_total total set count = total.count - test.count
  from transaction_slice_total test
 where not test.livemode and test.channel_id = 0 and total.livemode and total.channel_id = 0
   and (total.tenant_id, total.user_id, total.status, total.started_at)
       = (test.tenant_id, test.user_id, test.status, test.started_at);
alter table transaction_slice_total add primary key (tenant_id, livemode, channel_id, user_id, status, started_at);

alter table transaction_total_delta add column livemode boolean not null default true;
update transaction_total_delta delta set livemode = false from channel where channel.id = channel_id and not channel.livemode;

-- The ledger's totals know no channel: those of the tests are counted from the transfers.
insert into ledger_total as total (tenant_id, debit, credit, currency, day, count, amount)
select tenant_id, debit, credit, currency, day, sum(count), sum(amount) from ledger_total_delta group by 1, 2, 3, 4, 5
    on conflict (tenant_id, currency, debit, credit, day)
    do update set count = total.count + excluded.count, amount = total.amount + excluded.amount;
delete from ledger_total_delta;
alter table ledger_total_delta add column livemode boolean not null default true;
alter table ledger_total add column livemode boolean not null default true, drop constraint ledger_total_pkey;
insert into ledger_total (tenant_id, livemode, debit, credit, currency, day, count, amount)
select l.tenant_id, false, debit, credit, currency, (l.created_at at time zone 'UTC')::date, count(*), sum(amount)
  from ledger_transfer l join channel on channel.id = l.channel_id and not channel.livemode
 group by 1, 3, 4, 5, 6;
update ledger_total total set count = total.count - test.count, amount = total.amount - test.amount
  from ledger_total test
 where not test.livemode and total.livemode
   and (total.tenant_id, total.debit, total.credit, total.currency, total.day)
       = (test.tenant_id, test.debit, test.credit, test.currency, test.day);
delete from ledger_total where count = 0;
alter table ledger_total add primary key (tenant_id, livemode, currency, debit, credit, day);

-- The same customer may be known to the tests and to the live system.
drop index customer_by_external_id;
create unique index customer_by_external_id on customer (tenant_id, external_id, livemode) where external_id is not null;

drop index invoice_by_number;
create unique index invoice_by_number on invoice (tenant_id, series, number) where number is not null;
alter table invoice_counter
  add column series text not null default 'INV' check (series in ('INV', 'TEST')),
  drop constraint invoice_counter_pkey,
  add primary key (tenant_id, series);
