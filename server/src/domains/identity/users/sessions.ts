import type { Clock } from '../../../core/clock.ts';
import { Refusal } from '../../../core/errors.ts';
import type { Principal } from '../../../core/principal.ts';
import type { Tokens } from '../../../platform/crypto/tokens.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import type { Notifications } from '../../../platform/postgres/notifications.ts';
import { ReadThroughCache } from '../../../platform/postgres/read-through-cache.ts';
import { principalsTopic } from '../tenants/notifications.ts';
import { principalOfUser } from './rules.ts';
import { findLiveSession } from './statements.ts';

/** The topic on which every node hears that a session ended; its key is the session's id. */
export const sessionsTopic = 'sessions';

export interface SessionsDeps {
  database: Database;
  notifications: Notifications;
  tokens: Tokens;
  clock: Clock;
  /** Sessions remembered at most. */
  remembered?: number;
}

interface LiveSession {
  principal: Principal;
  expiresAtMs: number;
}

/**
 * Knows who is behind an access token, from memory where it can. The claims in the token are for its readers: what a
 * user may do is what stands in the database, so that a changed role or an ended session counts on the next request.
 */
export class Sessions {
  readonly #tokens: Tokens;
  readonly #clock: Clock;
  readonly #live: ReadThroughCache<string, LiveSession>;

  constructor({ database, notifications, tokens, clock, remembered = 10_000 }: SessionsDeps) {
    this.#tokens = tokens;
    this.#clock = clock;
    this.#live = new ReadThroughCache({ max: remembered, load: (id) => loadLiveSession(database, id) });
    notifications.on(sessionsTopic, {
      changed: (id) => this.#live.drop(id),
      disconnected: (disconnected) => {
        this.#live.disconnected = disconnected;
      },
    });
    notifications.on(principalsTopic, { changed: () => this.#live.clear() });
  }

  /** The caller behind a Bearer token; refuses with `credentials_invalid`. Does not ask the database for one it remembers. */
  async authenticateBearer(token: string): Promise<Principal> {
    const { sessionId } = await this.#tokens.verify('access', token);
    return this.#admit(this.#live.peek(sessionId) ?? (await this.#live.get(sessionId)));
  }

  #admit(live: LiveSession | undefined): Principal {
    if (live === undefined || live.expiresAtMs <= this.#clock()) throw sessionEnded();
    return live.principal;
  }
}

export function sessionEnded(): Refusal {
  return new Refusal('credentials_invalid', 'The session has ended. Log in again.');
}

async function loadLiveSession(database: Database, sessionId: string): Promise<LiveSession | undefined> {
  const [row] = await database.run(findLiveSession, [sessionId]);
  if (row === undefined) return undefined;
  return {
    principal: { by: 'session', sessionId, ...principalOfUser(row) },
    expiresAtMs: Date.parse(row.expires_at),
  };
}
