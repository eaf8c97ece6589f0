import { Socket } from 'node:net';
import pg from 'pg';
import { Refusal } from '../../core/errors.ts';
import { type ConnectionConfig, SessionClient } from './connection.ts';
import { databaseAway, failureOf, refusalOfFailure } from './failures.ts';
import { type Statement, topicsOf } from './statement.ts';
import type { Topic } from './topics.ts';

/** Anything that can run a statement: the database itself, or one transaction on it. */
export interface Queryable {
  run<Row>(statement: Statement<Row>, values?: readonly unknown[]): Promise<Row[]>;
}

/**
 * - `fresh`: each execution is planned with the tables as large as they are at the moment. A plan kept from when a table
 *   was empty reads all of it when it is full.
 * - `indexed`: the same, and rows are found by index, in its order. Until a table has been analysed for the first time
 *   PostgreSQL guesses: to claim 200 deliveries of 100,000 it sorted them all, in 55 ms instead of 2.
 * - `batched`: `indexed`, for statements that put rows they have written beside the values they were given: those may be
 *   joined by hash. Pair by pair that took 25 ms for 500 payments.
 * - `kept`: planned once, for a statement whose plan no table's size can spoil.
 * - `watching`: planned once, for one that is asked all the time and is always to be answered by index.
 */
export type Plans = 'fresh' | 'indexed' | 'batched' | 'kept' | 'watching';

const fresh = '-c plan_cache_mode=force_custom_plan';
const without = (...ways: string[]) => ways.map((way) => `-c enable_${way}=off`).join(' ');
const planning: Record<Plans, string> = {
  fresh,
  indexed: `${fresh} ${without('seqscan', 'bitmapscan', 'sort', 'hashjoin', 'mergejoin')}`,
  batched: `${fresh} ${without('seqscan', 'bitmapscan', 'sort', 'mergejoin')}`,
  kept: '-c plan_cache_mode=auto',
  watching: `-c plan_cache_mode=force_generic_plan ${without('seqscan', 'bitmapscan', 'sort', 'hashjoin', 'mergejoin')}`,
};

export interface DatabaseOptions {
  connection: ConnectionConfig;
  /** Connections at most. One kept for a batch writer keeps its statements prepared and its batches in order. */
  connections: number;
  /** Seen in pg_stat_activity. */
  name: string;
  /** How long a statement may take, in ms, before PostgreSQL ends it. */
  statementTimeoutMs?: number;
  /** How its statements are planned (docs/decisions, Query plans). `fresh` unless said otherwise. */
  plans?: Plans;
  /** A connection that broke while idle: worth a line in the log, never a crash. */
  onIdleError?: (error: Error) => void;
  /** Told after a commit which work its statements have made due (`statement(…, { wakes })`). Must not throw. */
  onCommitted?: (topics: readonly Topic[]) => void;
  /** A pooler does not keep prepared statements: told once. */
  onUnprepared?: () => void;
}

/** Requests waiting for a connection at most. */
const maximumWaiting = 500;

/**
 * A pool of connections to one PostgreSQL. Every failure that is the database's own comes out as a refusal that the
 * caller can be shown (503 with Retry-After); a violated constraint comes out as the driver's error.
 */
export class Database implements Queryable {
  readonly #pool: pg.Pool;
  readonly #onCommitted: (topics: readonly Topic[]) => void;
  /** At most. */
  readonly connections: number;
  /** Of every connection, those being opened too, with when it was begun (performance.now()). */
  readonly #sockets = new Map<Socket, number>();
  #suspended = false;
  /** Until a pooler turns out not to keep them: then each execution is parsed anew. */
  #preparesStatements = true;
  readonly #onUnprepared: () => void;

