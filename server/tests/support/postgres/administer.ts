import pg from 'pg';

/** Creates a database without tables, in which `user` may make some. */
export async function createEmptyDatabase(connection: pg.ClientConfig, name: string, user: string): Promise<void> {
  await administer(connection, `create database ${name} template template0`);
  await administer({ ...connection, database: name }, `alter schema public owner to ${pg.escapeIdentifier(user)}`);
}

/** Runs one statement on a connection of its own: for creating and dropping databases. */
export async function administer(connection: pg.ClientConfig, sql: string): Promise<void> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
