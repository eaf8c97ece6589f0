import type { Settings } from './settings.ts';

/** Lists that are read at the same time; each scans thousands of rows. They use connections of the workers' pool. */
export const concurrentLists = 2;
/**
 * Connections for background work: three for deliveries, four for processing, one each for subscriptions, for the due-work
 * poller, and for replays, rollups, the settlement of invoices and NOTIFY together; and those of the lists.
 */
export const workerConnections = 10 + concurrentLists;
/** In a child process: for notifications that wake the workers of the first process, for reading the clock, and for lists. */
export const workerConnectionsOfChild = 2 + concurrentLists;

/** Of the due-work poller to the embedded PostgreSQL: it discards the plans of its connection. */
export const pollerConnections = 1;

/** Of the embedded PostgreSQL, in each process: it keeps the plans of look-ups by key (`KeptPlans`). */
export const lookupConnections = 1;

/** The batch writer, the listener and the primary monitor. */
const singleConnections = 3;

/** The most connections to PostgreSQL that all processes of a node open. */
export function connectionsOfNode(settings: Settings): number {
  const isEmbedded = settings['app.database.url'] === undefined;
  const common = settings['app.database.connections'] + singleConnections + (isEmbedded ? lookupConnections : 0);
  const children = settings['app.processes'] - 1;
  const poller = isEmbedded ? pollerConnections : 0;
  return common + workerConnections + poller + children * (common + workerConnectionsOfChild);
}
