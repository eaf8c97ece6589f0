import type { Settings } from './settings.ts';

/** Lists that are read at the same time; each scans thousands of rows. They use connections of the workers' pool. */
export const concurrentLists = 2;
/**
 * Connections for the statements that run all the time: three for deliveries, four for processing, one each for the
 * due-work poller and for look-ups of payments. In a child process: for look-ups.
 */
export const queueConnections = 9;
export const queueConnectionsOfChild = 1;
/**
 * Connections for other background work: one each for subscriptions, and for replays, rollups, the settlement of
 * invoices and NOTIFY together; and those of the lists.
 */
export const workerConnections = 2 + concurrentLists;
/**
 * In a child process: for notifications that wake the workers of the first process, for reading the clock, and for
 * lists.
 */
export const workerConnectionsOfChild = 2 + concurrentLists;

/** To the replica, if there is one. */
export const replicaConnections = 4;

/** The batch writer, the listener and the primary monitor. */
const singleConnections = 3;

/** The most connections to PostgreSQL that all processes of a node open. */
export function connectionsOfNode(settings: Settings): number {
  const common = settings['app.database.connections'] + singleConnections;
  const first = common + queueConnections + workerConnections;
  return first + (settings['app.processes'] - 1) * (common + queueConnectionsOfChild + workerConnectionsOfChild);
}
