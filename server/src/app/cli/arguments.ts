import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { printable } from '../../../../sdk/src/printable.ts';
import { version } from './version.ts';

/** Options that may be given several times, each with a value, by their names. */
export type GivenOptions<Name extends string> = Readonly<Record<Name, readonly string[]>>;

export interface FurtherArguments {
  /** Options without a value, such as `json` for `--json`. */
  flags?: readonly string[];
  /**
   * What the command takes besides options, such as a folder, by the names that the usage gives them. All are required.
   */
  operands?: readonly string[];
}

export interface ReadArguments<Name extends string> {
  exitCode: undefined;
  given: GivenOptions<Name>;
  flags: ReadonlySet<string>;
  operands: readonly string[];
}

/**
 * Reads the arguments of a command: `--help`, `--version`, the options that it names, flags and operands. Returns an
 * exit code if the command ends here: 0 after help or version, 2 after a mistake, with one line on standard error.
 */
export function readArguments<Name extends string = never>(
  words: readonly string[],
  usage: string,
  names: readonly Name[] = [],
  { flags = [], operands = [] }: FurtherArguments = {},
): { exitCode: number } | ReadArguments<Name> {
  const own = Object.fromEntries(names.map((name) => [name, { type: 'string', multiple: true } as const]));
  const switches = Object.fromEntries(flags.map((name) => [name, { type: 'boolean' } as const]));
  try {
    const { values, positionals } = parseArgs({
      args: [...words],
      allowPositionals: operands.length > 0,
      options: { help: { type: 'boolean', short: 'h' }, version: { type: 'boolean', short: 'v' }, ...own, ...switches },
    });
    if (values.help) process.stdout.write(usageAs(invokedAs(), usage));
    else if (values.version) process.stdout.write(`${version}\n`);
    else {
      const missing = operands[positionals.length];
      // As a folder, an empty text would be the current one.
      const empty =
        operands.find((_, i) => positionals[i] === '') ??
        names.map((name) => `--${name}`).find((_, i) => given(values, names[i] as Name).includes(''));
      if (empty !== undefined) throw new Error(`${empty} is empty`);
      if (missing !== undefined) throw new Error(`${missing} is missing`);
      if (positionals.length > operands.length)
        throw new Error(`Unexpected argument '${positionals[operands.length]}'`);
      return {
        exitCode: undefined,
        given: Object.fromEntries(names.map((name) => [name, given(values, name)])) as GivenOptions<Name>,
        flags: new Set(flags.filter((name) => (values as Record<string, unknown>)[name] === true)),
        operands: positionals,
      };
    }
    return { exitCode: 0 };
  } catch (error) {
    return { exitCode: refuseArguments(usage, mistakeOf(error as Error)) };
  }
}

/** Tells what is wrong with the arguments, in one line, and returns the exit code. */
export function refuseArguments(usage: string, mistake: string): 2 {
  process.stderr.write(`${printable(mistake)} ${helpOf(usageAs(invokedAs(), usage))} says how it is used.\n`);
  return 2;
}

const given = (values: object, name: string) => (values as Record<string, readonly string[] | undefined>)[name] ?? [];

/** The first sentence of the message. The second one of Node.js explains how to write file names. */
const mistakeOf = ({ message }: Error) => `${message.split('. ')[0]?.replace(/\.$/, '')}.`;

/** The command line that prints a usage. */
function helpOf(usage: string): string {
  const [, command = ''] = /^Usage: (npm start|npm run [\w-]+|florin [\w-]+)/.exec(usage) ?? [];
  return command.startsWith('npm') ? `${command} -- --help` : `${command} --help`;
}

/** `florin`, or the file of a script of package.json. */
const invokedAs = () => basename(process.argv[1] ?? '');

/** Writes the commands in a usage as the caller did: `npm run backup -- DIR`, or `florin backup DIR`. */
export function usageAs(program: string, usage: string): string {
  if (!/^florin(\.mjs)?$/.test(program)) return usage;
  return usage
    .replaceAll(/npm (?:run )?(\w+) -- /g, 'florin $1 ')
    .replaceAll(/npm (?:run )?(\w+)/g, 'florin $1')
    .replaceAll('[-- ', '[');
}

export const startUsage = `Usage: npm start [-- --help | --version]

Starts Florin and the PostgreSQL in its data folder, or uses the PostgreSQL of DATABASE_URL. Ctrl-C stops both.

It takes no other arguments. Settings come from the environment or from florin.yaml. The most used:

  PORT                8080       the port to listen on; 0 takes a free one
  HOST                127.0.0.1  the address to listen on
  APP_DATA_DIR        ./data     the database, the keys and the first password
  DATABASE_URL                   a PostgreSQL 15 or newer instead of the embedded one
  APP_PUBLIC_URL                 the address that people and providers use
  APP_ADMIN_PASSWORD             the administrator's first password; random if not set

For example: PORT=9000 npm start

Every setting is in docs/reference/settings.md, how to run it in docs/guides/operations.md, the interface in
docs/reference/api/.
`;

export const resealUsage = `Usage: npm run reseal [-- --json | --help | --version]

Seals the stored secrets again with the first of the encryption keys, and prints its progress. It may run while the
service runs, be interrupted and be started again. Exit code 0: the other keys seal nothing any more and can be
removed from the list. 1: values are left that could not be opened. 2: the command failed.

--json prints one JSON object at the end. It reads the settings of npm start. See docs/guides/operations.md, "Keys".
`;

export const verifyUsage = `Usage: npm run verify [-- --audit-head TENANT:SEQ:HASH ... | --replica | --json]

Checks the whole database against the claims that must hold for payments and money, and prints a line for each. It
only reads, and may run while the service runs. Exit code 0: every claim holds. 1: at least one is broken. 2: the
check failed.

The last lines, "head", name the last entry of each audit log. Keep them outside and give them to a later run as
--audit-head: it then also proves that nothing was removed or replaced before that entry.

--replica reads the standby of app.database.replica-url, as soon as it has everything committed before; only the
position comes from the primary. If the standby cancels a statement, the check fails and says where it stopped.

--json prints one JSON object on each line.

It reads the settings of npm start. See docs/guides/operations.md, "Checking the books", and docs/guides/audit.md.
`;
