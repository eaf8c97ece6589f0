import { type Statement, statement } from '../../platform/postgres/statement.ts';

/** Modes that stop writers of a table; ACCESS EXCLUSIVE also stops readers. */
const blockingModes = ['ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock'];

/**
 * Records, from now on, which locks each schema change takes on tables that exist now, and when. A lock that a
 * statement takes counts from the beginning of the statement. Only a superuser may create event triggers. They run with
 * its rights, because the role that migrates has none to the tables of the record.
 */
export const recordLocks: Statement<never> = {
  name: '',
  text: `
  create schema rehearsal;
  create table rehearsal.present as
    select oid, relname, reltuples from pg_class
     where relnamespace = current_schema()::text::regnamespace and relkind in ('r', 'p');
  create table rehearsal.lock (table_oid oid, mode text, taken_at timestamptz, primary key (table_oid, mode));
  create function rehearsal.note() returns event_trigger language plpgsql security definer as $$
    begin
      if tg_event = 'ddl_command_start' then
        perform set_config('rehearsal.begun_at', clock_timestamp()::text, true);
      else
        insert into rehearsal.lock
        select l.relation, l.mode, current_setting('rehearsal.begun_at')::timestamptz
          from pg_locks l join rehearsal.present p on p.oid = l.relation
         where l.pid = pg_backend_pid() and l.granted
             and l.mode in (${blockingModes.map((mode) => `'${mode}'`).join(', ')})
            on conflict do nothing;
      end if;
    end $$;
  create event trigger rehearsal_start on ddl_command_start execute function rehearsal.note();
  create event trigger rehearsal_end on ddl_command_end execute function rehearsal.note()`,
};

export interface LockRow {
  table: string;
  mode: string;
  rows: number;
  held_ms: number;
}

/** The locks that the last migration took, longest first. They are released when its transaction commits. */
export const takeLocks = statement<LockRow>(
  'rehearsal.take_locks',
  `with taken as (delete from rehearsal.lock returning table_oid, mode, taken_at)
   select p.relname::text as "table", t.mode, greatest(p.reltuples, 0)::float8 as rows,
          (extract(epoch from pg_xact_commit_timestamp(old.xmin) - t.taken_at) * 1000)::float8 as held_ms
     from taken t
     join rehearsal.present p on p.oid = t.table_oid
     join (select table_oid, mode, xmin from rehearsal.lock) as old using (table_oid, mode)
    order by held_ms desc, p.relname`,
);
