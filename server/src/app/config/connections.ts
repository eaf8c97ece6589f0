import type { Settings } from './settings.ts';

/** Connections for lists of events and deliveries. */
export const listConnections = 2;
/**
 * Connections for background work: three for deliveries, four for processing, one each for subscriptions, for the due-work
 * poller, and for replays, rollups, the settlement of invoices and NOTIFY together.
 */
export const workerConnections = 10;
/** Of a child process, for the notifications that wake the workers of the first process, and for reading the clock. */
export const workerConnectionsOfChild = 2;

/** The batch writer, the listener and the primary monitor. */
const singleConnections = 3;

/** The most connections to PostgreSQL that all processes of a node open. */
export function connectionsOfNode(settings: Settings): number {
  const common = settings['app.database.connections'] + listConnections + singleConnections;
  const children = settings['app.processes'] - 1;
  return common + workerConnections + children * (common + workerConnectionsOfChild);
}
