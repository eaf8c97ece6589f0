import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Keyring, parseKeyring } from '../../platform/crypto/keyring.ts';
import { CommandFailure } from '../cli/failure.ts';
import { requireDataFolder } from '../config/data-folder.ts';
import type { Settings } from '../config/settings.ts';

/** The files of keys, in a data folder and in a backup, and the settings that can hold them instead. */
export const keyFiles = { 'encryption-keys': 'app.encryption.keys', 'jwt-keys': 'app.jwt.keys' } as const;
export type KeyFile = keyof typeof keyFiles;
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
