import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { inject } from 'vitest';
import { Database } from '../../../src/platform/postgres/database.ts';
import { administer, createEmptyDatabase } from './administer.ts';

/** A database for one test file. Call `drop` in afterAll. */
export interface TestDatabase {
  connection: pg.ClientConfig;
  database: Database;
  /** Runs any SQL and returns the rows. */
  query: <Row = Record<string, unknown>>(sql: string, values?: unknown[]) => Promise<Row[]>;
  drop: () => Promise<void>;
}

/** Creates a database from the migrated template, or from another one: template0 is empty. */
export async function databaseFromTemplate(template: string = inject('templateDatabase')): Promise<TestDatabase> {
  const [administrator, service] = [inject('administrator'), inject('service')];
  const name = `florin_test_${randomBytes(6).toString('hex')}`;
  if (template === 'template0') await createEmptyDatabase(administrator, name, service.user);
  // The default writes every page of the copy to the WAL: 50 ms of CPU time instead of 24, and 32 for dropping it
  // instead of 11.
  else await administer(administrator, `create database ${name} template ${template} strategy file_copy`);
  const connection = { ...service, database: name };
  const db = databaseAt(connection);
  return {
    ...db,
    drop: async () => {
      await db.drop();
      await administer(administrator, `drop database ${name} with (force)`);
    },
  };
}

/** Connects to an existing database; `drop` only disconnects. */
export function databaseAt(connection: pg.ClientConfig): TestDatabase {
  const database = new Database({ connection, connections: 5, name: 'test' });
  return {
    connection,
    database,
    query: (text, values = []) => database.run({ name: '', text }, values) as never,
    drop: () => database.close(),
  };
}

/** Runs SQL for which the role of the service has no right. */
export function administerDatabase({ connection: { database } }: TestDatabase, sql: string): Promise<void> {
  return administer({ ...inject('administrator'), database }, sql);
}

/**
 * Makes the clock of this database settable: connections opened afterwards find now() and clock_timestamp() in a schema
 * that precedes PostgreSQL's own. Returns a function that sets it, in ms from the real time.
 */
export async function settableClock(db: TestDatabase): Promise<(byMs: number) => Promise<void>> {
  const { database, user } = db.connection;
  await administerDatabase(db, `create schema stepped authorization ${user}`);
  await db.query('create table stepped.clock_shift (ahead interval not null)');
  await db.query(`insert into stepped.clock_shift values ('0')`);
  for (const [name, kind] of [
    ['now', 'stable'],
    ['clock_timestamp', 'volatile'],
  ] as const) {
    await db.query(
      `create function stepped.${name}() returns timestamptz language sql ${kind}
       as 'select pg_catalog.${name}() + (select ahead from stepped.clock_shift)'`,
    );
  }
  await administerDatabase(db, `alter database ${database} set search_path = stepped, pg_catalog, public`);
  return async (byMs) => {
    await db.query(`update stepped.clock_shift set ahead = make_interval(secs => $1)`, [byMs / 1000]);
  };
}

/**
 * A pause is this share of the time waited so far. Without pauses, polling took one core from the work that was waited
 * for; with pauses of at most 50 ms, 53 files polled 9,000 times.
 */
const pauseShare = 0.2;
const maxPauseMs = 250;
/** Real time, also in a test that replaces the clock. */
const now = performance.now.bind(performance);

/**
 * Checks `condition`, first every millisecond and then at growing intervals of up to 250 ms, until it returns a value;
 * fails with `what` after the deadline, which is long enough for a busy machine.
 */
export async function eventually<Value>(
  what: string,
  condition: () => Promise<Value | undefined | false> | Value | undefined | false,
  deadlineMs = 30_000,
): Promise<Value> {
  const startMs = now();
  for (;;) {
    const value = await condition();
    if (value !== undefined && value !== false) return value;
    const waitedMs = now() - startMs;
    if (waitedMs > deadlineMs) throw new Error(`It did not happen within ${deadlineMs} ms: ${what}`);
    const pauseMs = Math.min(maxPauseMs, Math.ceil(pauseShare * waitedMs));
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
