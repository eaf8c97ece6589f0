import { Socket } from 'node:net';
import pg from 'pg';
import { Refusal } from '../../core/errors.ts';
import { rule } from '../../core/refusal-rules.ts';
import { notifyAll } from './bus/payload.ts';
import { SessionClient } from './connection/connection.ts';
import type { ConnectionConfig } from './connection/connection-url.ts';
import { databaseUnavailable, failureOf, refusalOfFailure, storageFull } from './connection/failures.ts';
import { type Plans, sessionSettings } from './connection/session-settings.ts';
import type { CopiedRows } from './copy-out.ts';
import { Effects } from './effects.ts';
import { Session } from './session.ts';
import { type Invalidation, type Statement, statement, type Topic, topicsOf } from './statement.ts';

/** Runs statements: a database, or one transaction on it. */
export interface Queryable {
  run<Row>(statement: Statement<Row>, values?: readonly unknown[]): Promise<Row[]>;
  /**
   * Authenticates what is written, with a key that the database never sees. Absent, or undefined, where there is no
   * key.
   */
  macOf?: MacOf | undefined;
}

export type MacOf = (text: string) => Buffer | undefined;

/** One snapshot of the database, or one transaction on it. */
export interface Snapshot extends Queryable {
  /** The rows of `copy … to stdout`, in batches. Other statements wait until the last one is taken. */
  copyOut(text: string): AsyncGenerator<CopiedRows, void>;
}

/** A snapshot that other transactions can read too, for as long as the one that exported it is open. */
export interface ExportedSnapshot {
  id: string;
  /** What must be the same for the transaction that joins it: another server might know the same id. */
  identity: string;
}

/** One transaction. Statements declare what they wake and invalidate; that takes effect with the commit. */
export interface Transaction extends Snapshot {
  /**
   * Runs after the commit: for metrics and traces. Not after a rollback, and not when the answer to the commit was
   * lost. Must return at once and never throw.
   */
  afterCommit(effect: () => void): void;
}

/**
 * Runs an effect after the commit: of the transaction, or of a statement outside of one, which has committed when it
 * returns.
 */
export function afterCommit(database: Queryable | Transaction, effect: () => void): void {
  if ('afterCommit' in database) database.afterCommit(effect);
  else effect();
}

/** Runs statements, and several of them in one transaction. */
export interface Transactional extends Queryable {
  transaction<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result>;
}

export interface DatabaseOptions {
  connection: ConnectionConfig;
  /**
   * Maximum number of connections. A batch writer has one, which keeps its statements prepared and its batches in
   * order.
   */
  connections: number;
  /** Shown in pg_stat_activity. */
  name: string;
  /** Time in ms after which PostgreSQL cancels a statement. */
  statementTimeoutMs?: number;
  /** How its statements are planned (docs/decisions/database.md). Default: `fresh`. */
  plans?: Plans;
  /** The generation of kept plans: when it changes, every statement is planned again. Default: never. */
  planGeneration?: () => number;
  /** Called when an idle connection breaks. */
  onIdleError?: (error: Error) => void;
  /**
   * Called after a commit with what its statements have declared (`statement(…, { wakes, invalidates })`), before the
   * caller gets the result. Also called when the answer to the commit was lost. Must not throw.
   */
  onCommitted?: (topics: readonly Topic[], invalidations: readonly Invalidation[]) => void;
  /** See `Queryable`. */
  macOf?: MacOf | undefined;
  /** Called when the server has refused a statement because its disk is full. */
  onFull?: () => void;
  /** Called once when a pooler turns out not to keep prepared statements. */
  onUnprepared?: () => void;
}

/** Why no statement can succeed: the server is silent, or it does not run because its disk is full. */
export type Suspension = 'silent' | 'full';

const beginSnapshot = 'begin isolation level repeatable read read only';

const identity = `pg_current_snapshot()::text || ' of ' || pg_postmaster_start_time()::text`;
const snapshotIdentity = statement<{ identity: string }>('snapshot.identity', `select ${identity} as identity`);
const readExported = statement<ExportedSnapshot>(
  'snapshot.export',
  `select pg_export_snapshot() as id, ${identity} as identity`,
);

