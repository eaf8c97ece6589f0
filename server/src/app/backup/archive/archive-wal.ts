import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { statement } from '../../../platform/postgres/statement.ts';
import { CommandFailure } from '../../cli/failure.ts';
import type { Session } from '../session.ts';
import { ArchiveFolder, type ArchiveIdentity } from './archive-folder.ts';
import {
  historyName,
  parseHistory,
  parseSegmentName,
  segmentName,
  segmentOf,
  startOf,
  timelineOfHistory,
} from './wal-names.ts';

/** Keeps the log that is not archived yet, also while Florin does not run. */
export const archiveSlot = 'florin_archive';

interface ServerRow {
  system_identifier: string;
  segment_bytes: number;
  major: string;
  timeline: number;
  /** The position up to which the log is kept for the archive; null: it is not kept. */
  kept_from: string | null;
}

/** A cluster whose log was removed before it was archived has a slot that keeps nothing any more (`lost`). */
const readWalServer = statement<ServerRow>(
  'archive.read_server',
  `select (select system_identifier::text from pg_control_system()),
          (select setting::int from pg_settings where name = 'wal_segment_size') as segment_bytes,
          (current_setting('server_version_num')::int / 10000)::text as major,
          ('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::int as timeline,
          (select restart_lsn::text from pg_replication_slots
            where slot_name = '${archiveSlot}' and wal_status <> 'lost') as kept_from`,
);

const dropSlot = statement(
  'archive.drop_slot',
  `select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = '${archiveSlot}'`,
);
const createSlot = statement<{ kept_from: string }>(
  'archive.create_slot',
  `select lsn::text as kept_from from pg_create_physical_replication_slot('${archiveSlot}', true)`,
);
/** The slot is in use for a moment while another process archives as well. */
const advanceSlot = statement(
  'archive.advance_slot',
  `select pg_replication_slot_advance(slot_name, least($1::pg_lsn, pg_current_wal_flush_lsn()))
     from pg_replication_slots
    where slot_name = '${archiveSlot}' and not active and restart_lsn < $1::pg_lsn`,
);
/** Before the switch: what is committed by then is in a segment that the switch completes. */
const readNow = statement<{ now_ms: number }>(
  'archive.read_now',
  'select floor(extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms',
);
const switchWal = statement('archive.switch_wal', 'select pg_switch_wal()');
const readPosition = statement<{ position: string }>(
  'archive.read_position',
  'select pg_current_wal_insert_lsn()::text as position',
);
const freeWal = statement('archive.free_wal', 'checkpoint');

export interface ArchiveWalOptions {
  /** Of the superuser: the log and its slots are not the service's. */
  session: Session;
  cluster: string;
  folder: string;
  /** Whether the segment that is written now is completed, so that everything committed until now is archived. */
  completes: boolean;
  /** Whether an empty folder may become the archive of a cluster that is archived elsewhere. */
  mayBegin?: boolean;
}

export interface ArchivedWal {
  archive: ArchiveFolder;
  /** Segments and histories that this call has added. */
  added: number;
  /** ms since the epoch; undefined: the segment in use was not completed. */
  coveredUntilMs: number | undefined;
  /** The first segment that is missing because PostgreSQL had removed it before it was archived. */
  gap: string | undefined;
}

/** Copies every complete segment that is not archived yet, in order, and lets PostgreSQL reuse it afterwards. */
export async function archiveWal(options: ArchiveWalOptions): Promise<ArchivedWal> {
  const { session, cluster, folder, completes, mayBegin = false } = options;
  const server = await readServer(session);
  const identity: ArchiveIdentity = {
    format: 1,
    systemIdentifier: server.system_identifier,
    segmentBytes: server.segment_bytes,
    postgres: server.major,
  };
  const archive = await ArchiveFolder.openFor(identity, folder, server.kept_from === null || mayBegin);
  const isNew = server.kept_from === null;
  const keptFrom = server.kept_from ?? (await keepWal(session));
  const { segmentBytes } = identity;
  const { timeline } = server;

  await requireNewestTimeline(archive, timeline);
  let added = await addHistories(archive, cluster, timeline);
  const completedMs = completes ? await completeSegment(session) : undefined;
  const [{ position } = { position: '0/0' }] = await session.run(readPosition);
  const end = segmentOf(position, segmentBytes);
  const kept = segmentOf(keptFrom, segmentBytes);
  const archived = await archivedOn(archive, timeline);
  const next = await nextSegment(archive, { cluster, timeline, archived, kept });
  // What PostgreSQL still has of a log that is in the archive already is compared: two copies of a database must not
  // archive into one folder. Later, all from the slot on is this database's own.
  const first = isNew ? Math.min(next, ...(await ownBefore(cluster, { timeline, end, segmentBytes }))) : kept;
  let gap: string | undefined;
  for (let number = first; number < end; number++) {
    const name = segmentName({ timeline, number }, segmentBytes);
    const content = await readSegment(cluster, name, identity);
    if (content === undefined) {
      if (number >= Math.min(next, kept) && !archived.has(number)) gap ??= name;
      continue;
    }
    if (!archived.has(number) && number < next) continue;
    await archive.add(name, content);
    if (!archived.has(number)) added++;
    await advance(session, startOf(number + 1, segmentBytes));
  }
  if (completedMs === undefined) return { archive, added, coveredUntilMs: undefined, gap };
  const until = new Date(completedMs).toISOString();
  await archive.setCoverage({ timeline: server.timeline, nextSegment: end, until });
  return { archive, added, coveredUntilMs: completedMs, gap };
}

