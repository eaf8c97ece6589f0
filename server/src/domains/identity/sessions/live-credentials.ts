import { minuteMs } from '../../../core/clock.ts';
import type { Principal } from '../../../core/principal.ts';
import type { Caches } from '../../../platform/postgres/caches.ts';
import type { ReadThroughCache } from '../../../platform/postgres/read-through-cache.ts';
import type { CacheName } from '../../../platform/postgres/statement.ts';
import { WriteBehind } from '../../../platform/postgres/write-behind.ts';
import { principals } from '../tenants/statements.ts';

/** A key or a session that authenticates its owner. */
export interface LiveCredential<Id> {
  id: Id;
  principal: Principal;
  /** Infinity: never. */
  expiresAtMs: number;
  /** The last use that was recorded; -Infinity: none. */
  lastUseRecordedAtMs: number;
}

export interface LiveCredentialsOptions<Id, Credential> {
  /** The records that are cached. */
  name: CacheName;
  caches: Pick<Caches, 'readThrough'>;
  /** Reads a credential that is live; undefined: there is none. */
  load: (key: string) => Promise<Credential | undefined>;
  /** Takes one array for each column. */
  recordUses: (ids: Id[], times: Date[], addresses: string[]) => Promise<unknown>;
  onUsesLost: (error: unknown) => void;
}

interface Use<Id> {
  id: Id;
  at: Date;
  address: string;
}

const maxCached = 10_000;

/**
 * Live credentials, cached until they or their owner change, and when they were used. Last uses are written at most
 * once a minute, without delaying the request. A failed write is not repeated: the next use after a minute is recorded
 * again.
 */
export class LiveCredentials<Id extends number | string, Credential extends LiveCredential<Id>> {
  readonly #cached: ReadThroughCache<string, Credential>;
  readonly #uses: WriteBehind<Use<Id>>;

  constructor({ name, caches, load, recordUses, onUsesLost }: LiveCredentialsOptions<Id, Credential>) {
    this.#cached = caches.readThrough(name, { parseKey: String, max: maxCached, load, clearedBy: principals });
    this.#uses = new WriteBehind({
      write: (uses) =>
        recordUses(
          uses.map(({ id }) => id),
          uses.map(({ at }) => at),
          uses.map(({ address }) => address),
        ),
      onLost: onUsesLost,
    });
  }

  /** A credential that is cached, synchronously: every payment passes here. */
  peek(key: string): Credential | undefined {
    return this.#cached.peek(key);
  }

  /** Queries the database only for a credential that is not cached. */
  find(key: string): Promise<Credential | undefined> {
    return this.#cached.get(key);
  }

  /** Queries the database in any case. */
  findAgain(key: string): Promise<Credential | undefined> {
    this.#cached.drop(key);
    return this.#cached.get(key);
  }

  recordUse(credential: Credential, nowMs: number, address: string): void {
    if (nowMs - credential.lastUseRecordedAtMs < minuteMs) return;
    credential.lastUseRecordedAtMs = nowMs;
    this.#uses.add({ id: credential.id, at: new Date(nowMs), address }, credential.id);
  }

  /** Resolves when the last uses recorded so far have been written. */
  settled(): Promise<void> {
    return this.#uses.flush();
  }
}
