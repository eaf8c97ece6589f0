import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '@florin/embedded-postgres';
import { type Client, DatabaseError } from 'pg';

/** Owns the tables and runs everything of the service. */
export const serviceRole = 'florin_service';

/** While this session waits for the lock of a table, all statements on the table queue behind it. */
const lockTimeoutMs = 1_000;
/** Between two attempts, so that queued statements can run. */
const retryPauseMs = 3_000;
/** The number of an advisory lock: the sessions of a Florin that was killed just now may still be doing the same. */
const handOverLock = 7_301_544_215;

export interface ServiceRoleOptions {
  log: Log;
  /** Ends the waiting for tables that other sessions have locked. */
  signal?: AbortSignal | undefined;
}

/**
 * Makes the role of the service if there is none, and gives it what the owner of the database owns in it: all tables of
 * a data folder of an earlier release, whose service ran as the superuser, and what such a release has added since. The
 * role does not own the database, and has no right over the server.
 *
 * Each object is handed over in a transaction of its own, which changes the catalog and no rows: a kill in between
 * leaves the rest for the next start.
 */
export async function ensureServiceRole(client: Client, options: ServiceRoleOptions): Promise<void> {
  await client.query(`select pg_advisory_lock(${handOverLock})`);
  await client.query(`set lock_timeout = ${lockTimeoutMs}`);
  await ensureRole(client);
  const { rows } = await client.query<{ object: string }>(listObjects);
  for (const { object } of rows) await handOver(client, object, options);
  if (rows.length > 1)
    options.log.info({ objects: rows.length }, 'gave what the database contains to the role of the service');
}

const withoutRights = 'login nosuperuser nocreatedb nocreaterole noreplication nobypassrls';

async function ensureRole(client: Client): Promise<void> {
  const { rows } = await client.query<{ is_right: boolean }>(
    `select rolcanlogin and not (rolsuper or rolcreatedb or rolcreaterole or rolreplication or rolbypassrls) as is_right
       from pg_roles where rolname = $1`,
    [serviceRole],
  );
  const [role] = rows;
  // Statistics of other sessions too: whom a migration waits for, and how many connections are in use.
  if (role === undefined) await client.query(`create role ${serviceRole} ${withoutRights} in role pg_read_all_stats`);
  else if (!role.is_right) await client.query(`alter role ${serviceRole} ${withoutRights}`);
}

/**
 * What the superuser owns in the database as `alter` names it, and the schema `public`, which belongs to the owner of
 * the database. Left out are PostgreSQL's own schemas, and what follows another object: sequences of columns, types of
 * rows and arrays, and members of extensions.
 */
const listObjects = `
  with schema as materialized (
    select oid, nspowner from pg_namespace where nspname <> 'information_schema' and nspname not like 'pg\\_%'
  ), object as (
    select 'pg_namespace'::regclass as catalog, oid, nspowner as owner from schema
    union all
    select 'pg_class'::regclass, oid, relowner from pg_class
     where relnamespace in (select oid from schema)
       and (relkind in ('r', 'p', 'v', 'm', 'f')
            or relkind = 'S' and not exists (
                 select from pg_depend
                  where classid = 'pg_class'::regclass and objid = pg_class.oid and refobjsubid > 0 and deptype = 'a'))
    union all
    select 'pg_proc'::regclass, oid, proowner from pg_proc where pronamespace in (select oid from schema)
    union all
    select 'pg_type'::regclass, oid, typowner from pg_type
     where typnamespace in (select oid from schema)
       and (typrelid = 0 or exists (select from pg_class where oid = typrelid and relkind = 'c'))
  )
  select format('%s %s', named.type, named.identity) as object
    from object cross join lateral pg_identify_object(catalog, oid, 0) as named
   where owner in (select oid from pg_roles where rolname in (current_user, 'pg_database_owner'))
     and not exists (
           select from pg_depend
            where classid = catalog and objid = object.oid and deptype in ('i', 'e'))
   order by oid`;

/** PostgreSQL's codes `lock_not_available` and `deadlock_detected`. */
const inUse = ['55P03', '40P01'];

async function handOver(client: Client, object: string, { log, signal }: ServiceRoleOptions): Promise<void> {
  for (;;) {
    try {
      await client.query(`alter ${object} owner to ${serviceRole}`);
      return;
    } catch (error) {
      if (!(error instanceof DatabaseError && inUse.includes(error.code ?? ''))) throw error;
      log.warn({ object }, 'waiting for a session that uses a table, to give it to the role of the service');
      await sleep(retryPauseMs, undefined, { signal });
    }
  }
}
