import { type Clock, minuteMs, secondMs } from '../../../core/clock.ts';
import { platformTenant } from '../../../core/principal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { type Actor, appendAuditEntries, systemActor } from './append.ts';

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
  clock: Clock;
  logError: (error: unknown, message: string) => void;
}

interface CallerCount {
  request: RefusedRequest;
  /** Since the last entry. */
  count: number;
  isNew: boolean;
}

const writeEveryMs = secondMs;
const windowMs = minuteMs;
/** Different callers in one minute, per tenant and over all tenants. */
const maxPerTenant = 50;
const maxCallers = 200;

/**
 * Records refused requests at a bounded rate. The first request of a caller is written within about a second, and further ones
 * of the same minute as one entry with their `count`. A flood writes at most 200 entries a minute, and one that counts the
 * other requests. Entries are held in memory until then: a killed process loses up to a minute of them, and entries that
 * cannot be written because the database is unavailable are lost.
 */
export class RefusedRequests {
  readonly #options: RefusedRequestsOptions;
  readonly #window = new Map<string, CallerCount>();
  #windowStartedAtMs = 0;
  #othersCount = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: RefusedRequestsOptions) {
    this.#options = options;
  }

  /** Returns at once. */
  record(request: RefusedRequest): void {
    if (this.#window.size === 0) this.#windowStartedAtMs = this.#options.clock();
    const { actor, action, type, tenantId } = request;
    const key = JSON.stringify([tenantId, actor.userId, actor.keyId, actor.address, action, type]);
    const counted = this.#window.get(key);
    if (counted !== undefined) counted.count++;
    else if (this.#isFull(tenantId)) this.#othersCount++;
    else this.#window.set(key, { request, count: 1, isNew: true });
    this.#timer ??= setTimeout(() => this.#tick(), writeEveryMs);
  }

  /** Writes the held entries, and resolves when they are written or the write has failed. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#write(true);
    this.#window.clear();
    await this.#writing;
  }

  #isFull(tenantId: number): boolean {
    if (this.#window.size >= maxCallers) return true;
    let ofTenant = 0;
    for (const { request } of this.#window.values()) if (request.tenantId === tenantId) ofTenant++;
    return ofTenant >= maxPerTenant;
  }

  #tick(): void {
    this.#timer = undefined;
    const age = this.#options.clock() - this.#windowStartedAtMs;
    const isOver = age >= windowMs || age < 0;
    this.#write(isOver);
    if (isOver) this.#window.clear();
    if (this.#window.size > 0) this.#timer = setTimeout(() => this.#tick(), writeEveryMs);
  }

  /** Writes the new entries, or all of them when the window is over. */
  #write(isOver: boolean): void {
    const due = [...this.#window.values()].filter(({ count, isNew }) => count > 0 && (isNew || isOver));
    const entries = due.map(({ request, count }) => entryOf(request, count));
    for (const counted of due) {
      counted.count = 0;
      counted.isNew = false;
    }
    if (isOver && this.#othersCount > 0) {
      entries.push(entryOf(othersRefused, this.#othersCount));
      this.#othersCount = 0;
    }
    if (entries.length === 0) return;
    this.#writing = this.#writing
      .then(() => appendAuditEntries(this.#options.database, entries))
      .catch((error) => this.#options.logError(error, 'Refused requests could not be written to the audit log'));
  }
}

const othersRefused: RefusedRequest = {
  action: 'access.refuse',
  tenantId: platformTenant,
  actor: systemActor,
  type: 'more_callers',
  route: 'any',
};

function entryOf({ action, tenantId, actor, type, route }: RefusedRequest, count: number) {
  return [actor, { action, tenantId, details: { type, route, count } }] as const;
}
