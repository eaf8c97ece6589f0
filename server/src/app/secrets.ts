import { join } from 'node:path';
import { keptSecret } from '../platform/crypto/kept-secret.ts';
import { freshKeyring, type Keyring, parseKeyring } from '../platform/crypto/keyring.ts';
import { environmentName, type Settings, SettingsError } from './settings.ts';

export interface Secrets {
  /** Sign and verify tokens. */
  jwtKeys: Keyring;
  /** Seal and open stored secrets. */
  encryptionKeys: Keyring;
}

/**
 * The keys as they are set; outside CLUSTER mode they are made at first start and kept in the data folder. In CLUSTER
 * mode every node must have the same ones, so they must be given (decisions, Configuration).
 */
export async function secretsOf(settings: Settings): Promise<Secrets> {
  return {
    jwtKeys: await keyringOf('app.jwt.keys', settings),
    encryptionKeys: await keyringOf('app.encryption.keys', settings),
  };
}

async function keyringOf(name: 'app.jwt.keys' | 'app.encryption.keys', settings: Settings): Promise<Keyring> {
  const given = settings[name];
  if (given !== undefined) return parsed(name, given);
  if (settings['app.deployment-mode'] === 'CLUSTER') {
    throw new SettingsError(
      `${name} must be given in CLUSTER mode, the same on every node, for example ` +
        `${environmentName(name)}=${freshKeyring()} (just drawn); for a single node set APP_DEPLOYMENT_MODE=STANDALONE.`,
    );
  }
  const file = join(settings['app.data-dir'], name.slice('app.'.length).replace('.', '-'));
  try {
    return parsed(file, await keptSecret(file, freshKeyring));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new SettingsError(`app.data-dir: ${file} cannot be read or written (${code}); choose another folder.`);
  }
}

function parsed(from: string, text: string): Keyring {
  try {
    return parseKeyring(text.trim());
  } catch (error) {
    throw new SettingsError(`${from}: ${(error as Error).message}`);
  }
}
