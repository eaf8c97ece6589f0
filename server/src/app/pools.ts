import type { Key } from '../platform/crypto/keyring.ts';
import { macOf } from '../platform/crypto/mac.ts';
import type { Metrics } from '../platform/metrics/metrics.ts';
import type { ConnectionConfig } from '../platform/postgres/connection/connection-url.ts';
import type { Plans } from '../platform/postgres/connection/session-settings.ts';
import { Database, type DatabaseOptions } from '../platform/postgres/database.ts';
import type { Log } from '../platform/process/log.ts';

export interface PoolsOptions extends Required<Pick<DatabaseOptions, 'onFull' | 'onCommitted' | 'planGeneration'>> {
  connection: ConnectionConfig;
  log: Log;
}

/** The pools of connections that a node has to its database. */
export class Pools {
  readonly #options: PoolsOptions;
  readonly #pools = new Map<string, Database>();
  #eventKey: Key | undefined;

  constructor(options: PoolsOptions) {
    this.#options = options;
  }

  get byName(): ReadonlyMap<string, Database> {
    return this.#pools;
  }

  /** Opens a pool of up to so many connections, with plans that are made for each execution unless `plans` says so. */
  open(name: string, connections: number, plans: Plans = 'fresh'): Database {
    const { connection, log, onFull, onCommitted, planGeneration } = this.#options;
    const database = new Database({
      connection,
      connections,
      name,
      plans,
      macOf: (text) => (this.#eventKey === undefined ? undefined : macOf(text, this.#eventKey)),
      onFull,
      onCommitted,
      ...(plans === 'indexed-kept' && { planGeneration }),
      onIdleError: (error) => log.warn({ error, pool: name }, 'A database connection was lost'),
      onUnprepared: () =>
        log.warn(
          { pool: name },
          'A pooler does not keep prepared statements; each execution is parsed again, which is slower',
        ),
    });
    this.#pools.set(name, database);
    return database;
  }

  /** Sets the key of event digests, which is known once the database is open. */
  useEventKey(key: Key): void {
    this.#eventKey = key;
  }

  addMetrics(metrics: Metrics): void {
    metrics.gauge(
      'florin_database_connections',
      'Connections to PostgreSQL by pool and state; `waiting` counts requests that wait for one.',
      async (gauge) => {
        for (const [pool, { load }] of this.#pools) {
          gauge.set({ pool, state: 'used' }, load.total - load.idle);
          gauge.set({ pool, state: 'idle' }, load.idle);
          gauge.set({ pool, state: 'waiting' }, load.waiting);
        }
      },
      ['pool', 'state'],
    );
  }

  async close(): Promise<void> {
    await Promise.all([...this.#pools.values()].map((database) => database.close()));
  }
}
