-- Long ids begin with the milliseconds of the database's clock. When that clock is set back, a millisecond comes a second time,
-- and with it could come an id. `id_clock` holds the last millisecond that was used: ids never begin with an earlier one.
create sequence id_clock;

do $migration$
declare
  -- A new key is as good as the former one: it shifts the slots of milliseconds that have not been used.
  slot_key text := replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '');
begin
  -- The milliseconds since 2025, then 12 bits: the sequence's value, shifted by an amount that only the key gives for that
  -- millisecond. While the clock is behind the last millisecond, that one is used for 1,024 ids of a table, a quarter of what it
  -- has slots for, and then the next one.
  execute format($function$
    create or replace function next_id(sequence regclass) returns bigint language plpgsql volatile as $body$
    declare
      slot bigint := nextval(sequence);
      ms bigint := (extract(epoch from clock_timestamp()) * 1000)::bigint - 1735689600000;
      last_ms bigint := (select last_value from id_clock);
      digest bytea;
    begin
      if ms < last_ms then
        ms := last_ms + case when slot & 1023 = 0 then 1 else 0 end;
      end if;
      if ms > last_ms then
        perform setval('id_clock', ms);
      end if;
      digest := sha256(%L::bytea || int8send(ms));
      return ms << 12 | (slot + (get_byte(digest, 0) << 8 | get_byte(digest, 1)) & 4095);
    end $body$
  $function$, slot_key);
end $migration$;
