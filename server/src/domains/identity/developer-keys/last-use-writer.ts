import type { Database } from '../../../platform/postgres/database.ts';
import { recordLastUses } from './statements.ts';

/**
 * Writes when keys were last used, without delaying the requests that used them. Uses recorded during a write go into the
 * next write. A failed write is not repeated: the next use of the key a minute later is recorded again.
 */
export class LastUseWriter {
  readonly #database: Database;
  readonly #onError: (error: unknown) => void;
  /** Time of the last use, by the id of the key. */
  #pending = new Map<number, number>();
  #writing: Promise<void> | undefined;

  constructor(database: Database, onError: (error: unknown) => void) {
    this.#database = database;
    this.#onError = onError;
  }

  record(keyId: number, atMs: number): void {
    this.#pending.set(keyId, atMs);
    this.#writing ??= this.#writePending();
  }

  /** Resolves when every recorded use has been written or its write has failed. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  async #writePending(): Promise<void> {
    while (this.#pending.size > 0) {
      const batch = this.#pending;
      this.#pending = new Map();
      try {
        const times = [...batch.values()].map((atMs) => new Date(atMs));
        await this.#database.run(recordLastUses, [[...batch.keys()], times]);
      } catch (error) {
        this.#onError(error);
      }
    }
    this.#writing = undefined;
  }
}
