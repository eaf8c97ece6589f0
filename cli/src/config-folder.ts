import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { CommandFailure } from './failures.ts';
import type { System } from './system.ts';

/** What `florin login` stores: where the service is, and a key or the tokens of a session. */
export interface StoredLogin {
  url: string;
  apiKey?: string;
  accessToken?: string;
  refreshToken?: string;
}

/** JSON files that only their owner can read, in `~/.config/florin` (or XDG_CONFIG_HOME). */
export class ConfigFolder {
  readonly folder: string;

  constructor({ env }: Pick<System, 'env'>) {
    this.folder = join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config'), 'florin');
  }

  /** Undefined if there is no such file. */
  read<Value>(name: string): Value | undefined {
    const file = join(this.folder, name);
    let text: string;
    try {
      text = readFileSync(file, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw new CommandFailure(`${file} cannot be read: ${(error as Error).message}.`);
    }
    try {
      return JSON.parse(text) as Value;
    } catch {
      throw new CommandFailure(`${file} is not JSON; remove it and log in again.`);
    }
  }

  /** Writes a second file and renames it, so that a kill leaves the old content or the new. */
  write(name: string, value: unknown): void {
    const file = join(this.folder, name);
    const written = `${file}.${process.pid}`;
    try {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      writeFileSync(written, JSON.stringify(value), { mode: 0o600 });
      chmodSync(written, 0o600);
      renameSync(written, file);
    } catch (error) {
      throw new CommandFailure(`${file} cannot be written: ${(error as Error).message}.`);
    }
  }

  remove(name: string): void {
    rmSync(join(this.folder, name), { force: true });
  }
}

export const loginFile = 'login.json';
