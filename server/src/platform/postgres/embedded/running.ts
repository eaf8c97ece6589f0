import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import {
  type EmbeddedConnection,
  embeddedDatabase,
  embeddedPort,
  embeddedSuperuser,
  embeddedUser,
  errorCode,
} from './contract.ts';
import { openSession } from './database.ts';
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

/**
 * The connection to the PostgreSQL that runs on a data folder; undefined when none accepts sessions. Where an earlier
 * release runs it, which makes no role for the service, it is that of the superuser.
 */
export async function findRunning(dataDir: string): Promise<EmbeddedConnection | undefined> {
  const report = readPostmasterPid(clusterOf(dataDir));
  if (report?.socket === undefined || report.status !== 'ready' || !(await answers(report.socket))) return undefined;
  const place = { host: dirname(report.socket), port: embeddedPort, database: embeddedDatabase };
  const connection = { ...place, user: embeddedUser };
  return (await isRefused(connection)) ? { ...place, user: embeddedSuperuser } : connection;
}

/** PostgreSQL's code `invalid_authorization_specification`: there is no such role. */
const noSuchRole = '28000';

async function isRefused(connection: EmbeddedConnection): Promise<boolean> {
  try {
    await (await openSession(connection)).end();
    return false;
  } catch (error) {
    // Any other failure is that of the command which then uses the connection.
    return errorCode(error) === noSuchRole;
  }
}
