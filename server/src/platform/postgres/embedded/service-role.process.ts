import { fileURLToPath } from 'node:url';
import { type EmbeddedConnection, openSession } from '@florin/embedded-postgres';
import { type Holder, query, TestFolder } from '@florin/embedded-postgres/fixture';
import { Client } from 'pg';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findRunningFlorin } from './florin-postgres.ts';
import { ensureServiceRole } from './service-role.ts';

const program = fileURLToPath(new URL('../../../../tests/support/postgres/florin-holder.ts', import.meta.url));
const hold = (folder: TestFolder): Holder => folder.hold({ program });

/** PostgreSQL's code `insufficient_privilege`. */
const insufficientPrivilege = '42501';

/** Statements, of which the last one is refused. */
const attempts: Record<string, string | string[]> = {
  'read a file of the server': `select pg_read_file('postgresql.conf')`,
  'read a file into a large object': `select lo_import('/etc/passwd')`,
  'list a folder of the server': `select pg_ls_dir('/')`,
  'copy a file into a table': ['create temp table seen (line text)', `copy seen from '/etc/passwd'`],
  'write a file': `copy (select 1) to '/tmp/florin-written'`,
  'run a program': ['create temp table seen (line text)', `copy seen from program 'id'`],
  'run a program that reads': `copy (select 1) to program 'cat'`,
  'load a library': `load 'auto_explain'`,
  'call a function of a library': `create function own() returns int language c as 'libpq', 'PQlibVersion'`,
  'install an extension': 'create extension hstore',
  'install a language': 'create extension plperl',
  'install an extension that connects elsewhere': 'create extension dblink',
  'change a setting of the server': `alter system set archive_command = 'id'`,
  'reload the settings': 'select pg_reload_conf()',
  'become the superuser': 'set role florin',
  'log in as the superuser': 'set session authorization florin',
  'make itself a superuser': 'alter role current_user superuser',
  'give itself the rights of the superuser': 'grant florin to current_user',
  'give itself the files of the server': 'grant pg_read_server_files to current_user',
  'make a role': 'create role own superuser',
  'make a database': 'create database own',
  'remove the database': 'drop database postgres',
  'change the database': `alter database florin set search_path = ''`,
  'read the passwords of roles': 'select * from pg_authid',
  'change the catalog': 'update pg_authid set rolsuper = true',
  'run code in sessions of others': [
    `create function pg_temp.note() returns event_trigger language plpgsql as 'begin end'`,
    'create event trigger own on ddl_command_start execute function pg_temp.note()',
  ],
  'skip constraints and triggers': `set session_replication_role = replica`,
  'copy the write-ahead log': `select pg_create_physical_replication_slot('own')`,
  'change the owner of a table to the superuser': ['create temp table own (n int)', 'alter table own owner to florin'],
};

describe('the connection of the service', () => {
  const folder = new TestFolder();
  afterAll(() => folder.clear());
  let connection: EmbeddedConnection;

  test('is that of a role without any right over the server', async () => {
    ({ connection } = await hold(folder).ready());
    const [role] = await query(
      connection,
      `select current_user = session_user as is_itself, rolsuper, rolcreatedb, rolcreaterole, rolreplication,
           rolbypassrls,
              array(select rolname::text from pg_roles where pg_has_role(current_user, oid, 'member')
                  order by rolname) as roles
         from pg_roles where rolname = current_user`,
    );
    expect(role).toEqual({
      is_itself: true,
      rolsuper: false,
      rolcreatedb: false,
      rolcreaterole: false,
      rolreplication: false,
      rolbypassrls: false,
      roles: ['florin_service', 'pg_read_all_stats'],
    });
  });

  test.each(Object.entries(attempts))('cannot %s', async (_what, sql) => {
    const failure = await query(connection, ...[sql].flat()).then(
      () => undefined,
      ({ code }: { code?: string }) => code,
    );
    expect(failure).toBe(insufficientPrivilege);
  });
});

