-- Whether a record sends every event of its life: refund.created and refund.succeeded, invoice.created and so on,
-- customer.created. Records from before these events do not. Without a default of true, because a node of the previous
-- version, still running during an upgrade, writes none of the events.
alter table refund add column events_complete boolean not null default false;
alter table customer add column events_complete boolean not null default false;

-- clock_id: the test clock of the customer; 0: the real time. overdue_at: when the invoice was found to be unpaid after its due
-- date; set once, with the event invoice.overdue.
alter table invoice
  add column events_complete boolean not null default false,
  add column clock_id bigint not null default 0,
  add column overdue_at timestamptz;
update invoice i set clock_id = c.clock_id
  from customer c
 where c.tenant_id = i.tenant_id and c.id = i.customer_id and c.clock_id is not null;
-- An upgrade sends no events about due dates that had passed before it.
update invoice set overdue_at = (due_date + 1)::timestamp at time zone 'UTC'
 where status = 'OPEN' and due_date < (now() at time zone 'UTC')::date and clock_id = 0;
create index invoice_awaiting_due_date on invoice (clock_id, due_date) where status = 'OPEN' and overdue_at is null;
