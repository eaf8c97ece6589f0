import { openLog } from '../../platform/process/log.ts';
import { noteOnStandardError, progressOf } from '../cli/progress.ts';
import { loadSettings } from '../config/load-settings.ts';
import { secretsOf } from '../config/secrets.ts';
import type { Settings } from '../config/settings.ts';
import { migrateDatabase } from '../open-database.ts';

export interface MigrateNowOptions {
  settings?: Settings;
  note?: (line: string) => void;
  lockTimeoutMs?: number | undefined;
  deadlineMs?: number | undefined;
}

/** `florin migrate`: brings the database to the schema of this version. Prints a line for each migration. */
export async function migrateNow(
  print: (line: string) => void,
  signal: AbortSignal,
  { settings: givenSettings, note = noteOnStandardError, lockTimeoutMs, deadlineMs }: MigrateNowOptions = {},
): Promise<void> {
  const settings = givenSettings ?? (await loadSettings());
  const log = openLog('warn');
  // Refuses a data folder that has a database but no keys, as a start does: the keys may have been lost.
  if (settings['app.database.url'] === undefined) await secretsOf(settings, log);
  let count = 0;
  const begunAt = performance.now();
  const progress = progressOf(
    note,
    () => `migrating: ${count} done, ${Math.round((performance.now() - begunAt) / 1000)} s …`,
  );
  await migrateDatabase(settings, log, {
    signal,
    lockTimeoutMs,
    deadlineMs,
    onMigrated: (migration) => {
      count++;
      print(`migrated  ${migration}`);
    },
    onReport: (report) => print(`report    ${report}`),
    onWait: ({ migration, blockedBy }) =>
      print(`waiting   ${migration} waits for a lock ${blockedBy.join('; ')}`.trim()),
  }).finally(progress.stop);
  print(count === 0 ? 'The database has the schema of this version.' : `Migrations carried out: ${count}.`);
}
