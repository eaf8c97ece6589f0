import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a unit of systemd says about the program that it runs. */
export interface Unit {
  name: string;
  /** Program and arguments of `ExecStart`, with variables replaced. */
  command: string[];
  environment: Record<string, string>;
  user: string | undefined;
  directory: string;
  /** Folders that systemd makes for the account, such as `/var/lib/florin`. */
  folders: string[];
  restartsAfterMs: number | undefined;
}

/** Reads a unit and its drop-ins as systemd does, from the file system of a machine. */
export function readUnit(machineRoot: string, name: string): Unit {
  const service = serviceSection(machineRoot, name);
  const last = (key: string) => service.get(key)?.at(-1);
  const environment: Record<string, string> = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' };
  for (const line of service.get('Environment') ?? []) {
    for (const word of wordsOf(line)) assign(environment, word);
  }
  for (const file of service.get('EnvironmentFile') ?? []) {
    const path = join(machineRoot, file.replace(/^-/, '').replaceAll('%p', name));
    if (!existsSync(path) && file.startsWith('-')) continue;
    for (const line of readFileSync(path, 'utf8').split('\n')) {
      if (/^\w+=/.test(line)) assign(environment, line.replace(/^(\w+=)(["'])(.*)\2$/, '$1$3'));
    }
  }
  const restart = last('Restart');
  return {
    name,
    command: expanded(last('ExecStart') ?? '', environment),
    environment,
    user: last('User'),
    directory: last('WorkingDirectory') ?? '/',
    folders: [
      ...(service.get('StateDirectory') ?? []).map((folder) => `/var/lib/${folder}`),
      ...(service.get('RuntimeDirectory') ?? []).map((folder) => `/run/${folder}`),
    ],
    restartsAfterMs: restart === 'always' ? Number.parseFloat(last('RestartSec') ?? '0.1') * 1_000 : undefined,
  };
}

/** The values of each key of `[Service]`, in order; an empty value forgets those before it. */
function serviceSection(machineRoot: string, name: string): Map<string, string[]> {
  const file = ['etc/systemd/system', 'lib/systemd/system']
    .map((folder) => join(machineRoot, folder, `${name}.service`))
    .find((path) => existsSync(path));
  if (file === undefined) throw new Error(`${machineRoot} has no ${name}.service.`);
  const dropIns = globSync(join(machineRoot, `etc/systemd/system/${name}.service.d/*.conf`)).sort();
  const values = new Map<string, string[]>();
  for (const path of [file, ...dropIns]) {
    let section = '';
    for (const line of readFileSync(path, 'utf8').replaceAll('\\\n', ' ').split('\n')) {
      const [, header] = /^\[(\w+)\]/.exec(line) ?? [];
      section = header ?? section;
      const [, key, value = ''] = /^(\w+)=(.*)$/.exec(line) ?? [];
      if (section !== 'Service' || key === undefined) continue;
      values.set(key, value === '' ? [] : [...(values.get(key) ?? []), value.trim()]);
    }
  }
  return values;
}

/** `$NAME` as a word of its own is split into words, `${NAME}` is not. */
function expanded(command: string, environment: Record<string, string>): string[] {
  return wordsOf(command).flatMap((word) => {
    const [, name] = /^\$(\w+)$/.exec(word) ?? [];
    if (name !== undefined) return wordsOf(environment[name] ?? '');
    return [word.replaceAll(/\$\{(\w+)\}/g, (_, inner: string) => environment[inner] ?? '')];
  });
}

function wordsOf(line: string): string[] {
  return (line.match(/"[^"]*"|'[^']*'|\S+/g) ?? []).map((word) => word.replace(/^(["'])(.*)\1$/, '$2'));
}

function assign(environment: Record<string, string>, assignment: string): void {
  const [, name = '', value = ''] = /^(\w+)=([\s\S]*)$/.exec(assignment) ?? [];
  if (name !== '') environment[name] = value;
}
