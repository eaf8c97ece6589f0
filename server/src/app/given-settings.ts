import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { readSettings, type Settings, SettingsError } from './settings.ts';

/** The settings of this process: from its environment, and florin.yaml where it was started. */
export function givenSettings(): Settings {
  return readSettings(process.env, yamlOf('florin.yaml'));
}

function yamlOf(path: string): unknown {
  try {
    return parse(textOf(path));
  } catch (error) {
    // The reader of YAML adds a drawing of the place below its first line.
    throw new SettingsError(`${path}: ${(error as Error).message.split('\n')[0]?.replace(/:$/, '.')}`);
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
