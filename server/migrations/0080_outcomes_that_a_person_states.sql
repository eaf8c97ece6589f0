-- `user`: a person who has looked at the provider says how the operation ended. Rows that exist satisfy it.
alter table provider_operation drop constraint provider_operation_settled_by_check;
alter table provider_operation add constraint provider_operation_settled_by_check
  check (settled_by in ('answer', 'look_up', 'callback', 'nothing', 'user')) not valid;
