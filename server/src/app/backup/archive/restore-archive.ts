import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { discardDataFolder } from '@florin/embedded-postgres';
import type { Keyring } from '../../../platform/crypto/keyring.ts';
import type { ConnectionConfig } from '../../../platform/postgres/connection/connection-url.ts';
import { migrate } from '../../../platform/postgres/migrate.ts';
import type { CommandContext, ExitCode } from '../../cli/command.ts';
import { CommandFailure } from '../../cli/failure.ts';
import { checkRestored } from '../check-restored.ts';
import { requireKeys } from '../keys.ts';
import { type RestoreResult, reportRestore } from '../report.ts';
import { laterRecordsFile, openRestoreFolder, requireUnusedFolder } from '../restore-folder.ts';
import { openSession } from '../session.ts';
import { ArchiveFolder } from './archive-folder.ts';
import { type Base, basesIn } from './base-manifest.ts';
import { compareRestored, type LaterRecord } from './later-records.ts';
import { type LogAfter, logAfter, replay } from './replay.ts';

export interface RestoreArchiveOptions {
  /** undefined: to the end of the archive. ms since the epoch. */
  toMs: number | undefined;
  dataDir: string | undefined;
  /** Into a database that is removed again. */
  isTrial: boolean;
  asJson: boolean;
}

interface Restored extends RestoreResult {
  /** The state is that of this time. */
  at: string;
  base: string;
  /** How many records of a kind came after that time, by what happened to them. */
  later: Record<string, number>;
}

/** ms since the epoch; null: it is no time with a zone. */
export function timeOf(text: string): number | null {
  if (!/^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})$/i.test(text)) return null;
  const ms = Date.parse(text.replace(' ', 'T'));
  return Number.isNaN(ms) ? null : ms;
}

/**
 * Restores an archive into a new data folder, checks it, and lists what came after the time.
 *
 * @throws CommandFailure before anything is written when the archive does not reach to the time, when its keys are
 *   missing, or when the data folder is in use
 */
export async function restoreArchive(
  path: string,
  { toMs, dataDir, isTrial, asJson }: RestoreArchiveOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const begunAt = performance.now();
  const { settings, note } = context;
  if (!isTrial && dataDir === undefined && settings['app.database.url'] !== undefined) {
    throw new CommandFailure('an archive is restored into a data folder: name it with --data-dir.');
  }
  const archive = await ArchiveFolder.open(path);
  const plan = await planOf(archive, toMs, note);
  const keys = await requireKeys(plan.base.path, plan.base.manifest, settings);
  const target = isTrial
    ? await mkdtemp(join(tmpdir(), 'florin-restore-'))
    : resolve(dataDir ?? settings['app.data-dir']);
  try {
    if (!isTrial) await requireUnusedFolder(target, plan.base.path);
    const done = await intoFolder(target, plan, keys, { archive, isTrial, context });
    const { base, at } = plan;
    const restored: Restored = {
      into: isTrial ? null : target,
      at: new Date(at).toISOString(),
      base: base.path,
      ...done,
      elapsedMs: Math.round(performance.now() - begunAt),
      next: isTrial ? [] : nextSteps(target, plan, done.later),
    };
    reportRestore(restored, {
      asJson,
      print: context.print,
      state: `the state at ${restored.at}, from ${restored.base}`,
      verified: 'every claim holds',
      found: Object.entries(restored.later).map(([what, count]) => `later     ${count} × ${what} after that time`),
    });
    return restored.broken.length === 0 ? 0 : 1;
  } finally {
    if (isTrial) await rm(target, { recursive: true, force: true });
  }
}

interface Plan {
  base: Base;
  log: LogAfter;
  toMs: number | undefined;
  /** What the restored state is the state of, in ms since the epoch. */
  at: number;
  /** Until when the archive has everything. */
  end: string;
}