/** A restored database has begun a timeline of its own: the one that it was restored from must not go on beside it. */
async function requireNewestTimeline(archive: ArchiveFolder, timeline: number): Promise<void> {
  const newest = Math.max(0, ...(await archive.histories()));
  if (newest <= timeline) return;
  throw new CommandFailure(
    `${archive.path} is continued by a database that was restored from it (timeline ${newest}, and this one is ` +
      `${timeline}): use another folder for this database.`,
  );
}

/** Lets PostgreSQL remove its log although it is not archived. Returns whether it was kept until now. */
export async function stopKeepingWal(session: Session): Promise<boolean> {
  const dropped = await session.run(dropSlot);
  if (dropped.length > 0) await session.run(freeWal);
  return dropped.length > 0;
}

async function readServer(session: Session): Promise<ServerRow> {
  const [row] = await session.run(readWalServer);
  if (row === undefined) throw new Error('PostgreSQL answered nothing.');
  return row;
}

async function keepWal(session: Session): Promise<string> {
  await session.run(dropSlot);
  const [row] = await session.run(createSlot);
  if (row === undefined) throw new Error('PostgreSQL answered nothing.');
  // The position is not part of the answer when the log is reserved at once.
  return row.kept_from ?? ((await readServer(session)).kept_from as string);
}

async function completeSegment(session: Session): Promise<number> {
  const [row] = await session.run(readNow);
  await session.run(switchWal);
  return (row as { now_ms: number }).now_ms;
}

async function archivedOn(archive: ArchiveFolder, timeline: number): Promise<ReadonlySet<number>> {
  const segments = await archive.segments();
  return new Set(segments.filter((segment) => segment.timeline === timeline).map(({ number }) => number));
}

/** The complete segments of a timeline that PostgreSQL has not removed. */
async function ownBefore(
  cluster: string,
  { timeline, end, segmentBytes }: { timeline: number; end: number; segmentBytes: number },
): Promise<number[]> {
  const segments = (await readdir(join(cluster, 'pg_wal'))).flatMap(
    (name) => parseSegmentName(name, segmentBytes) ?? [],
  );
  return segments.filter((one) => one.timeline === timeline && one.number < end).map(({ number }) => number);
}

interface Beginning {
  cluster: string;
  timeline: number;
  archived: ReadonlySet<number>;
  /** The first segment that PostgreSQL keeps for the archive. */
  kept: number;
}

/** The first segment of this timeline that the archive must get next. */
async function nextSegment(archive: ArchiveFolder, { cluster, timeline, archived, kept }: Beginning): Promise<number> {
  if (archived.size > 0) return Math.max(...archived) + 1;
  if (timeline === 1 || (await archive.segments()).length === 0) return kept;
  // A timeline begins in the segment in which it left the one before.
  const switches = parseHistory(await readFile(join(cluster, 'pg_wal', historyName(timeline)), 'utf8'));
  return segmentOf(switches.at(-1)?.at ?? '0/0', archive.identity.segmentBytes);
}

/**
 * Without the histories, a log that goes on after a restore could not be replayed. That of the present timeline is
 * compared: two restored copies of one database may have given it the same number.
 */
async function addHistories(archive: ArchiveFolder, cluster: string, present: number): Promise<number> {
  const archived = new Set(await archive.histories());
  let added = 0;
  for (const name of await readdir(join(cluster, 'pg_wal'))) {
    const timeline = timelineOfHistory(name);
    if (timeline === undefined || (timeline !== present && archived.has(timeline))) continue;
    await archive.add(name, await readFile(join(cluster, 'pg_wal', name)));
    if (!archived.has(timeline)) added++;
  }
  return added;
}

/** Where the first page of a segment has the identifier of the cluster and its own position. */
const positionAt = 8;
const systemIdentifierAt = 24;

/**
 * PostgreSQL prepares segments by renaming old ones, so the name alone does not tell what is in a file. undefined: it
 * has removed the segment.
 *
 * @throws CommandFailure when the file is not the segment of its name
 */
async function readSegment(cluster: string, name: string, identity: ArchiveIdentity): Promise<Buffer | undefined> {
  try {
    const content = await readFile(join(cluster, 'pg_wal', name));
    requireSegment(content, name, identity);
    return content;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** @throws CommandFailure when `content` is not the segment of this name */
export function requireSegment(content: Buffer, name: string, identity: ArchiveIdentity): void {
  const { segmentBytes, systemIdentifier } = identity;
  const number = parseSegmentName(name, segmentBytes)?.number ?? 0;
  const isWhole =
    content.length === segmentBytes &&
    content.readBigUInt64LE(positionAt) === BigInt(number) * BigInt(segmentBytes) &&
    content.readBigUInt64LE(systemIdentifierAt) === BigInt(systemIdentifier);
  if (!isWhole) throw new CommandFailure(`segment ${name} of the write-ahead log is damaged.`);
}

/** PostgreSQL's code `object_in_use`. */
const inUse = '55006';

async function advance(session: Session, to: string): Promise<void> {
  try {
    await session.run(advanceSlot, [to]);
  } catch (error) {
    if ((error as { code?: string }).code !== inUse) throw error;
    await sleep(50);
  }
}
