-- When a method is read again, because its provider sends no events about it; null: never.
alter table payment_method add column read_due_at timestamptz;
create index payment_method_read_due on payment_method (read_due_at) where read_due_at is not null;