describe('a data folder of a release whose service was the superuser', () => {
  let folder: TestFolder;
  let superuser: EmbeddedConnection;
  beforeEach(async () => {
    folder = new TestFolder();
    const holder = hold(folder);
    superuser = { ...(await holder.ready()).connection, user: 'florin' };
    await query(superuser, ...asBefore, ...objects);
    await holder.kill();
  });
  afterEach(() => folder.clear());

  /** What a start of this release has changed in the cluster. */
  const asBefore = [
    'alter schema public owner to pg_database_owner',
    'drop owned by florin_service',
    'drop role florin_service',
  ];

  const objects = [
    'create table paid (id bigint generated always as identity primary key, amount int, note text)',
    'create table serial (id serial, state int references paid (id) on delete cascade)',
    'create table sliced (day date) partition by range (day)',
    `create table slice partition of sliced for values from ('2026-01-01') to ('2027-01-01')`,
    'create index on paid (amount)',
    'create view unpaid as select * from paid where amount is null',
    'create materialized view sums as select sum(amount) from paid',
    'create sequence counter',
    `create type mood as enum ('good')`,
    'create type pair as (a int, b int)',
    'create type span as range (subtype = int)',
    'create domain cents as int',
    `create function "odd, Name"(a int, b text) returns int language sql as 'select 1'`,
    `create procedure run() language sql as 'select 1'`,
    'create aggregate total(int) (sfunc = int4pl, stype = int)',
    'create schema "second Schema"',
    'create table "second Schema"."The Table" (n int)',
    'create extension hstore',
    `insert into paid (amount) values (1)`,
  ];

  /** What the superuser owns outside of PostgreSQL's own schemas, without members of extensions. */
  const ownedBySuperuser = `
    select catalog::text, oid::text from (
      select 'pg_class'::regclass as catalog, oid, relowner as owner, relnamespace as schema from pg_class
      union all select 'pg_proc'::regclass, oid, proowner, pronamespace from pg_proc
      union all select 'pg_type'::regclass, oid, typowner, typnamespace from pg_type
      union all select 'pg_namespace'::regclass, oid, nspowner, oid from pg_namespace
    ) as object
    where owner <> 'florin_service'::regrole and schema in (select oid from pg_namespace
        where nspname in ('public', 'second Schema'))
      and not exists (select from pg_depend d where d.classid = catalog and d.objid = object.oid and d.deptype = 'e')
      -- Functions and types that PostgreSQL adds to a type, members of extensions among them.
      and not exists (select from pg_depend d where d.classid = catalog and d.objid = object.oid and d.deptype = 'i')`;
  const files = `select relname, pg_relation_filenode(oid)::int as file from pg_class where relname in ('paid', 'slice')
         order by 1`;

  test('is handed to the role of the service, object by object, without a row being written', async () => {
    const before = await query(superuser, files);
    const { connection } = await hold(folder).ready();
    expect(await query(connection, ownedBySuperuser)).toEqual([]);
    expect(await query(connection, files)).toEqual(before);
    expect(
      await query(connection, 'insert into paid (amount) values (2)', 'select amount from paid order by id'),
    ).toEqual([{ amount: 1 }, { amount: 2 }]);
    // What migrations and maintenance do.
    await query(
      connection,
      'alter table paid add column more int',
      'create index concurrently on paid (note)',
      'drop materialized view sums',
      `alter type mood add value 'bad'`,
      'vacuum analyze paid',
      'truncate paid cascade',
      `select nextval('counter'), nextval('serial_id_seq')`,
    );
  });

  test('is handed over completely by the next start, when a start was killed in the middle', async () => {
    const session = new Client({ ...superuser });
    await session.connect();
    await session.query('begin; lock table serial in access share mode');
    const killed = hold(folder);
    const waiting = await killed.event(({ object }) => object !== undefined);
    expect(waiting).toMatchObject({ object: 'table public.serial' });
    await killed.kill();
    await session.end();

    const { connection } = await hold(folder).ready();
    expect(await query(connection, ownedBySuperuser)).toEqual([]);
  });

  test('is handed over as soon as the session ends that kept a table from it', async () => {
    const session = new Client({ ...superuser });
    await session.connect();
    await session.query('begin; lock table serial in access share mode');
    const holder = hold(folder);
    await holder.event(({ object }) => object === 'table public.serial');
    // Meanwhile others use the table: the start does not keep its place in the queue.
    await query(superuser, 'insert into serial default values');
    await session.end();
    const { connection } = await holder.ready();
    expect(await query(connection, ownedBySuperuser)).toEqual([]);
  });

  test('takes what an older release has added since, which ran as the superuser in between', async () => {
    const first = hold(folder);
    const { connection } = await first.ready();
    await first.kill();
    await query(
      superuser,
      'create table added (n int)',
      'alter table paid add column added int',
      'create sequence other',
    );
    await hold(folder).ready();
    expect(await query(connection, ownedBySuperuser)).toEqual([]);
    await query(connection, 'drop table added');
  });

  test('gives a role back the attributes that it should not have', async () => {
    const first = hold(folder);
    await first.ready();
    await first.kill();
    await query(superuser, 'alter role florin_service superuser createdb');
    const { connection } = await hold(folder).ready();
    const role = 'select rolsuper, rolcreatedb from pg_roles where rolname = current_user';
    expect(await query(connection, role)).toEqual([{ rolsuper: false, rolcreatedb: false }]);
  });

  test('several sessions that make the role at once all succeed', async () => {
    await hold(folder).ready();
    await query(superuser, ...asBefore);
    const log = { info: () => {}, warn: () => {}, error: () => {} };
    const makeRole = async () => {
      const session = await openSession(superuser);
      try {
        await ensureServiceRole(session, { log });
      } finally {
        await session.end();
      }
    };
    await Promise.all(Array.from({ length: 5 }, makeRole));
    expect(await findRunningFlorin(folder.path)).toEqual({ ...superuser, user: 'florin_service' });
  });

  test('is used by commands, but beside a service of that release, which is the superuser', async () => {
    expect(await findRunningFlorin(folder.path)).toEqual(superuser);
    await hold(folder).ready();
    expect(await findRunningFlorin(folder.path)).toEqual({ ...superuser, user: 'florin_service' });
  });
});
