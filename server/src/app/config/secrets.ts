import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { holdsCluster } from '@florin/embedded-postgres';
import { freshKeyring, type Keyring, parseKeyring } from '../../platform/crypto/keyring.ts';
import { readOrCreateSecret } from '../../platform/crypto/secret-file.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import { type Log, openLog } from '../../platform/process/log.ts';
import { requireDataFolder } from './data-folder.ts';
import { keysInUse } from './sealed-values.ts';
import { environmentName, type Settings, SettingsError } from './settings.ts';

export interface Secrets {
  /** Sign and verify tokens. */
  jwtKeys: Keyring;
  /** Seal and open stored secrets. */
  encryptionKeys: Keyring;
  /** The setting or file that the encryption keys come from, for messages. */
  encryptionKeysFrom: string;
  /** Stores generated encryption keys, once the database is known to hold nothing that other keys encrypted. */
  keep: () => Promise<void>;
}

type KeyringName = 'app.jwt.keys' | 'app.encryption.keys';

const howToGiveUp = 'if it is lost for good, docs/guides/operations.md says what to do under "Lost keys"';

/**
 * Reads the keys from the settings. Outside CLUSTER mode missing keys are generated at the first start and stored in
 * the data folder. In CLUSTER mode all nodes need the same keys, so they must be configured
 * (docs/decisions/embedded-postgresql-and-start.md).
 *
 * Encryption keys are generated for a new database only: a new key cannot decrypt what an existing one holds
 * (docs/decisions/audit-and-secrets.md).
 */
export async function secretsOf(settings: Settings, log: Log): Promise<Secrets> {
  const isOursAndExists = settings['app.database.url'] === undefined && holdsCluster(settings['app.data-dir']);
  const jwtFile = fileOf('app.jwt.keys', settings);
  if (isOursAndExists && jwtFile !== undefined && !existsSync(jwtFile)) {
    log.warn(
      `${jwtFile} was missing: a new signing key was generated, so every session has ended and everyone has to log in`,
    );
  }
  const jwtKeys =
    jwtFile === undefined ? configuredKeyring('app.jwt.keys', settings) : await storedKeyring(jwtFile, 'jwt-keys');
  return { jwtKeys, ...(await encryptionKeysOf(settings, isOursAndExists)) };
}

/**
 * Reads the encryption keys from the settings or from the data folder. Generates none: the database exists.
 *
 * @throws SettingsError when there is no database in the data folder, or there are no keys for it
 */
export async function existingEncryptionKeys(settings: Settings): Promise<Keyring> {
  requireDataFolder(settings);
  return (await encryptionKeysOf(settings, true)).encryptionKeys;
}

async function encryptionKeysOf(settings: Settings, isOursAndExists: boolean): Promise<Omit<Secrets, 'jwtKeys'>> {
  const name = 'app.encryption.keys';
  const file = fileOf(name, settings);
  const keep = async () => {};
  if (file === undefined) return { encryptionKeys: configuredKeyring(name, settings), encryptionKeysFrom: name, keep };
  if (!existsSync(file)) {
    if (isOursAndExists) throw missing(file, `${settings['app.data-dir']} holds a database`);
    // Whether an external database is new is known only after it was opened.
    if (settings['app.database.url'] !== undefined) return generatedForNewDatabase(file);
  }
  return { encryptionKeys: await storedKeyring(file, 'encryption-keys'), encryptionKeysFrom: file, keep };
}

function generatedForNewDatabase(file: string): Omit<Secrets, 'jwtKeys'> {
  const generated = freshKeyring();
  return {
    encryptionKeys: parseKeyring(generated),
    encryptionKeysFrom: file,
    keep: async () => {
      const winner = await onFile(file, () => readOrCreateSecret(file, () => generated));
      if (winner !== generated) throw new SettingsError(`${file} was made by another process just now; start again.`);
    },
  };
}

/**
 * Refuses keys that are missing, or that cannot be parsed. Generates none.
 *
 * @throws SettingsError that names the setting or the file
 */
