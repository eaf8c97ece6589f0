import { printableJson } from '../../../sdk/src/printable.ts';
import { dayMs, secondMs } from '../core/clock.ts';
import { Database } from '../platform/postgres/database.ts';
import { endSignals } from '../platform/process/end-signals.ts';
import { openLog } from '../platform/process/log.ts';
import { readArguments, resealUsage } from './cli/arguments.ts';
import { noteOnStandardError, printOnStandardOutput } from './cli/progress.ts';
import { loadSettings } from './config/load-settings.ts';
import { existingEncryptionKeys } from './config/secrets.ts';
import { SettingsError } from './config/settings.ts';
import { findDatabase } from './open-database.ts';
import { countValuesByKey, describeKey, type ResealProgress, resealValues } from './reseal-values.ts';

/** `npm run reseal`: seals all stored secrets with the first encryption key. */
const read = readArguments(process.argv.slice(2), resealUsage, [], { flags: ['json'] });
const isJson = read.exitCode === undefined && read.flags.has('json');
if (read.exitCode === undefined) await main();
else process.exitCode = read.exitCode;

async function main(): Promise<void> {
  try {
    process.exitCode = (await resealDatabase()) ? 0 : 1;
  } catch (error) {
    const line = error instanceof SettingsError ? error.message : String((error as Error).stack);
    noteOnStandardError(`Florin cannot reseal: ${line}`);
    process.exitCode = 2;
  }
}

/** Whether every value is sealed with the current key. */
async function resealDatabase(): Promise<boolean> {
  const settings = await loadSettings();
  const keys = await existingEncryptionKeys(settings);
  const { connection, stop } = await findDatabase(settings, openLog('warn'));
  // Counting the values of a large table takes minutes.
  const database = new Database({ connection, connections: 1, name: 'reseal', statementTimeoutMs: dayMs });
  for (const signal of endSignals)
    process.once(signal, () => {
      const exit = () => process.exit(2);
      stop().then(exit, exit);
    });
  try {
    const { resealed, unopened } = await resealValues(database, keys, progressLines());
    const counts = await countValuesByKey(database);
    if (isJson) {
      const sealed = counts.map(({ keyId, what }) => ({ keyId, ...Object.fromEntries(what) }));
      printOnStandardOutput(printableJson({ resealed, unopened, sealed }));
    }
    for (const count of counts) write(describeKey(count));
    const others = counts.filter(({ keyId }) => keyId !== keys.current.id);
    write(`${resealed} values were sealed again with key ${keys.current.id}.`);
    if (others.length === 0)
      write('No other key is needed any more: remove the others from the list and restart each node.');
    else if (unopened > 0) write(`${unopened} values cannot be opened with the keys of the list; see "Lost keys".`);
    else
      write('Other values were written meanwhile: restart nodes that still seal with an old key, and run this again.');
    return others.length === 0;
  } finally {
    await database.close();
    await stop();
  }
}

function write(line: string): void {
  if (!isJson) printOnStandardOutput(line);
}

/** A line every second, and one for each column that needed work. */
function progressLines(): (progress: ResealProgress) => void {
  let reportedMs = performance.now();
  return ({ column: { table, column }, resealed, unopened, isDone }) => {
    if (resealed + unopened === 0) return;
    if (!isDone && performance.now() - reportedMs < secondMs) return;
    reportedMs = performance.now();
    const failures = unopened > 0 ? `, ${unopened} cannot be opened` : '';
    write(`${table}.${column}: ${resealed} sealed again${failures}${isDone ? '' : ' …'}`);
  };
}
