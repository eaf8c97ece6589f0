import { readFileSync } from 'node:fs';
import type { YAMLParseError } from 'yaml';
import { readSettings, type Settings, SettingsError } from './settings.ts';

/** Reads the settings of this process from its environment and from florin.yaml in the working directory. */
export async function loadSettings(): Promise<Settings> {
  return readSettings(process.env, await yamlOf('florin.yaml'));
}

/**
 * undefined: there is no such file. Only with one is the parser loaded, 200 KB of code that most installations do not
 * need.
 */
async function yamlOf(path: string): Promise<unknown> {
  const text = textOf(path);
  if (text === undefined) return undefined;
  const { parse } = await import('yaml');
  try {
    return parse(text);
  } catch (error) {
    // The parser's own message can quote the file, and with it a password.
    const { code = 'BAD_VALUE', linePos } = error as Partial<YAMLParseError>;
    throw new SettingsError(`${path} is not valid YAML${linePos ? ` at line ${linePos[0].line}` : ''} (${code}).`);
  }
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new SettingsError(`${path} cannot be read (${code}).`);
  }
}
