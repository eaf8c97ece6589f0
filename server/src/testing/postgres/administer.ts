import pg from 'pg';

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
