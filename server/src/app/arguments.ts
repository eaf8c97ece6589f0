import { parseArgs } from 'node:util';
import { version } from './version.ts';

/**
 * Answers `--help`, `--version` and whatever a command does not take. Gives the exit code then, undefined when the command
 * was called as it should be: 0 for what was asked for, 2 with the usage on standard error for a mistake.
 */
export function answerArguments(words: readonly string[], usage: string): number | undefined {
  try {
    const { values } = parseArgs({
      args: [...words],
      options: { help: { type: 'boolean', short: 'h' }, version: { type: 'boolean', short: 'v' } },
    });
    if (values.help) process.stdout.write(usage);
    else if (values.version) process.stdout.write(`${version}\n`);
    else return undefined;
    return 0;
  } catch (error) {
    process.stderr.write(`${(error as Error).message.replace(/\.?$/, '.')}\n\n${usage}`);
    return 2;
  }
}

export const startUsage = `Usage: npm start [-- --help | --version]

Starts Florin, and with it the PostgreSQL in its data folder unless DATABASE_URL leads to another. Ctrl-C stops both.

It takes no other arguments. Settings stand in the environment or in florin.yaml; those most used:

  PORT                8080       the port to listen on; 0 takes a free one
  HOST                127.0.0.1  the address to listen on
  APP_DATA_DIR        ./data     the database, the keys and the first password
  DATABASE_URL                   a PostgreSQL 15 or newer instead of the embedded one
  APP_PUBLIC_URL                 the address that people and providers use
  APP_ADMIN_PASSWORD             the administrator's first password; without it one is drawn

For example: PORT=9000 npm start

Every setting is in docs/reference/settings.md, how to run it in docs/guides/operations.md, the interface in docs/reference/api/.
`;

export const verifyUsage = `Usage: npm run verify [-- --help | --version]

Holds what must be true of payments and money against the whole database, and prints a line for each claim. It only reads,
beside a running service as well as without one. Exit code 0: every claim holds. 1: one is broken. 2: it could not be told.

It takes no other arguments, and the settings of npm start. docs/guides/operations.md, "Checking the books", says more.
`;
