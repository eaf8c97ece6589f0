import { Bus } from '../../../src/platform/postgres/bus/bus.ts';
import { Notifications } from '../../../src/platform/postgres/bus/notifications.ts';
import type { TestDatabase } from './database.ts';

/** The bus of a node, which tells other nodes by NOTIFY. Start it, and stop it at the end. */
export function busOn({ connection, database: publisher }: Pick<TestDatabase, 'connection' | 'database'>): Bus {
  const notifications = new Notifications({ connection, publisher, onLost: () => {} });
  return new Bus({ notifications, carrier: notifications });
}
