/** The public interface; README.md describes it. */
export type {
  ClusterNames,
  EmbeddedConnection,
  EmbeddedPostgres,
  EmbeddedPostgresFailure,
  EmbeddedPostgresOptions,
  Log,
} from './contract.ts';
export { EmbeddedPostgresError } from './contract.ts';
export { openSession } from './database.ts';
export { discardDataFolder } from './discard.ts';
export { type FolderLock, holderOfFolder, lockFolder } from './folder-lock.ts';
export { findRunning, hasCluster, holdsCluster } from './running.ts';
export { startEmbeddedPostgres } from './supervisor.ts';
