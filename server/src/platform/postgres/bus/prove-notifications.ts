import { randomUUID } from 'node:crypto';
import { SessionClient } from '../connection/connection.ts';
import type { ConnectionConfig } from '../connection/connection-url.ts';
import { sessionSettings } from '../connection/session-settings.ts';
import { channel, notify, payloadOf } from './payload.ts';

/** How long a notification may take from its commit. */
const arrivalMs = 1_000;

/** Why Florin cannot work with its two connections, although both are answered. */
export type SetUpFault = 'no_notifications' | 'no_transactions';

/** The connections cannot be used together. While a primary moves, each may lead to another server for a moment. */
export class UnusableSetUp extends Error {
  readonly fault: SetUpFault;

  constructor(fault: SetUpFault, cause?: unknown) {
    super(fault, { cause });
    this.fault = fault;
  }
}

/**
 * Proves that a session of `direct` receives what a transaction on `connection` notifies; throws `UnusableSetUp` if
 * not. A pooler in transaction mode accepts LISTEN, and delivers nothing.
 */
export async function proveNotifications(connection: ConnectionConfig, direct: ConnectionConfig): Promise<void> {
  const listener = await connected(direct, 'start listener');
  try {
    const publisher = await connected(connection, 'start');
    try {
      await proveEcho(publisher, listener);
    } finally {
      await publisher.end().catch(() => {});
    }
  } finally {
    await listener.end().catch(() => {});
  }
}

async function connected(connection: ConnectionConfig, name: string): Promise<SessionClient> {
  const client = new SessionClient({
    ...connection,
    ...sessionSettings(name, 10_000),
    connectionTimeoutMillis: 10_000,
  });
  await client.connect();
  return client;
}

async function proveEcho(publisher: SessionClient, listener: SessionClient): Promise<void> {
  const expected = payloadOf('echo', randomUUID());
  const arrived = new Promise<void>((resolve, reject) => {
    listener.on('notification', ({ payload }) => payload === expected && resolve());
    listener.on('error', reject);
  });
  // It may break before the arrival is awaited.
  arrived.catch(() => {});
  await listener.query(`listen ${channel}`);
  await publisher.query('begin').catch((error: Error) => {
    throw /transaction blocks not allowed/.test(error.message) ? new UnusableSetUp('no_transactions', error) : error;
  });
  await publisher.query(notify.text, [expected]);
  await publisher.query('commit');
  let deadline: NodeJS.Timeout | undefined;
  const overdue = new Promise<never>((_, reject) => {
    // One turn of the event loop later: after a stall the notification may have arrived and not been read yet.
    deadline = setTimeout(() => setImmediate(() => reject(new UnusableSetUp('no_notifications'))), arrivalMs);
  });
  await Promise.race([arrived, overdue]).finally(() => clearTimeout(deadline));
}