export async function requireKeys(settings: Settings): Promise<void> {
  const isOurs = settings['app.database.url'] === undefined;
  if (isOurs && !holdsCluster(settings['app.data-dir'])) return;
  if (fileOf('app.jwt.keys', settings) === undefined) configuredKeyring('app.jwt.keys', settings);
  await encryptionKeysOf(settings, isOurs);
}

/**
 * Refuses encryption keys of the settings or the data folder that cannot decrypt the values in the database. Changes
 * nothing.
 *
 * @throws SettingsError as `requireKeysInUse`
 */
export async function requireExistingKeys(settings: Settings, database: Queryable, nowMs: number): Promise<void> {
  const keys = await encryptionKeysOf(settings, settings['app.database.url'] === undefined);
  await requireKeysInUse({ ...keys, keep: async () => {} }, database, nowMs, openLog('silent'));
}

/**
 * Refuses encryption keys that cannot decrypt the values in the database, and stores keys that were generated for it.
 *
 * @throws SettingsError that names the missing key and the records it is needed for
 */
export async function requireKeysInUse(
  secrets: Omit<Secrets, 'jwtKeys'>,
  database: Queryable,
  nowMs: number,
  log: Log,
): Promise<void> {
  const { encryptionKeys, encryptionKeysFrom: from } = secrets;
  const inUse = await keysInUse(database, encryptionKeys, nowMs);
  for (const { id, what, state } of inUse) {
    switch (state) {
      case 'absent':
        if (isFile(from) && !existsSync(from))
          throw missing(from, `the database holds secrets sealed with key ${id} (${what})`);
        throw new SettingsError(
          `${from} lacks key ${id}, which sealed secrets in the database (${what}); ` +
            'put it back into the list, from a backup of the data folder or wherever your keys are kept; ' +
            `${howToGiveUp}.`,
        );
      case 'other':
        throw new SettingsError(
          `key ${id} in ${from} is not the key of this name that sealed secrets in the database (${what}); ` +
            'put that one back, from a backup of the data folder or wherever your keys are kept; ' +
            `${howToGiveUp}.`,
        );
      case 'lost':
        log.warn({ key: id, what }, 'Secrets were sealed with a key that is marked as lost; set them again');
    }
  }
  await secrets.keep();
}

function missing(file: string, why: string): SettingsError {
  return new SettingsError(
    `${file} is missing, and ${why}: only the key in it opens the stored secrets of channels, ` +
      'webhook endpoints, inboxes and customers. Put the file back from a backup of the data folder, ' +
      `or set app.encryption.keys if the key was given so; ${howToGiveUp}.`,
  );
}

const isFile = (from: string) => !from.startsWith('app.');

/** The file that stores keys which are not configured; undefined when they are. */
function fileOf(name: KeyringName, settings: Settings): string | undefined {
  if (settings[name] !== undefined) return undefined;
  if (settings['app.deployment-mode'] === 'CLUSTER') {
    throw new SettingsError(
      `${name} must be given in CLUSTER mode, the same on every node, for example ` +
        `${environmentName(name)}=${freshKeyring()} (just generated); for a single node set ` +
        'APP_DEPLOYMENT_MODE=STANDALONE.',
    );
  }
  return join(settings['app.data-dir'], name.slice('app.'.length).replace('.', '-'));
}

function configuredKeyring(name: KeyringName, settings: Settings): Keyring {
  return parsed(name, settings[name] as string);
}

async function storedKeyring(file: string, name: string): Promise<Keyring> {
  const text = await onFile(file, () => readOrCreateSecret(file, freshKeyring));
  if (text === '') throw new SettingsError(`${file} is empty; put ${name} back from a backup of the data folder.`);
  return parsed(file, text);
}

async function onFile<Result>(file: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new SettingsError(`app.data-dir: ${file} cannot be read or written (${code}); ${remedyOf(code)}.`);
  }
}

function remedyOf(code: string): string {
  if (code === 'EISDIR') return 'it is a folder, but a file belongs there: move it away and restore the file';
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'make room on its disk';
  return 'choose another folder, or the account it belongs to';
}

function parsed(from: string, text: string): Keyring {
  try {
    return parseKeyring(text.trim());
  } catch (error) {
    throw new SettingsError(`${from}: ${(error as Error).message}`);
  }
}
