-- Deliveries that ended later have all of their attempts. Those of before may have been swept by an older release.
alter table delivery_sweep add column attempts_complete_after timestamptz;
insert into delivery_sweep (before_id, attempts_complete_after)
values ('00000000-0000-0000-0000-000000000000', now())
on conflict (singleton) do update set attempts_complete_after = excluded.attempts_complete_after;
