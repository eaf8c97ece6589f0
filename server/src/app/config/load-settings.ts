import { readFileSync } from 'node:fs';
import { parse, type YAMLParseError } from 'yaml';
import { readSettings, type Settings, SettingsError } from './settings.ts';

/** Reads the settings of this process from its environment and from florin.yaml in the working directory. */
export function loadSettings(): Settings {
  return readSettings(process.env, yamlOf('florin.yaml'));
}

function yamlOf(path: string): unknown {
  const text = textOf(path);
  try {
    return parse(text);
  } catch (error) {
    // The parser's own message can quote the file, and with it a password.
    const { code = 'BAD_VALUE', linePos } = error as Partial<YAMLParseError>;
    throw new SettingsError(`${path} is not valid YAML${linePos ? ` at line ${linePos[0].line}` : ''} (${code}).`);
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return '';
    throw new SettingsError(`${path} cannot be read (${code}).`);
  }
}
