import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type ClusterNames, type EmbeddedConnection, errorCode, namesOf } from './contract.ts';
import { answers } from './leftovers.ts';
import { readPostmasterPid } from './postmaster-pid.ts';

const clusterOf = (dataDir: string) => join(resolve(dataDir), 'postgres', 'cluster');

/** Whether this data folder contains a database. */
export function hasCluster(dataDir: string): boolean {
  return existsSync(join(clusterOf(dataDir), 'PG_VERSION'));
}

/** Whether the folder of the database contains anything, intact or damaged; also true if it cannot be read. */
export function holdsCluster(dataDir: string): boolean {
  try {
    return readdirSync(clusterOf(dataDir)).length > 0;
  } catch (error) {
    return !['ENOENT', 'ENOTDIR'].includes(errorCode(error));
  }
}

/** The superuser's connection to the PostgreSQL that runs on a data folder; undefined when none accepts sessions. */
export async function findRunning(dataDir: string, names: ClusterNames = {}): Promise<EmbeddedConnection | undefined> {
  const report = readPostmasterPid(clusterOf(dataDir));
  if (report?.socket === undefined || report.status !== 'ready' || !(await answers(report.socket))) return undefined;
  const { superuser: user, database, port } = namesOf(names);
  return { host: dirname(report.socket), port, database, user };
}
