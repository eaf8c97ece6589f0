import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import type { TestProject } from 'vitest/node';
import { startEmbeddedPostgres } from '../platform/postgres/embedded/supervisor.ts';
import { migrate } from '../platform/postgres/migrate.ts';
import { administer } from './administer.ts';

declare module 'vitest' {
  interface ProvidedContext {
    postgres: pg.ClientConfig;
    templateDatabase: string;
  }
}

const silent = { info: () => {}, warn: () => {}, error: () => {} };

/**
 * One real PostgreSQL for the whole run, with a migrated database that every test file copies. It is the embedded one,
 * unless TEST_DATABASE_URL names another server (PostgreSQL 15 or newer) on which databases may be created.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env.TEST_DATABASE_URL;
  const { connection, stop } =
    given === undefined ? await embedded() : { connection: configOf(given), stop: async () => {} };
  const template = `florin_template_${process.pid}`;
  await administer(connection, `create database ${template}`);
  await migrate({ ...connection, database: template }, () => {});
  project.provide('postgres', connection);
  project.provide('templateDatabase', template);
  return async () => {
    await administer(connection, `drop database ${template} with (force)`);
    await stop();
  };
}

async function embedded(): Promise<{ connection: pg.ClientConfig; stop: () => Promise<void> }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'florin-test-'));
  const postgres = await startEmbeddedPostgres({ dataDir, log: silent });
  return {
    connection: { ...postgres.connection },
    stop: async () => {
      await postgres.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

function configOf(url: string): pg.ClientConfig {
  const { hostname, port, username, password, pathname, searchParams } = new URL(url);
  return {
    host: searchParams.get('host') ?? hostname,
    port: Number(port || 5432),
    user: decodeURIComponent(username) || 'postgres',
    password: decodeURIComponent(password),
    database: pathname.slice(1) || 'postgres',
  };
}
