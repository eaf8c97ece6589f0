import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type EmbeddedConnection, embeddedDatabase, embeddedPort, embeddedUser } from './contract.ts';
import { readPostmasterPid } from './postmaster-pid.ts';
import { answers } from './remains.ts';

const clusterOf = (dataDir: string) => join(resolve(dataDir), 'postgres', 'cluster');

/** Whether a database has ever been made in this data folder. */
export function hasCluster(dataDir: string): boolean {
  return existsSync(join(clusterOf(dataDir), 'PG_VERSION'));
}

/** Whether anything stands where the database belongs, whole or damaged. */
export function holdsCluster(dataDir: string): boolean {
  try {
    return readdirSync(clusterOf(dataDir)).length > 0;
  } catch {
    return false;
  }
}

/** How to reach the PostgreSQL that runs on a data folder, whoever started it; undefined when none accepts sessions there. */
export async function findRunning(dataDir: string): Promise<EmbeddedConnection | undefined> {
  const report = readPostmasterPid(clusterOf(dataDir));
  if (report?.socket === undefined || report.status !== 'ready' || !(await answers(report.socket))) return undefined;
  return { host: dirname(report.socket), port: embeddedPort, user: embeddedUser, database: embeddedDatabase };
}
