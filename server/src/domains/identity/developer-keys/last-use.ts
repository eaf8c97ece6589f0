import type { Database } from '../../../platform/postgres/database.ts';
import { noteLastUse } from './statements.ts';

/**
 * Writes down when keys were last used, behind the requests that used them: what is noted while a write is under way
 * goes with the next one. A note that cannot be written is lost; the key's next use a minute later makes another.
 */
export class LastUse {
  readonly #database: Database;
  readonly #onFailure: (error: unknown) => void;
  #noted = new Map<number, number>();
  #writing: Promise<void> | undefined;

  constructor(database: Database, onFailure: (error: unknown) => void) {
    this.#database = database;
    this.#onFailure = onFailure;
  }

  note(keyId: number, atMs: number): void {
    this.#noted.set(keyId, atMs);
    this.#writing ??= this.#write();
  }

  /** Resolves when everything noted has been written or given up. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  async #write(): Promise<void> {
    while (this.#noted.size > 0) {
      const noted = this.#noted;
      this.#noted = new Map();
      try {
        const times = [...noted.values()].map((atMs) => new Date(atMs));
        await this.#database.run(noteLastUse, [[...noted.keys()], times]);
      } catch (error) {
        this.#onFailure(error);
      }
    }
    this.#writing = undefined;
  }
}
