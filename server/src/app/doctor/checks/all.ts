import type { DatabaseCheck, MachineCheck } from '../check.ts';
import { accountNames, secondFactors } from './accounts.ts';
import {
  autovacuum,
  channelKeys,
  dueWork,
  encryptionKeys,
  indexes,
  migrations,
  replicationSlots,
  webhookSecrets,
} from './data.ts';
import { mail, publicUrl, sandbox } from './deployment.ts';
import { dataFolder, diskSpace, keys, openFiles, port, secretFiles } from './machine.ts';
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
];

export const databaseChecks: readonly DatabaseCheck[] = [
  version,
  primary,
  durability,
  clock,
  connections,
  notifications,
  migrations,
  replicationSlots,
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
  secondFactors,
  accountNames,
];
