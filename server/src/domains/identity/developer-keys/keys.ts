import { type Clock, minuteMs } from '../../../core/clock.ts';
import { Refusal } from '../../../core/errors.ts';
import type { Principal } from '../../../core/principal.ts';
import { scopesOfKey } from '../../../core/scopes.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import type { Notifications } from '../../../platform/postgres/notifications.ts';
import { ReadThroughCache } from '../../../platform/postgres/read-through-cache.ts';
import { principalsTopic } from '../tenants/notifications.ts';
import { principalOfUser } from '../users/rules.ts';
import { LastUse } from './last-use.ts';
import { fingerprintOf, looksLikeKey } from './rules.ts';
import { findLiveKey } from './statements.ts';

/** The topic on which every node hears that a key was revoked; its key is the fingerprint. */
export const keysTopic = 'keys';

export interface DeveloperKeysDeps {
  database: Database;
  notifications: Notifications;
  clock: Clock;
  /** Told when the time of a key's last use could not be written. */
  logError: (error: unknown, message: string) => void;
  /** Keys remembered at most. */
  remembered?: number;
}

interface LiveKey {
  id: number;
  principal: Principal;
  /** Infinity: never. */
  expiresAtMs: number;
  /** When its use was last noted. */
  notedAtMs: number;
}

/** Knows who is behind a developer key, from memory where it can: this stands before every payment. */
export class DeveloperKeys {
  readonly #clock: Clock;
  readonly #live: ReadThroughCache<string, LiveKey>;
  readonly #lastUse: LastUse;

  constructor({ database, notifications, clock, logError, remembered = 10_000 }: DeveloperKeysDeps) {
    this.#clock = clock;
    this.#live = new ReadThroughCache({ max: remembered, load: (fingerprint) => loadLiveKey(database, fingerprint) });
    this.#lastUse = new LastUse(database, (error) => logError(error, "Keys' last use could not be written."));
    notifications.on(keysTopic, {
      changed: (fingerprint) => this.#live.drop(fingerprint),
      disconnected: (disconnected) => {
        this.#live.disconnected = disconnected;
      },
    });
    notifications.on(principalsTopic, { changed: () => this.#live.clear() });
  }

  /** The caller behind a key; refuses with `credentials_invalid`. Does not ask the database for one it remembers. */
  async authenticateKey(key: string): Promise<Principal> {
    if (!looksLikeKey(key)) throw keyRefused();
    const fingerprint = fingerprintOf(key);
    const live = this.#live.peek(fingerprint) ?? (await this.#live.get(fingerprint));
    if (live === undefined) throw keyRefused();
    return this.#admit(live);
  }

  /** Resolves when the last uses noted so far have been written. */
  settled(): Promise<void> {
    return this.#lastUse.settled();
  }

  #admit(live: LiveKey): Principal {
    const nowMs = this.#clock();
    if (live.expiresAtMs <= nowMs) throw keyRefused();
    if (nowMs - live.notedAtMs >= minuteMs) {
      live.notedAtMs = nowMs;
      this.#lastUse.note(live.id, nowMs);
    }
    return live.principal;
  }
}

function keyRefused(): Refusal {
  return new Refusal('credentials_invalid', 'The key is not known, was revoked, or has expired.');
}

async function loadLiveKey(database: Database, fingerprint: string): Promise<LiveKey | undefined> {
  const [row] = await database.run(findLiveKey, [Buffer.from(fingerprint, 'base64')]);
  if (row === undefined) return undefined;
  const owner = principalOfUser(row);
  return {
    id: row.key_id,
    principal: { by: 'key', keyId: row.key_id, ...owner, scopes: scopesOfKey(row.scope, owner.scopes) },
    expiresAtMs: row.expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(row.expires_at),
    notedAtMs: row.last_used_at === null ? Number.NEGATIVE_INFINITY : Date.parse(row.last_used_at),
  };
}
