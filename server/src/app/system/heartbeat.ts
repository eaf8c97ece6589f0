import { hash } from 'node:crypto';
import { hostname } from 'node:os';
import { secondMs } from '../../core/clock.ts';
import type { GenerateUuid } from '../../core/id.ts';
import type { Keyring } from '../../platform/crypto/keyring.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import type { DatabaseClock } from '../../platform/postgres/database-clock.ts';
import { type DiskSpace, diskSpaceAt } from '../../platform/process/disk-space.ts';
import { version } from '../cli/version.ts';
import { beat, removeNode, removeNodes } from './node-statements.ts';

const beatEveryMs = 10 * secondMs;

export interface HeartbeatOptions {
  database: Queryable;
  generateUuid: GenerateUuid;
  databaseClock: Pick<DatabaseClock, 'aheadMs'> | undefined;
  /** Whether no other node can use the database: whatever is noted there is of earlier starts. */
  isOursAlone: boolean;
  port: number;
  role: string;
  processes: number;
  /** The newest migration of this version. */
  migration: string;
  keyDigest: string;
  dataDir: string;
  beatEveryMs?: number;
}

/**
 * Notes in the database that this node runs, every ten seconds, for the console, the metrics and `florin doctor`. A
 * failure is not reported: the primary monitor says that the database is unavailable, and other nodes list this one as
 * gone.
 */
export class Heartbeat {
  readonly #options: HeartbeatOptions;
  readonly #id: string;
  #timer: NodeJS.Timeout | undefined;
  #beating: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
    this.#id = options.generateUuid();
  }

  /** Resolves after the first beat, also if it failed. */
  async start(): Promise<void> {
    const { database, isOursAlone } = this.#options;
    if (isOursAlone) await database.run(removeNodes).catch(() => {});
    this.#beatOn();
    await this.#beating;
  }

  /** Other nodes do not see this one as gone. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#beating;
    // If the database is unavailable, the row ends as that of a node that was killed.
    await this.#options.database.run(removeNode, [this.#id]).catch(() => {});
  }

  #beatOn(): void {
    this.#beating = this.#beat()
      .catch(() => {})
      .then(() => {
        if (this.#isStopped) return;
        this.#timer = setTimeout(() => this.#beatOn(), this.#options.beatEveryMs ?? beatEveryMs).unref();
      });
  }

  async #beat(): Promise<void> {
    const { database, databaseClock, port, role, processes, migration, keyDigest, dataDir } = this.#options;
    const disk: Partial<DiskSpace> = await diskSpaceAt(dataDir).catch(() => ({}));
    await database.run(beat, [
      this.#id,
      hostname(),
      port,
      role,
      processes,
      version,
      process.version,
      migration,
      keyDigest,
      databaseClock?.aheadMs ?? null,
      disk.free ?? null,
      disk.total ?? null,
    ]);
  }
}

/** The same for nodes with the same keys. It tells nothing of the keys, which are random and of 256 bits. */
export function keyDigestOf(...keyrings: readonly Pick<Keyring, 'toText'>[]): string {
  return hash('sha256', keyrings.map((keyring) => keyring.toText()).join('\n')).slice(0, 16);
}
