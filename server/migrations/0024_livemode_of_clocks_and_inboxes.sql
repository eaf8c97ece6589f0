-- Test clocks and inboxes have a mode, like every record that a developer key can make.
alter table clock add column livemode boolean not null default true;
alter table inbox add column livemode boolean not null default true;

-- A clock that only test customers live by is a test clock; one that has customers of both modes keeps them.
update clock k
   set livemode = false
 where exists (select from customer c where c.tenant_id = k.tenant_id and c.clock_id = k.id and not c.livemode)
   and not exists (select from customer c where c.tenant_id = k.tenant_id and c.clock_id = k.id and c.livemode);
