import { type Clock, minuteMs, secondMs } from '../../../core/clock.ts';
import { platformTenant } from '../../../core/principal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { type Actor, appendAuditEntries, systemActor } from './append.ts';

/** A request that was refused for lack of permission, or a login that was refused. */
export interface RefusedRequest {
  action: 'access.refuse' | 'session.login_refused';
  /** In whose log it is recorded. */
  tenantId: number;
  actor: Actor;
  /** The type of the refusal. */
  type: string;
  /** Of the request, as declared: `POST /api/channel/modify`. */
  route: string;
}

export interface RefusedRequestsOptions {
  database: Queryable;
  clock: Clock;
  logError: (error: unknown, message: string) => void;
}

interface Counted {
  request: RefusedRequest;
  /** Since the last entry. */
  count: number;
  isNew: boolean;
}

const writeEveryMs = secondMs;
const windowMs = minuteMs;
/** Different callers in one minute, for each tenant and over all tenants. */
const maxPerTenant = 50;
const maxCallers = 200;

/**
 * Records refused requests, bounded: the first of a caller within about a second, further ones of the same minute together
 * in one entry with their `count`. A flood writes 200 entries a minute at most, and the rest as a number. Held in memory
 * until then, so a killed process loses up to a minute, and a database that is away loses what could not be written.
 */
export class RefusedRequests {
  readonly #options: RefusedRequestsOptions;
  readonly #window = new Map<string, Counted>();
  #windowStartedAtMs = 0;
  #uncounted = 0;
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
    else if (this.#isFull(tenantId)) this.#uncounted++;
    else this.#window.set(key, { request, count: 1, isNew: true });
    this.#timer ??= setTimeout(() => this.#tick(), writeEveryMs);
  }

  /** Writes what is held, and resolves when it is written or has failed. */
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

  /** What is new, or all of it when the window is over. */
  #write(isOver: boolean): void {
    const due = [...this.#window.values()].filter(({ count, isNew }) => count > 0 && (isNew || isOver));
    const entries = due.map(({ request, count }) => entryOf(request, count));
    for (const counted of due) {
      counted.count = 0;
      counted.isNew = false;
    }
    if (isOver && this.#uncounted > 0) {
      entries.push(entryOf(othersRefused, this.#uncounted));
      this.#uncounted = 0;
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
