import { Client, DatabaseError } from 'pg';
import { type EmbeddedConnection, EmbeddedPostgresError } from './contract.ts';

/**
 * Creates the database inside the cluster if there is none. Called at every start, so that a kill after the cluster was created
 * leaves nothing to repair.
 *
 * @throws EmbeddedPostgresError when PostgreSQL refuses, as it does where files of the cluster are damaged
 */
export async function ensureDatabase(connection: EmbeddedConnection, logFile: string): Promise<void> {
  try {
    if (!(await exists(connection))) await make(connection);
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    throw new EmbeddedPostgresError(`PostgreSQL cannot open its database, see ${logFile}: ${error.message}`, {
      cause: error,
    });
  }
}

/** PostgreSQL's codes `duplicate_database` and `unique_violation`: another session created it first. */
const createdByAnother = ['42P04', '23505'];

/** PostgreSQL finishes a `create database` whose Florin was killed, so the next Florin may send the same one meanwhile. */
async function make(connection: EmbeddedConnection): Promise<void> {
  const client = await openSession({ ...connection, database: 'postgres' });
  try {
    await client.query(`create database "${connection.database}"`);
  } catch (error) {
    if (!(error instanceof DatabaseError && createdByAnother.includes(error.code ?? ''))) throw error;
  } finally {
    await client.end();
  }
}

async function exists(connection: EmbeddedConnection): Promise<boolean> {
  try {
    await (await openSession(connection)).end();
    return true;
  } catch (error) {
    if (error instanceof DatabaseError && error.code === '3D000') return false;
    throw error;
  }
}

/**
 * Opens a session of the embedded PostgreSQL. What the environment asks for is meant for another one: TLS, which a Unix socket
 * does not have, and `PGOPTIONS`, which the driver would send if it got no options.
 */
export async function openSession(connection: EmbeddedConnection): Promise<Client> {
  const client = new Client({ ...connection, ssl: false, options: '-c timezone=UTC' });
  client.on('error', () => {});
  await client.connect();
  return client;
}
