import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { readSettings, type Settings, SettingsError } from './settings.ts';

/** Reads the settings of this process from its environment and from florin.yaml in the working directory. */
export function loadSettings(): Settings {
  return readSettings(process.env, yamlOf('florin.yaml'));
}

function yamlOf(path: string): unknown {
  try {
    return parse(textOf(path));
  } catch (error) {
    // The YAML parser appends a drawing of the position to its first line.
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
