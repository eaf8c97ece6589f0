import { SessionClient } from '../../platform/postgres/connection/connection.ts';
import type { ConnectionConfig } from '../../platform/postgres/connection/connection-url.ts';
import { sessionSettings } from '../../platform/postgres/connection/session-settings.ts';
import type { Statement } from '../../platform/postgres/statement.ts';

/** A connection that may run statements of any length, and copy whole tables. */
export interface Session {
  run: <Row>(statement: Statement<Row>, values?: readonly unknown[]) => Promise<Row[]>;
  client: SessionClient;
  close: () => Promise<void>;
}

export async function openSession(connection: ConnectionConfig, name: string): Promise<Session> {
  const client = new SessionClient({ ...connection, ...sessionSettings(name, 0), connectionTimeoutMillis: 10_000 });
  await client.connect();
  return {
    client,
    run: async <Row>({ text }: Statement<Row>, values: readonly unknown[] = []) =>
      (await client.query({ text, values: values as unknown[] })).rows as Row[],
    // A broken connection has failed the statement before.
    close: () => client.end().catch(() => {}),
  };
}
