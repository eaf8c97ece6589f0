-- Tables get the names that the field uses. Nodes of earlier versions know only the old ones: all stop for this upgrade.
do $$
declare
  renamed record;
  part record;
begin
  for renamed in
    select * from (values
      ('kept_answer', 'idempotency_record'),
      ('transaction_slice_total', 'transaction_bucket_total'),
      ('transaction_slice', 'transaction_bucket'),
      ('transaction_note', 'timeline_message'),
      ('webhook_pace', 'endpoint_rate'),
      ('provider_dispute', 'discrepancy'),
      ('subscription_charge', 'invoice_collection')
    ) as names (old, new)
  loop
    execute format('alter table %I rename to %I', renamed.old, renamed.new);
    for part in
      select conname as name from pg_constraint
       where conrelid = renamed.new::regclass and starts_with(conname, renamed.old || '_')
    loop
      execute format('alter table %I rename constraint %I to %I', renamed.new, part.name,
        renamed.new || substr(part.name, length(renamed.old) + 1));
    end loop;
    -- The indexes of constraints have their new names already.
    for part in
      select relname as name from pg_index join pg_class on pg_class.oid = indexrelid
       where indrelid = renamed.new::regclass and starts_with(relname, renamed.old || '_')
    loop
      execute format('alter index %I rename to %I', part.name, renamed.new || substr(part.name, length(renamed.old) + 1));
    end loop;
  end loop;
end $$;

-- A dispute is a chargeback. What a provider contradicts is a discrepancy. Entries of the audit log keep their words.
update timeline_message set kind = 'discrepancy_closed' where kind = 'dispute_closed';