/** Lets other transactions read this snapshot (`joinSnapshot`). */
export async function exportSnapshot(snapshot: Queryable): Promise<ExportedSnapshot> {
  const [exported] = await snapshot.run(readExported);
  return exported as ExportedSnapshot;
}

/** Maximum number of requests that wait for a connection. */
const maximumWaiting = 500;
/**
 * A silent server does not cancel statements. Its connection is closed this long after it should have cancelled one.
 */
const silenceMs = 2_000;
const checkEveryMs = 1_000;

/**
 * A pool of connections to one PostgreSQL. Failures of the database itself are thrown as a Refusal for the caller (503
 * with Retry-After); a violated constraint is thrown as the driver's error.
 */
export class Database implements Transactional {
  readonly #pool: pg.Pool;
  readonly #onCommitted: NonNullable<DatabaseOptions['onCommitted']>;
  /** The maximum number of connections. */
  readonly connections: number;
  readonly macOf: MacOf | undefined;
  /**
   * The sockets of all connections, including those being opened, with the time they were created (performance.now()).
   */
  readonly #sockets = new Map<Socket, number>();
  readonly #clients = new Set<SessionClient>();
  readonly #watch: NodeJS.Timeout;
  #suspended: Suspension | undefined;
  /** False after a pooler turned out not to keep prepared statements: each execution is then parsed again. */
  #preparesStatements = true;
  readonly #onFull: () => void;
  readonly #onUnprepared: () => void;
  readonly #planGeneration: () => number;