  constructor({
    connection,
    connections,
    name,
    statementTimeoutMs = 10_000,
    plans = 'fresh',
    onIdleError = () => {},
    onCommitted = () => {},
    onUnprepared = () => {},
  }: DatabaseOptions) {
    this.#onCommitted = onCommitted;
    this.connections = connections;
    this.#onUnprepared = onUnprepared;
    this.#pool = new pg.Pool({
      ...connection,
      ...sessionSettings(name, statementTimeoutMs, plans),
      Client: SessionClient,
      max: connections,
      connectionTimeoutMillis: 3_000,
      // A server that has fallen silent ends no statement by itself; the connection is given up a little later.
      query_timeout: statementTimeoutMs + 2_000,
      idleTimeoutMillis: 60_000,
      stream: () => this.#newSocket(),
    });
    this.#pool.on('error', (error) => {
      if (!this.#pool.ending) onIdleError(error);
    });
  }

  async run<Row>(statement: Statement<Row>, values: readonly unknown[] = []): Promise<Row[]> {
    this.#refuseEarly();
    const { name, text } = statement;
    const wasNamed = this.#preparesStatements;
    let rows: Row[];
    try {
      rows = (await this.#pool.query(this.#queryOf(name, text, values))).rows as Row[];
    } catch (error) {
      if (isStatementLost(error)) {
        this.#stopPreparing();
        if (wasNamed) return this.run(statement, values);
      }
      if (isReadOnly(error)) this.#dropIdleConnections();
      throw refusalOfFailure(error) ?? error;
    }
    if (statement.wakes !== undefined) this.#publish(topicsOf(statement, rows));
    return rows;
  }

  /** Runs `work` in one transaction: committed when it returns, rolled back when it throws. */
  transaction<Result>(work: (transaction: Queryable) => Promise<Result>): Promise<Result> {
    return this.#within('begin', work);
  }

  /** Runs `work`, which only reads, on the database as it stands at its first statement, whatever is written meanwhile. */
  snapshot<Result>(work: (moment: Queryable) => Promise<Result>): Promise<Result> {
    return this.#within('begin isolation level repeatable read read only', work);
  }

  /** Connections in use, idle, and requests waiting for one. */
  get load(): { total: number; idle: number; waiting: number } {
    return { total: this.#pool.totalCount, idle: this.#pool.idleCount, waiting: this.#pool.waitingCount };
  }

  /**
   * Gives up connections without a word to the server, whether idle, in use or still being opened: what they were asked is
   * refused as `away`, its outcome unknown. `begunBefore` (performance.now()) spares those opened since.
   */
  discardConnections(reason: string, begunBefore = Number.POSITIVE_INFINITY): void {
    for (const [socket, begunAt] of this.#sockets) {
      if (begunAt >= begunBefore) continue;
      socket.destroy(givenUp(reason));
    }
  }

  /** While suspended, statements are refused at once: each would wait 3 s for a connection to a server that is silent. */
  suspend(suspended: boolean): void {
    this.#suspended = suspended;
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  #newSocket(): Socket {
    const socket = new Socket();
    this.#sockets.set(socket, performance.now());
    socket.once('close', () => this.#sockets.delete(socket));
    // The driver listens once it connects; a socket given up before that has nobody else to tell.
    socket.on('error', () => {});
    // For a request that was waiting in the pool when it was suspended. The driver has to begin before it can fail.
    if (this.#suspended) setImmediate(() => socket.destroy(givenUp('the server is silent.')));
    return socket;
  }

  async #within<Result>(begin: string, work: (transaction: Queryable) => Promise<Result>): Promise<Result> {
    this.#refuseEarly();
    let client: pg.PoolClient;
    try {
      client = await this.#pool.connect();
    } catch (error) {
      throw refusalOfFailure(error) ?? error;
    }
    let broken: Error | undefined;
    // A connection may break between two statements, when nobody waits for it: heard by no one, that would end the process.
    const onBroken = (error: Error) => {
      broken = error;
    };
    client.on('error', onBroken);
    const due = new Set<Topic>();
    let result: Result;
    try {
      // Translated where they are thrown: what `work` throws by itself is not the database's failure.
      const query = async (statement: string | pg.QueryConfig) => {
        try {
          return await client.query(statement);
        } catch (error) {
          if (failureOf(error) === 'away') broken ??= error as Error;
          if (isStatementLost(error)) this.#stopPreparing();
          if (isReadOnly(error)) this.#dropIdleConnections();
          throw refusalOfFailure(error) ?? error;
        }
      };
      await query(begin);
      result = await work({
        run: async <Row>(statement: Statement<Row>, values: readonly unknown[] = []): Promise<Row[]> => {
          const { name, text } = statement;
          const { rows } = await query(this.#queryOf(name, text, values));
          for (const topic of topicsOf(statement, rows)) due.add(topic);
          return rows;
        },
      });
      const { command } = await query('commit');
      // COMMIT of an aborted transaction "succeeds" with the tag ROLLBACK: nothing was written, so nothing is acknowledged.
      if (command !== 'COMMIT') throw new Error('The transaction was rolled back at commit.');
    } catch (error) {
      // A rollback on a connection that has failed would wait behind the statement that got no answer.
      if (broken === undefined) {
        await client.query('rollback').catch((rollbackError: Error) => {
          broken = rollbackError;
        });
      }
      throw error;
    } finally {
      client.release(broken);
      client.off('error', onBroken);
    }
    this.#publish([...due]);
    return result;
  }

  #publish(topics: readonly Topic[]): void {
    if (topics.length > 0) this.#onCommitted(topics);
  }

  #queryOf(name: string, text: string, values: readonly unknown[]): pg.QueryConfig {
    return { ...(this.#preparesStatements && { name }), text, values: values as unknown[] };
  }

  #stopPreparing(): void {
    if (this.#preparesStatements) this.#onUnprepared();
    this.#preparesStatements = false;
  }

  /** They lead to a server that no longer takes writes; new connections look for the one that does. */
  #dropIdleConnections(): void {
    for (let idle = this.#pool.idleCount; idle > 0; idle--) {
      this.#pool.connect().then(
        (client) => client.release(true),
        () => {},
      );
    }
  }

  /** A request that would wait in vain, or behind hundreds of others, is better refused at once. */
  #refuseEarly(): void {
    if (this.#suspended) throw databaseAway(new Error('The server is silent.'));
    if (this.#pool.waitingCount < maximumWaiting) return;
    throw new Refusal(
      'overloaded',
      'More requests are waiting for the database than it can serve. Try again shortly.',
      {
        retryAfterSeconds: 1,
      },
    );
  }
}

function givenUp(reason: string): Error {
  return Object.assign(new Error(`The connection was given up: ${reason}`), { code: 'ECONNABORTED' });
}

/**
 * invalid_sql_statement_name, duplicate_prepared_statement: a pooler handed out another connection than the one that
 * knows the statement. It was not executed.
 */
function isStatementLost(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: string };
  return code === '26000' || code === '42P05';
}

/** read_only_sql_transaction: nothing was written. */
const isReadOnly = (error: unknown) => (error as { code?: string } | undefined)?.code === '25006';

/**
 * What every connection of ours is opened with, whoever opens it. PostgreSQL compiles statements by default, going by what it
 * thinks they will cost: looks at the queue that take 4 ms then took 350, most of all in a database with no statistics yet.
 */
export function sessionSettings(name: string, statementTimeoutMs: number, plans: Plans = 'fresh'): pg.ClientConfig {
  return {
    application_name: `florin ${name}`,
    options: `-c timezone=UTC -c jit=off -c statement_timeout=${statementTimeoutMs} -c idle_in_transaction_session_timeout=30000 ${planning[plans]}`,
    keepAlive: true,
    types: { getTypeParser: parserOfType as typeof pg.types.getTypeParser },
  };
}

const int8 = 20;
const int8Array = 1016;
const timestamptz = 1184;
const date = 1082;

function parserOfType(oid: number, format?: 'text' | 'binary'): (text: string) => unknown {
  if (format === 'binary') return pg.types.getTypeParser(oid, 'binary') as (text: string) => unknown;
  if (oid === int8) return Number; // Every bigint of ours is at most 2^53 − 1; sums are numeric, which stay text.
  if (oid === int8Array) return numbersOfArray;
  if (oid === timestamptz) return isoTime;
  if (oid === date) return String;
  return pg.types.getTypeParser(oid, 'text') as (text: string) => unknown;
}

function numbersOfArray(text: string): number[] {
  return text === '{}' ? [] : text.slice(1, -1).split(',').map(Number);
}

/** `2026-01-31 09:30:00.5+00` as the interface writes times: `2026-01-31T09:30:00.500Z`. */
function isoTime(text: string): string {
  const fraction = text.length > 22 ? text.slice(20, -3) : '';
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.slice(0, 3).padEnd(3, '0')}Z`;
}
