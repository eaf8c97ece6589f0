import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EmbeddedPostgresError } from '@florin/embedded-postgres';
import { type FlorinPostgres, startFlorinPostgres } from '../../../platform/postgres/embedded/florin-postgres.ts';
import { openLog } from '../../../platform/process/log.ts';
import { CommandFailure } from '../../cli/failure.ts';
import type { ArchiveFolder } from './archive-folder.ts';
import { requireSegment } from './archive-wal.ts';
import type { Base } from './base-manifest.ts';
import { placeCluster } from './copy-cluster.ts';
import {
  historyName,
  parseHistory,
  parseSegmentName,
  positionOf,
  type Segment,
  type Switch,
  segmentName,
  segmentOf,
} from './wal-names.ts';

/** The log that leads from a base backup to the end of an archive. */
export interface LogAfter {
  timeline: number;
  /** Files of the archive. */
  names: string[];
  /** The first segment that is missing before the last one; the log ends there. */
  missing: string | undefined;
}

/** Which log of the archive follows a base backup, on the newest timeline that it belongs to or on a chosen one. */
export async function logAfter(archive: ArchiveFolder, { manifest }: Base, chosen?: number): Promise<LogAfter> {
  const { segmentBytes } = archive.identity;
  const segments = await archive.segments();
  const histories = await archive.histories();
  const timelines = [...new Set([...segments.map(({ timeline }) => timeline), ...histories])].sort((a, b) => b - a);
  for (const timeline of chosen === undefined ? timelines : [chosen]) {
    const switches = histories.includes(timeline)
      ? parseHistory((await archive.read(historyName(timeline))).toString())
      : [];
    if (!leadsTo(manifest, timeline, switches)) continue;
    const ancestors = [...switches.map(({ from }) => from), timeline];
    const names = histories.filter((one) => ancestors.includes(one)).map(historyName);
    const found = segmentsOn(segments, timeline, switches, segmentBytes);
    const first = segmentOf(manifest.startLsn, segmentBytes);
    const last = Math.max(first, ...found.keys());
    for (let number = first; number <= last; number++) {
      const segment = found.get(number);
      if (segment === undefined) {
        return { timeline, names, missing: segmentName({ timeline, number }, segmentBytes) };
      }
      names.push(segmentName(segment, segmentBytes));
    }
    return { timeline, names, missing: undefined };
  }
  throw new CommandFailure(`the archive has no timeline ${chosen ?? manifest.timeline} that follows this base backup.`);
}

function leadsTo(
  { timeline: from, stopLsn }: Base['manifest'],
  timeline: number,
  switches: readonly Switch[],
): boolean {
  if (from === timeline) return true;
  const left = switches.find((one) => one.from === from);
  return left !== undefined && positionOf(stopLsn) <= positionOf(left.at);
}

/** For each number the segment that PostgreSQL replays: that of the newest timeline which had begun by then. */
function segmentsOn(
  segments: readonly Segment[],
  timeline: number,
  switches: readonly Switch[],
  segmentBytes: number,
): Map<number, Segment> {
  const begins = new Map<number, number>([[switches[0]?.from ?? timeline, 0]]);
  for (const [i, { at }] of switches.entries()) {
    begins.set(switches[i + 1]?.from ?? timeline, segmentOf(at, segmentBytes));
  }
  const found = new Map<number, Segment>();
  for (const segment of segments) {
    const begin = begins.get(segment.timeline);
    if (begin === undefined || segment.number < begin) continue;
    const other = found.get(segment.number);
    if (other === undefined || other.timeline < segment.timeline) found.set(segment.number, segment);
  }
  return found;
}

export interface ReplayOptions {
  /** The data folder of a new PostgreSQL, which does not exist yet. */
  folder: string;
  archive: ArchiveFolder;
  base: Base;
  log: LogAfter;
  /** Only what was committed until then; undefined: all of the log. ms since the epoch. */
  untilMs?: number | undefined;
  isDisposable?: boolean;
}

/** What PostgreSQL says when nothing was committed after the time. */
const endedBefore = 'recovery ended before configured recovery target was reached';

/** Restores a base backup and replays the log. Resolves when PostgreSQL has begun a timeline of its own. */
export async function replay(options: ReplayOptions): Promise<FlorinPostgres> {
  const { folder, base, archive, log, untilMs } = options;
  const home = join(folder, 'postgres');
  const cluster = join(home, 'cluster');
  await placeCluster(base, cluster);
  await placeLog(archive, log.names, join(home, 'wal'));
  await writeFile(join(cluster, 'recovery.signal'), '', { mode: 0o600 });
  const postgres = await recover(options);
  await rm(join(home, 'wal'), { recursive: true });
  return postgres;

  async function recover(with_: ReplayOptions): Promise<FlorinPostgres> {
    try {
      return await startFlorinPostgres({
        dataDir: folder,
        log: openLog('silent'),
        isDisposable: with_.isDisposable ?? false,
        settings: recoverySettings(log.timeline, with_.untilMs),
      });
    } catch (error) {
      const hasEnded = error instanceof EmbeddedPostgresError && error.message.includes(endedBefore);
      if (!hasEnded || with_.untilMs === undefined) throw error;
      if (log.missing !== undefined) {
        throw new CommandFailure(
          `segment ${log.missing} of the write-ahead log is missing in ${archive.path}: from the base backup ` +
            `${base.path}, the state at ${new Date(untilMs as number).toISOString()} cannot be restored.`,
        );
      }
      // Nothing was committed between the time and the end of the log: they are the same state.
      return recover({ ...with_, untilMs: undefined });
    }
  }
}

/**
 * Copies the files of the log to where the account that runs PostgreSQL can read them, still compressed: a shop with a
 * payment a minute writes 23 GB of segments a day, which are 100 MB compressed.
 */
async function placeLog(archive: ArchiveFolder, names: readonly string[], to: string): Promise<void> {
  await mkdir(to, { mode: 0o700 });
  for (const name of names) {
    const content = await archive.read(name).catch((error: NodeJS.ErrnoException) => {
      if (!error.code?.startsWith('Z_')) throw error;
      throw new CommandFailure(`${archive.fileOf(name)} cannot be unpacked. Nothing was restored.`);
    });
    if (parseSegmentName(name, archive.identity.segmentBytes) !== undefined) {
      requireSegment(content, name, archive.identity);
    }
    await copyFile(archive.fileOf(name), join(to, `${name}.gz`));
  }
}

function recoverySettings(timeline: number, untilMs: number | undefined): Record<string, string> {
  return {
    // PostgreSQL runs it in the folder of the cluster.
    restore_command: 'test -f ../wal/%f.gz && gzip -dc ../wal/%f.gz > %p',
    recovery_target_timeline: String(timeline),
    hot_standby: 'off',
    autovacuum: 'off',
    ...(untilMs !== undefined && {
      // As a number of hours: the setting is read before PostgreSQL knows the names of time zones.
      recovery_target_time: new Date(untilMs).toISOString().replace('Z', '+00'),
      recovery_target_action: 'promote',
    }),
  };
}