  constructor({
    connection,
    connections,
    name,
    statementTimeoutMs = 10_000,
    plans = 'fresh',
    planGeneration = () => 0,
    onIdleError = () => {},
    onCommitted = () => {},
    macOf,
    onFull = () => {},
    onUnprepared = () => {},
  }: DatabaseOptions) {
    this.#onCommitted = onCommitted;
    this.connections = connections;
    this.macOf = macOf;
    this.#onFull = onFull;
    this.#onUnprepared = onUnprepared;
    this.#planGeneration = planGeneration;
    this.#pool = new pg.Pool({
      ...connection,
      ...sessionSettings(name, statementTimeoutMs, plans),
      Client: SessionClient,
      max: connections,
      connectionTimeoutMillis: 3_000,
      idleTimeoutMillis: 60_000,
      // Each holds the statements of earlier plan generations until it ends.
      ...(plans === 'indexed-kept' && { maxLifetimeSeconds: 3_600 }),
      stream: () => this.#newSocket(),
    });
    this.#pool.on('error', (error) => {
      if (!this.#pool.ending) onIdleError(error);
    });
    this.#pool.on('connect', (client) => this.#clients.add(client as unknown as SessionClient));
    this.#pool.on('remove', (client) => this.#clients.delete(client as unknown as SessionClient));
    this.#watch = setInterval(() => this.#discardUnanswered(statementTimeoutMs + silenceMs), checkEveryMs).unref();
  }

  async run<Row>(statement: Statement<Row>, values: readonly unknown[] = []): Promise<Row[]> {
    const { name, invalidates, wakes } = statement;
    if (invalidates !== undefined) throw new Error(`${name} changes cached values: run it in a transaction.`);
    this.#refuseEarly();
    const wasNamed = this.#preparesStatements;
    let rows: Row[];
    try {
      rows = (await this.#answer(this.#pool, this.#queryOf(statement, values))).rows as Row[];
    } catch (error) {
      if (wasNamed && isStatementLost(error)) return this.run(statement, values);
      throw refusalOfFailure(error) ?? error;
    }
    if (wakes !== undefined) this.#publish(topicsOf(statement, rows), []);
    return rows;
  }

  /** Runs `work` in one transaction: commits when it resolves, rolls back when it rejects. */
  async transaction<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    const effects = new Effects();
    let mayHaveCommitted = false;
    let result: Result;
    try {
      result = await this.#within('begin', async (session) => {
        const transaction: Transaction = {
          macOf: this.macOf,
          run: async (statement, values) => {
            const rows = await session.run(statement, values);
            effects.add(statement, rows);
            return rows;
          },
          copyOut: (text) => session.copyOut(text),
          afterCommit: (effect) => effects.afterCommit(effect),
        };
        const done = await work(transaction);
        // In the transaction, so that no death of this process comes between the change and its notification.
        if (effects.notifications.length > 0) await session.run(notifyAll, [effects.notifications]);
        mayHaveCommitted = true;
        await session.commit();
        return done;
      });
    } catch (error) {
      // Any other answer to the commit says that it was rolled back.
      mayHaveCommitted &&= error instanceof Refusal && error.type === 'database_unavailable';
      throw error;
    } finally {
      // Waking a worker and dropping a cached value are harmless, so they also follow a commit whose answer was lost.
      if (mayHaveCommitted) this.#publish(effects.topics, effects.invalidations);
    }
    effects.runAfterCommit();
    return result;
  }

  /** Runs `work`, which may only read, on a snapshot of the database taken at its first statement. */
  snapshot<Result>(work: (snapshot: Snapshot) => Promise<Result>): Promise<Result> {
    return this.#within(beginSnapshot, async (session) => {
      const result = await work(session);
      await session.commit();
      return result;
    });
  }

  /**
   * Runs `work` on the snapshot that another transaction has exported, while that one is open. Returns undefined if it
   * cannot be joined: because it has ended, or because this connection leads to another server.
   */
  async joinSnapshot<Result>(
    { id, identity }: ExportedSnapshot,
    work: (snapshot: Snapshot) => Promise<Result>,
  ): Promise<{ value: Result } | undefined> {
    if (!/^[0-9A-F-]+$/.test(id)) throw new Error(`No id of a snapshot: ${id}`);
    const session = await this.#openSession().catch(() => undefined);
    if (session === undefined) return undefined;
    try {
      // In one message: a pooler makes the session settings next, which would take a snapshot.
      const joined = await session.query(`${beginSnapshot}; set transaction snapshot '${id}'`).then(
        () => session.run(snapshotIdentity),
        () => [],
      );
      if (joined[0]?.identity !== identity) {
        await session.rollBack();
        return undefined;
      }
      const value = await work(session);
      await session.commit();
      return { value };
    } catch (error) {
      await session.rollBack();
      throw error;
    } finally {
      session.release();
    }
  }

  /**
   * As `snapshot`, when `isReady` says so, which may run statements on the same connection before; undefined if not.
   * For a standby: a transaction of its own, because the snapshot must be taken after what `isReady` has seen.
   */
  async snapshotWhen<Result>(
    isReady: (session: Queryable) => Promise<boolean>,
    work: (snapshot: Snapshot) => Promise<Result>,
  ): Promise<{ value: Result } | undefined> {
    this.#refuseEarly();
    const session = await this.#openSession();
    try {
      if (!(await isReady(session))) return undefined;
      await session.query(beginSnapshot);
      const value = await work(session);
      await session.commit();
      return { value };
    } catch (error) {
      await session.rollBack();
      throw error;
    } finally {
      session.release();
    }
  }

  /** All connections, idle ones, and requests that wait for one. */
  get load(): { total: number; idle: number; waiting: number } {
    return { total: this.#pool.totalCount, idle: this.#pool.idleCount, waiting: this.#pool.waitingCount };
  }

  /**
   * Closes the sockets of connections that are idle, in use or being opened, without notice to the server. Statements
   * in flight are refused as `away`, with an unknown outcome. Connections opened after `openedBeforeMs`
   * (performance.now()) are left alone.
   */
  discardConnections(reason: string, openedBeforeMs = Number.POSITIVE_INFINITY): void {
    for (const [socket, openedAtMs] of this.#sockets) {
      if (openedAtMs >= openedBeforeMs) continue;
      socket.destroy(discarded(reason));
    }
  }

  /** While suspended, statements are refused at once instead of waiting 3 s each for a connection. */
  suspend(why: Suspension | undefined): void {
    this.#suspended = why;
  }

  async close(): Promise<void> {
    clearInterval(this.#watch);
    await this.#pool.end();
  }

  /**
   * Counts checks instead of time, because after a stall of this process an answer may have arrived without being read.
   */
  #discardUnanswered(limitMs: number): void {
    for (const client of this.#clients) {
      if (client.countUnanswered() * checkEveryMs > limitMs)
        client.destroy(discarded('its statement was not answered.'));
    }
  }

  #newSocket(): Socket {
    const socket = new Socket();
    this.#sockets.set(socket, performance.now());
    socket.once('close', () => this.#sockets.delete(socket));
    // The driver handles errors only after it has begun to connect; a socket may be closed before that.
    socket.on('error', () => {});
    // For a request that was waiting in the pool when it was suspended. The driver must begin to connect before it can
    // fail.
    if (this.#suspended === 'silent') setImmediate(() => socket.destroy(discarded('the server is silent.')));
    return socket;
  }

  /** Runs `work` in a transaction that it commits itself. */
  async #within<Result>(begin: string, work: (session: Session) => Promise<Result>): Promise<Result> {
    this.#refuseEarly();
    const session = await this.#openSession();
    try {
      await session.query(begin);
      return await work(session);
    } catch (error) {
      await session.rollBack();
      throw error;
    } finally {
      session.release();
    }
  }

  async #openSession(): Promise<Session> {
    try {
      const client = await this.#pool.connect();
      return new Session(client, {
        answer: (query) => this.#answer(client, query),
        queryOf: (statement, values) => this.#queryOf(statement, values),
      });
    } catch (error) {
      throw refusalOfFailure(error) ?? error;
    }
  }

  /** Every statement is sent here. Rejects with the error of the driver. */
  async #answer(over: pg.Pool | pg.PoolClient, query: string | pg.QueryConfig): Promise<pg.QueryResult> {
    try {
      return await answered((done) => over.query(query as pg.QueryConfig, done));
    } catch (error) {
      if (isStatementLost(error)) this.#stopPreparing();
      if (isReadOnly(error)) this.#dropIdleConnections();
      if (failureOf(error) === 'full') this.#onFull();
      throw error;
    }
  }

  #publish(topics: readonly Topic[], invalidations: readonly Invalidation[]): void {
    if (topics.length > 0 || invalidations.length > 0) this.#onCommitted(topics, invalidations);
  }

  #queryOf({ name, text }: Statement<unknown>, values: readonly unknown[] = []): pg.QueryConfig {
    if (!this.#preparesStatements) return { text, values: values as unknown[] };
    const generation = this.#planGeneration();
    if (generation === 0) return { name, text, values: values as unknown[] };
    // The text changes too, because a pooler knows prepared statements by their text.
    return { name: `${name}/${generation}`, text: `${text} -- plans ${generation}`, values: values as unknown[] };
  }

  #stopPreparing(): void {
    if (this.#preparesStatements) this.#onUnprepared();
    this.#preparesStatements = false;
  }

  /** They lead to a server that no longer accepts writes; new connections find the one that does. */
  #dropIdleConnections(): void {
    for (let idle = this.#pool.idleCount; idle > 0; idle--) {
      this.#pool.connect().then(
        (client) => client.release(true),
        () => {},
      );
    }
  }

  /** Refuses immediately what would wait behind hundreds of other statements, or for a silent server. */
  #refuseEarly(): void {
    if (this.#suspended === 'silent') throw databaseUnavailable(new Error('The server is silent.'));
    if (this.#suspended === 'full') throw storageFull(new Error('The server does not run, and its disk is full.'));
    if (this.#pool.waitingCount < maximumWaiting) return;
    throw new Refusal('overloaded', rule('database_busy'), {
      retryAfterSeconds: 1,
    });
  }
}

/**
 * The answer to a statement, by a callback. With the driver's promise and its timeout for each query, everything that
 * later statements allocate survives until the next full collection once one has met a statement in flight: 1.6 KB for
 * each payment (bench/README.md).
 */
async function answered(
  send: (done: (error: Error | undefined, result: pg.QueryResult) => void) => void,
): Promise<pg.QueryResult> {
  try {
    return await new Promise((resolve, reject) => {
      send((error, result) => (error ? reject(error) : resolve(result)));
    });
  } catch (error) {
    Error.captureStackTrace(error as Error); // Leads to the caller instead of the socket.
    throw error;
  }
}

function discarded(reason: string): Error {
  return Object.assign(new Error(`The connection was given up: ${reason}`), { code: 'ECONNABORTED' });
}

/**
 * invalid_sql_statement_name, duplicate_prepared_statement: a pooler used another connection than the one on which the
 * statement was prepared. It was not executed.
 */
function isStatementLost(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: string };
  return code === '26000' || code === '42P05';
}

/** read_only_sql_transaction: nothing was written. */
const isReadOnly = (error: unknown) => (error as { code?: string } | undefined)?.code === '25006';
