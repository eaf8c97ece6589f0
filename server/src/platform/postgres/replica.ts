import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, Queryable, Snapshot } from './database.ts';
import { type Statement, statement } from './statement.ts';

/** Where a read was answered, and why not by the replica: it was behind for too long, or it failed. */
export type ReplicaOutcome = 'replica' | 'behind' | 'failed';

export interface ReplicaOptions {
  /** Tells the position of the primary. */
  primary: Queryable;
  /** Answers on the primary what the replica cannot: single statements, and several on one snapshot. */
  lists: Queryable;
  snapshots: Pick<Database, 'snapshot'>;
  replica: Database;
  /** How long a read waits for the replica, in ms. */
  waitMs: number;
  onRead?: (outcome: ReplicaOutcome) => void;
}

/** `seconds`: the age of the last transaction that was replayed; null if it is not known. */
export interface ReplicaLag {
  bytes: number;
  seconds: number | null;
}

const checkPauseMs = 10;

/** The replica has not replayed everything in time, or is no standby (`lagBytes` is undefined). */
export class ReplicaBehind extends Error {
  readonly lagBytes: number | undefined;

  constructor(lagBytes: number | undefined) {
    super('The replica is behind.');
    this.lagBytes = lagBytes;
  }
}

const flushedPosition = statement<{ position: string }>(
  'replica.flushed_position',
  'select pg_current_wal_flush_lsn()::text as position',
);

/** A server that is no standby, or no longer, is not the replica. */
const hasReplayed = statement<{ has_replayed: boolean }>(
  'replica.has_replayed',
  'select pg_is_in_recovery() and coalesce(pg_last_wal_replay_lsn() >= $1::pg_lsn, false) as has_replayed',
);

const replayedPosition = statement<{ position: string | null }>(
  'replica.replayed_position',
  'select case when pg_is_in_recovery() then pg_last_wal_replay_lsn()::text end as position',
);

/**
 * How old the last transaction is that the standby has replayed; nothing while it has replayed all that it received.
 */
const readReplay = statement<{ position: string | null; seconds: number | null }>(
  'replica.replay',
  `select case when pg_is_in_recovery() then pg_last_wal_replay_lsn()::text end as position,
          case when pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() then 0
               else extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp())::float8 end as seconds`,
);

const distance = statement<{ bytes: number }>(
  'replica.distance',
  'select greatest(0, pg_current_wal_flush_lsn() - $1::pg_lsn)::bigint as bytes',
);

/**
 * A standby that answers reads on which nothing depends. A read first asks the primary for its position, and the
 * replica answers only when it has replayed that. So an answer holds everything that was committed before the request,
 * by whichever node, and no caller misses what it has just written.
 */
export class Replica {
  readonly #options: Required<ReplicaOptions>;

  constructor({ onRead = () => {}, ...options }: ReplicaOptions) {
    this.#options = { ...options, onRead };
  }

  /** The reads of one request. */
  reads(): ReplicaReads {
    return new ReplicaReads(this.#options);
  }

  /**
   * Runs `work` on a snapshot of the replica that holds everything committed before. Throws ReplicaBehind if it has not
   * replayed that in time; the primary never answers instead.
   */
  async snapshot<Result>(work: (snapshot: Snapshot) => Promise<Result>): Promise<Result> {
    const { primary, replica, waitMs } = this.#options;
    const position = await positionOf(primary);
    const result = await replica.snapshotWhen((session) => waitFor(position, session, waitMs), work);
    if (result === undefined) throw new ReplicaBehind(await this.lagBytes());
    return result.value;
  }

  /** How far the replica is behind; undefined if it is no standby. */
  async lag(): Promise<ReplicaLag | undefined> {
    const { primary, replica } = this.#options;
    const [{ position, seconds } = { position: null, seconds: null }] = await replica.run(readReplay);
    if (position === null) return undefined;
    return { bytes: (await primary.run(distance, [position]))[0]?.bytes ?? 0, seconds };
  }

  /** How many bytes of the write-ahead log the replica has not replayed; undefined if it is no standby. */
  async lagBytes(): Promise<number | undefined> {
    const { primary, replica } = this.#options;
    const [{ position } = { position: null }] = await replica.run(replayedPosition);
    if (position === null) return undefined;
    return (await primary.run(distance, [position]))[0]?.bytes;
  }
}

/** Reads of one request: from the replica while it can answer, and from the primary once it could not. */
export class ReplicaReads implements Queryable {
  readonly #options: Required<ReplicaOptions>;
  #position: Promise<string> | undefined;
  #isGivenUp = false;
  #isUsed = false;

  constructor(options: Required<ReplicaOptions>) {
    this.#options = options;
  }

  /** Whether the replica has answered a read. */
  get isUsed(): boolean {
    return this.#isUsed;
  }

  run<Row>(statement: Statement<Row>, values?: readonly unknown[]): Promise<Row[]> {
    return this.#read(
      (snapshot) => snapshot.run(statement, values),
      () => this.#options.lists.run(statement, values),
    );
  }

  snapshot<Result>(work: (snapshot: Snapshot) => Promise<Result>): Promise<Result> {
    return this.#read(work, () => this.#options.snapshots.snapshot(work));
  }

  async #read<Result>(
    work: (snapshot: Snapshot) => Promise<Result>,
    fromPrimary: () => Promise<Result>,
  ): Promise<Result> {
    if (this.#isGivenUp) return fromPrimary();
    const { replica, waitMs, onRead } = this.#options;
    // Failures of the primary are those of the request.
    this.#position ??= positionOf(this.#options.primary);
    const position = await this.#position;
    let outcome: ReplicaOutcome = 'failed';
    try {
      const result = await replica.snapshotWhen((session) => waitFor(position, session, waitMs), work);
      if (result !== undefined) {
        this.#isUsed = true;
        onRead('replica');
        return result.value;
      }
      outcome = 'behind';
    } catch (error) {
      // Away, busy, or cancelled because replay removes rows that the statement reads (a recovery conflict).
      if (isOutOfTime(error)) throw error;
    }
    this.#isGivenUp = true;
    onRead(outcome);
    return fromPrimary();
  }
}

/** The position of the primary, up to which everything that was acknowledged before is on disk. */
async function positionOf(primary: Queryable): Promise<string> {
  const [row] = await primary.run(flushedPosition);
  return row?.position as string;
}

/** Whether the standby behind this connection has replayed the position, at last after `waitMs`. */
async function waitFor(position: string, session: Queryable, waitMs: number): Promise<boolean> {
  const deadlineMs = performance.now() + waitMs;
  for (;;) {
    const [row] = await session.run(hasReplayed, [position]);
    if (row?.has_replayed === true) return true;
    if (performance.now() >= deadlineMs) return false;
    await sleep(checkPauseMs);
  }
}

/** The statement took longer than it may: on the primary it would again. */
const isOutOfTime = (error: unknown) => ((error as Error).cause as { code?: string } | undefined)?.code === '57014';
