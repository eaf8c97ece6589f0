-- Ids that a tenant sees must not reveal how many records others have: no id counts up over all tenants any more. The ids of
-- existing rows stay.
do $migration$
declare
  -- Two random keys, in the bodies of the functions: the same for every node, and part of every dump.
  slot_key text := replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '');
  short_key text := replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '');
  -- Short ids above those that are in use.
  used bigint := (select max(id) from (select id from tenant union all select id from app_user
                                       union all select id from developer_key) taken);
  target text;
  last bigint;
begin
  -- The milliseconds since 2025, then 12 bits: the sequence's value, shifted by an amount that only the key gives for that
  -- millisecond. So ids of one table are in order of time, no two are equal, and differences tell nothing but the time.
  -- They stay below 2^53 until 2094.
  execute format($function$
    create function next_id(sequence regclass) returns bigint language plpgsql volatile as $body$
    declare
      ms bigint := (extract(epoch from pg_catalog.clock_timestamp()) * 1000)::bigint - 1735689600000;
      digest bytea := sha256(%L::bytea || int8send(ms));
    begin
      return ms << 12 | (nextval(sequence) + (get_byte(digest, 0) << 8 | get_byte(digest, 1)) & 4095);
    end $body$
  $function$, slot_key);

  -- Below 2^31, as the interface has integers there (users, keys): a keyed permutation of the sequence's values, a Feistel
  -- network of 32 bits that is walked until it yields 31.
  execute format($function$
    create function next_short_id(table_name text) returns bigint language plpgsql volatile as $body$
    declare
      high bigint;
      low bigint;
      swap bigint;
      digest bytea;
      id bigint;
    begin
      loop
        id := nextval(format('%%I', table_name || '_id_seq')::regclass);
        loop
          high := id >> 16;
          low := id & 65535;
          for round in 1..4 loop
            digest := sha256(convert_to(%L || table_name || round || '.' || low, 'UTF8'));
            swap := low;
            low := high # (get_byte(digest, 0) << 8 | get_byte(digest, 1));
            high := swap;
          end loop;
          id := high << 16 | low;
          exit when id < 2147483648;
        end loop;
        exit when id > %s;
      end loop;
      return id;
    end $body$
  $function$, short_key, used);

  foreach target in array array['tenant', 'app_user', 'developer_key', 'webhook_endpoint', 'inbox', 'channel', 'clock',
                                'customer', 'invoice', 'plan', 'subscription'] loop
    last := nextval(pg_get_serial_sequence(target, 'id'));
    execute format('alter table %I alter column id drop identity', target);
    execute format('create sequence %I owned by %I.id start %s', target || '_id_seq', target, last + 1);
    execute case when target in ('tenant', 'app_user', 'developer_key')
      then format('alter table %I alter column id set default next_short_id(%L)', target, target)
      else format('alter table %I alter column id set default next_id(%L)', target, target || '_id_seq') end;
  end loop;
end $migration$;
