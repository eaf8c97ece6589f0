import { dayMs } from '../core/clock.ts';
import { Database } from '../platform/postgres/database.ts';
import { openLog } from '../platform/process/log.ts';
import { handleArguments, verifyUsage } from './arguments.ts';
import { type Finding, verify } from './integrity.ts';
import { loadSettings } from './load-settings.ts';
import { findDatabase } from './open-database.ts';
import { countValuesByKey, describeKey } from './reseal-values.ts';
import { SettingsError } from './settings.ts';

/**
 * `npm run verify`: checks the database against the integrity claims of all modules, and prints a line for each claim, and
 * for each encryption key what it has sealed. It only reads, and may run while the service runs. Exit code 0 when every claim holds, 1 when one is broken, 2 when the
 * check itself failed.
 */
const exitCode = handleArguments(process.argv.slice(2), verifyUsage);
if (exitCode === undefined) await main();
else process.exitCode = exitCode;

async function main(): Promise<void> {
  try {
    process.exitCode = (await verifyDatabase()) === 0 ? 0 : 1;
  } catch (error) {
    const line = error instanceof SettingsError ? error.message : String((error as Error).stack);
    process.stderr.write(`Florin cannot verify: ${line}\n`);
    process.exitCode = 2;
  }
}

async function verifyDatabase(): Promise<number> {
  const { connection, stop } = await findDatabase(loadSettings(), openLog('warn'));
  // Recounting a large database may take hours.
  const database = new Database({ connection, connections: 1, name: 'verify', statementTimeoutMs: dayMs });
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.once(signal, () => {
      const exit = () => process.exit(2);
      stop().then(exit, exit);
    });
  try {
    const broken = await verify(database, (finding) => process.stdout.write(`${lineOf(finding)}\n`));
    for (const count of await countValuesByKey(database)) process.stdout.write(`sealed  ${describeKey(count)}\n`);
    return broken;
  } finally {
    await database.close();
    await stop();
  }
}

function lineOf({ claim, offenders, hasMore }: Finding): string {
  if (offenders.length === 0) return `ok      ${claim}`;
  return `BROKEN  ${claim}: ${offenders.join(', ')}${hasMore ? ' and more' : ''}`;
}
