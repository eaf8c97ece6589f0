import type { DatabaseCheck, MachineCheck } from '../check.ts';
import { accountNames, secondFactors } from './accounts.ts';
import {
  archive,
  everyServer,
  primaryOfSeveral,
  replica,
  sameDatabase,
  standbysKeepUp,
  synchronousStandbys,
} from './cluster.ts';
import {
  autovacuum,
  channelKeys,
  dueWork,
  embeddedArchive,
  encryptionKeys,
  indexes,
  migrations,
  replicationSlots,
  webhookSecrets,
} from './data.ts';
import { mail, publicUrl, sandbox } from './deployment.ts';
import { dataFolder, diskSpace, keys, openFiles, port, secretFiles } from './machine.ts';
import { everyNode, nodeClocks, nodeKeys, nodeVersions } from './nodes.ts';
import { providerEvents } from './providers.ts';
import { clock, connections, durability, notifications, primary, version } from './server.ts';

/** In the order in which they run and are reported: causes before their consequences. */
export const machineChecks: readonly MachineCheck[] = [
  dataFolder,
  secretFiles,
  keys,
  diskSpace,
  openFiles,
  port,
  publicUrl,
  sandbox,
  mail,
  primaryOfSeveral,
  everyServer,
];

export const databaseChecks: readonly DatabaseCheck[] = [
  version,
  primary,
  durability,
  clock,
  connections,
  sameDatabase,
  notifications,
  replica,
  synchronousStandbys,
  standbysKeepUp,
  archive,
  migrations,
  replicationSlots,
  embeddedArchive,
];

/** They read Florin's tables. */
export const schemaChecks: readonly DatabaseCheck[] = [
  encryptionKeys,
  webhookSecrets,
  channelKeys,
  providerEvents,
  indexes,
  autovacuum,
  dueWork,
  everyNode,
  nodeVersions,
  nodeKeys,
  nodeClocks,
  secondFactors,
  accountNames,
];
