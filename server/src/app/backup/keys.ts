import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Keyring, parseKeyring } from '../../platform/crypto/keyring.ts';
import { CommandFailure } from '../cli/failure.ts';
import { requireDataFolder } from '../config/data-folder.ts';
import type { Settings } from '../config/settings.ts';
import type { Manifest } from './manifest.ts';

/** The files of keys, in a data folder and in a backup, and the settings that can hold them instead. */
export const keyFiles = { 'encryption-keys': 'app.encryption.keys', 'jwt-keys': 'app.jwt.keys' } as const;
export type KeyFile = keyof typeof keyFiles;
export type KeyTexts = Readonly<Record<KeyFile, string>>;
export const keyFileNames = Object.keys(keyFiles) as KeyFile[];

/**
 * The text of keys as the service has them: from the setting, or else from the data folder. undefined: from neither.
 */
export async function findKeyText(name: KeyFile, settings: Settings): Promise<string | undefined> {
  return settings[keyFiles[name]] ?? (await textIn(settings['app.data-dir'], name));
}

/** @throws CommandFailure when there are none, SettingsError when there is no database */
export async function requireKeyText(name: KeyFile, settings: Settings): Promise<string> {
  requireDataFolder(settings);
  const text = await findKeyText(name, settings);
  if (text !== undefined) return text;
  throw new CommandFailure(
    `there are no ${name}: neither is ${keyFiles[name]} set, nor is there a file ` +
      `${join(settings['app.data-dir'], name)}. Run this with the settings of the service.`,
  );
}

/** The text of a file of keys in a folder; undefined when there is none. */
export async function textIn(folder: string, name: KeyFile): Promise<string | undefined> {
  try {
    return (await readFile(join(folder, name), 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

export function keyringFrom(text: string, from: string): Keyring {
  try {
    return parseKeyring(text);
  } catch (error) {
    throw new CommandFailure(`${from}: ${(error as Error).message}`);
  }
}

/** The keys with which the restored service will run: those of the settings come before those of the backup. */
export async function requireKeys(
  folder: string,
  manifest: Pick<Manifest, 'encryptionKeys'>,
  settings: Settings,
): Promise<Keyring> {
  const setting = keyFiles['encryption-keys'];
  const [own, kept] = [settings[setting], await textIn(folder, 'encryption-keys')];
  const text = own ?? kept ?? (await findKeyText('encryption-keys', settings));
  if (text === undefined) {
    throw new CommandFailure(
      `${folder} was made without keys: set ${setting} to the encryption keys that the service had when it was made.`,
    );
  }
  const keys = keyringFrom(text, own === undefined ? 'the encryption keys of the backup' : setting);
  const missing = manifest.encryptionKeys.find(({ id }) => keys.find(id) === undefined && !keys.isLost(id));
  if (missing !== undefined) {
    throw new CommandFailure(
      `key ${missing.id}, which opens stored secrets (${missing.neededFor}), is missing in ` +
        `${own === undefined ? 'the keys' : setting}; put it back into the ` +
        `list${kept === undefined ? '' : `, from ${join(folder, 'encryption-keys')}`}.`,
    );
  }
  return keys;
}
