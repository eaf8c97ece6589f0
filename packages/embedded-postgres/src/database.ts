import { Client, DatabaseError } from 'pg';
import { type EmbeddedConnection, EmbeddedPostgresError, errorCode } from './contract.ts';

/**
 * Creates the database inside the cluster if there is none, and sets it up. Called at every start, so that a kill after
 * the cluster was created leaves nothing to repair.
 *
 * @throws EmbeddedPostgresError when PostgreSQL refuses, as it does where files of the cluster are damaged
 */
export async function ensureDatabase(
  superuser: EmbeddedConnection,
  { logFile, setUp }: { /** The log of PostgreSQL, for messages. */ logFile: string; setUp: SetUp },
): Promise<void> {
  try {
    const client = await openDatabase(superuser);
    try {
      await setUp(client);
    } finally {
      await client.end();
    }
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    const message = `PostgreSQL cannot open its database, see ${logFile}: ${error.message}`;
    throw new EmbeddedPostgresError('failed', message, { cause: error });
  }
}

type SetUp = (session: Client) => Promise<void>;

/** PostgreSQL's code `invalid_catalog_name`. */
const noSuchDatabase = '3D000';

async function openDatabase(superuser: EmbeddedConnection): Promise<Client> {
  try {
    return await openSession(superuser);
  } catch (error) {
    if (errorCode(error) !== noSuchDatabase) throw error;
    await make(superuser);
    return openSession(superuser);
  }
}

/** PostgreSQL's codes `duplicate_database` and `unique_violation`: another session created it first. */
const createdByAnother = ['42P04', '23505'];

/**
 * PostgreSQL finishes a `create database` whose sender was killed, so the next start may send the same one meanwhile.
 */
async function make(superuser: EmbeddedConnection): Promise<void> {
  const client = await openSession({ ...superuser, database: 'postgres' });
  try {
    await client.query(`create database "${superuser.database}"`);
  } catch (error) {
    if (!createdByAnother.includes(errorCode(error))) throw error;
  } finally {
    await client.end();
  }
}

/**
 * Opens a session of the embedded PostgreSQL. What the environment asks for is meant for another one: TLS, which a Unix
 * socket does not have, and `PGOPTIONS`, which the driver would send if it got no options. The superuser must not run a
 * function or operator that another role has made, so only those of PostgreSQL itself are found.
 */
export async function openSession(connection: EmbeddedConnection): Promise<Client> {
  const client = new Client({ ...connection, ssl: false, options: '-c timezone=UTC -c search_path=pg_catalog' });
  client.on('error', () => {});
  await client.connect();
  return client;
}
