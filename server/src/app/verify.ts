import { dayMs } from '../core/clock.ts';
import { Database } from '../platform/postgres/database.ts';
import { openLog } from '../platform/process/log.ts';
import { answerArguments, verifyUsage } from './arguments.ts';
import { givenSettings } from './given-settings.ts';
import { type Finding, verify } from './integrity.ts';
import { findDatabase } from './open-database.ts';
import { SettingsError } from './settings.ts';

/**
 * `npm run verify`: holds everything that must be true against the database, and prints a line for each claim. It only
 * reads, and runs beside a service as well as without one. Exit code 0 when every claim holds, 1 when one is broken, 2 when
 * it could not be told.
 */
const answered = answerArguments(process.argv.slice(2), verifyUsage);
if (answered === undefined) await main();
else process.exitCode = answered;

async function main(): Promise<void> {
  try {
    process.exitCode = (await verifyGiven()) === 0 ? 0 : 1;
  } catch (error) {
    const line = error instanceof SettingsError ? error.message : String((error as Error).stack);
    process.stderr.write(`Florin cannot verify: ${line}\n`);
    process.exitCode = 2;
  }
}

async function verifyGiven(): Promise<number> {
  const { connection, stop } = await findDatabase(givenSettings(), openLog('warn'));
  // A recount of a large database takes its time.
  const database = new Database({ connection, connections: 1, name: 'verify', statementTimeoutMs: dayMs });
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.once(signal, () => {
      const leave = () => process.exit(2);
      stop().then(leave, leave);
    });
  try {
    return await verify(database, (finding) => process.stdout.write(`${lineOf(finding)}\n`));
  } finally {
    await database.close();
    await stop();
  }
}

function lineOf({ claim, offenders, more }: Finding): string {
  if (offenders.length === 0) return `ok      ${claim}`;
  return `BROKEN  ${claim}: ${offenders.join(', ')}${more ? ' and more' : ''}`;
}