async function planOf(archive: ArchiveFolder, toMs: number | undefined, note: CommandContext['note']): Promise<Plan> {
  const bases = await basesIn(archive.path, (path) => note(`Left out, because it is damaged: ${path}`));
  const coverage = await archive.coverage();
  const [oldest] = bases;
  if (oldest === undefined || coverage === undefined) {
    throw new CommandFailure(
      `${archive.path} has no base backup, from which its log could be replayed; ` +
        `florin backup ${archive.path} makes one.`,
    );
  }
  const { takenAt: from } = oldest.manifest;
  const [fromMs, untilMs] = [Date.parse(from), Date.parse(coverage.until)];
  if (toMs !== undefined && (toMs < fromMs || toMs > untilMs)) {
    throw new CommandFailure(
      `${new Date(toMs).toISOString()} is ${toMs < fromMs ? 'before' : 'after'} what is in ${archive.path}: ` +
        `choose a time from ${from} to ${coverage.until}.`,
    );
  }
  const base = bases.findLast(({ manifest }) => Date.parse(manifest.takenAt) <= (toMs ?? untilMs)) ?? oldest;
  const log = await logAfter(archive, base);
  if (toMs === undefined && log.missing !== undefined) {
    throw new CommandFailure(
      `segment ${log.missing} of the write-ahead log is missing in ${archive.path}: what came after it cannot be ` +
        'restored. Choose a time before it with --to.',
    );
  }
  return { base, log, toMs, at: toMs ?? untilMs, end: coverage.until };
}

interface Parts {
  archive: ArchiveFolder;
  isTrial: boolean;
  context: CommandContext;
}

async function intoFolder(
  dataDir: string,
  plan: Plan,
  keys: Keyring,
  { archive, isTrial, context }: Parts,
): Promise<Pick<Restored, 'broken' | 'later'>> {
  const { base, log, toMs } = plan;
  context.note(`Restoring ${base.path}, and replaying ${log.names.length} files of the write-ahead log …`);
  const target = await openRestoreFolder(dataDir, base.path, (folder) =>
    replay({ folder, archive, base, log, untilMs: toMs, isDisposable: isTrial }),
  );
  try {
    context.failPoint('restore_replayed');
    const later: Record<string, number> = {};
    if (toMs !== undefined) {
      context.note('Restored; comparing it with the end of the archive …');
      const end = { folder: target.unfinished.comparison, archive, base, log, isDisposable: true };
      await listLater(target.superuser, end, target.unfinished.later, later);
    }
    await migrate(target.connection, () => {});
    context.note('Checking the restored database …');
    const { broken } = await checkRestored(target.connection, keys, base.manifest.auditHeads);
    context.failPoint('restore_loaded');
    if (isTrial) await target.discard();
    else await target.complete();
    return { broken, later };
  } catch (error) {
    await target.discard();
    throw error;
  }
}

/** Restores the end of the archive beside the restored state, and writes what is different there into `file`. */
async function listLater(
  restored: ConnectionConfig,
  end: Parameters<typeof replay>[0],
  file: string,
  later: Record<string, number>,
): Promise<void> {
  const postgres = await replay(end);
  try {
    const [atTime, atEnd] = [
      await openSession(restored, 'compare'),
      await openSession({ ...postgres.superuser, ssl: false }, 'compare'),
    ];
    const output = createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true });
    output.write(`${csvColumns.join(',')}\n`);
    await compareRestored(atTime, atEnd, async (record) => {
      const what = `${record.kind} ${record.change}`;
      later[what] = (later[what] ?? 0) + 1;
      const line = csvColumns.map((column) => csvField(record[column])).join(',');
      if (!output.write(`${line}\n`)) await once(output, 'drain');
    });
    await new Promise<void>((resolve, reject) => {
      output.once('error', reject);
      output.end(() => resolve());
    });
    await atTime.close();
    await atEnd.close();
  } finally {
    await postgres.stop();
    await discardDataFolder(end.folder);
  }
}

const csvColumns = [
  'kind',
  'change',
  'tenantId',
  'id',
  'status',
  'amount',
  'currency',
  'createdAt',
] as const satisfies (keyof LaterRecord)[];

const csvField = (value: string | undefined) => {
  if (value === undefined) return '';
  return /[",\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
};

function nextSteps(dataDir: string, { toMs, end }: Plan, later: Record<string, number>): string[] {
  const list = join(dataDir, laterRecordsFile);
  return [
    `Start Florin with APP_DATA_DIR=${dataDir}.`,
    ...(toMs !== undefined && Object.keys(later).length > 0
      ? [`Go through ${list}, and compare with the records of your providers: they know nothing of the restore.`]
      : []),
    `What was done after ${end} is neither restored nor listed: compare with the records of your providers.`,
    'Developer keys revoked and users disabled since then work again: revoke and disable them again.',
    'Webhook deliveries that were open then are sent again, under their old ids.',
    'Make a base backup of the restored service: florin backup with the folder of its archive.',
  ];
}
