/** The steps of a start, for tests that run or kill a PostgreSQL in their own way. They change with the package. */
export { provideBinaries } from './binaries.ts';
export { ensureCluster } from './cluster.ts';
export { closeDataFolder, makeRoot, openDataFolder } from './data-folder.ts';
export { launch, type Postmaster, shutDown, untilReady } from './postmaster.ts';
export { listProcesses, type ProcessEntry, signal } from './process-table.ts';
export { postmasterArguments } from './settings.ts';
