import { minuteMs, secondMs } from '../../../core/clock.ts';
import { platformTenant } from '../../../core/principal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { WriteBehind } from '../../../platform/postgres/write-behind.ts';
import { type Actor, type AuditedChange, appendAuditEntries, systemActor } from './append.ts';

/** A request that was refused for lack of permission, or a login that was refused. */
export interface RefusedRequest {
  action: 'access.refuse' | 'session.login_refused';
  /** The tenant in whose log it is recorded. */
  tenantId: number;
  actor: Actor;
  /** The type of the refusal. */
  type: string;
  /** As declared: `POST /api/channel/modify`. */
  route: string;
}

interface RefusedRequestsOptions {
  database: Queryable;
  logError: (error: unknown, message: string) => void;
}

interface CallerCount {
  request: RefusedRequest;
  /** Since the last entry. */
  count: number;
}

const writeAfterMs = secondMs;
const windowMs = minuteMs;
/** Different callers in one minute, per tenant and over all tenants. */
const maxPerTenant = 50;
const maxCallers = 200;

const othersRefused: RefusedRequest = {
  action: 'access.refuse',
  tenantId: platformTenant,
  actor: systemActor,
  type: 'more_callers',
  route: 'any',
};

/**
 * Records refused requests at a bounded rate. The first request of a caller is written within about a second, and
 * further ones of the same minute as one entry with their `count`. A flood writes at most 200 entries a minute, and one
 * that counts the other requests. Entries are held in memory until then: a killed process loses up to a minute of them,
 * and entries that cannot be written because the database is unavailable are lost.
 */
export class RefusedRequests {
  readonly #entries: WriteBehind<CallerCount>;
  /** The callers of this minute. */
  readonly #callers = new Map<string, CallerCount>();
  #others: CallerCount = { request: othersRefused, count: 0 };
  #minute: NodeJS.Timeout | undefined;

  constructor({ database, logError }: RefusedRequestsOptions) {
    this.#entries = new WriteBehind({
      write: (batch) => appendAuditEntries(database, batch.map(takeEntry)),
      delayMs: writeAfterMs,
      onLost: (error) => logError(error, 'Refused requests could not be written to the audit log'),
    });
  }

  /** Returns at once. */
  record(request: RefusedRequest): void {
    this.#minute ??= setTimeout(() => this.#endMinute(), windowMs).unref();
    const { actor, action, type, tenantId } = request;
    const key = JSON.stringify([tenantId, actor.userId, actor.keyId, actor.address, action, type]);
    const counted = this.#callers.get(key);
    if (counted !== undefined) counted.count++;
    else if (this.#isFull(tenantId)) this.#others.count++;
    else {
      const first = { request, count: 1 };
      this.#callers.set(key, first);
      this.#entries.add(first);
    }
  }

  /** Writes the held entries, and resolves when they are written or the write has failed. */
  async stop(): Promise<void> {
    this.#endMinute();
    await this.#entries.flush();
  }

  #isFull(tenantId: number): boolean {
    if (this.#callers.size >= maxCallers) return true;
    let ofTenant = 0;
    for (const { request } of this.#callers.values()) if (request.tenantId === tenantId) ofTenant++;
    return ofTenant >= maxPerTenant;
  }

  /** Counts that wait to be written stay one entry. */
  #endMinute(): void {
    clearTimeout(this.#minute);
    this.#minute = undefined;
    for (const counted of [...this.#callers.values(), this.#others]) if (counted.count > 0) this.#entries.add(counted);
    this.#callers.clear();
    this.#others = { request: othersRefused, count: 0 };
  }
}

/** The entry with the requests counted so far. Further ones are counted for the next entry. */
function takeEntry(counted: CallerCount): readonly [Actor, AuditedChange] {
  const { action, tenantId, actor, type, route } = counted.request;
  const { count } = counted;
  counted.count = 0;
  return [actor, { action, tenantId, details: { type, route, count } }];
}
