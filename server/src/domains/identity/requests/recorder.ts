import type { IncomingHttpHeaders } from 'node:http';
import { minuteMs, secondMs } from '../../../core/clock.ts';
import type { Refusal } from '../../../core/errors.ts';
import type { GenerateUuid } from '../../../core/id.ts';
import { modeName } from '../../../core/livemode.ts';
import type { Principal } from '../../../core/principal.ts';
import { withoutSecrets } from '../../../core/without-secrets.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { WriteBehind } from '../../../platform/postgres/write-behind.ts';
import { OwnedKeyRefusal } from '../developer-keys/key-authenticator.ts';
import { insertRequests, type LoggedRequest, loggedRequests } from './statements.ts';

/** Which requests are recorded: `writes` are those that change something, and all refused ones. */
export const recordedRequests = ['all', 'writes', 'refused', 'none'] as const;

/** A request that was answered. */
export interface AnsweredRequest {
  principal: Principal | undefined;
  method: string;
  path: string;
  status: number;
  durationMs: number;
  requestId: string;
  /** The caller's address. */
  address: string;
  /** The headers of the request. */
  headers: IncomingHttpHeaders;
  /** The mode that the answer named: `live` or `test`. */
  mode: string | undefined;
  refusal: Refusal | undefined;
}

export interface RequestRecorderOptions {
  database: Queryable;
  generateUuid: GenerateUuid;
  recorded: (typeof recordedRequests)[number];
  /** Called with the number of requests that are not recorded, because there are too many or a write failed. */
  onDropped: (count: number) => void;
  logError: (error: unknown, message: string) => void;
}

const writeEveryMs = secondMs;
/**
 * Requests recorded per second: per tenant, separately for those that succeeded and those that were refused, and in
 * total. A row costs 8 µs of processor time and a create 150 to 200 µs: recording every create would take 4 % of their
 * speed. A request over the limit costs 0.1 µs.
 */
const maxPerTenant = 100;
const maxOfAllTenants = 1_000;
/**
 * Refused sign-ins that are recorded of one key in a minute. A program that has not noticed that its key was revoked
 * would otherwise fill the log of the tenant.
 */
const maxSignInsPerKey = 10;
/** About 5 MB, while the database does not answer. */
const maxWaiting = 10 * maxOfAllTenants;

const maxMessage = 500;
const maxUserAgent = 200;
const maxIdempotencyKey = 255;

/**
 * Writes answered requests in batches, once a second, so that no request waits for the log. Requests over the limits
 * above are dropped and counted; so is a batch whose write fails. A killed process loses up to a second of requests.
 */
export class RequestRecorder {
  readonly #options: RequestRecorderOptions;
  readonly #entries: WriteBehind<LoggedRequest>;
  /** Counts of the current second, by tenant. */
  readonly #counts = new Map<number, { succeeded: number; refused: number }>();
  /** Refused sign-ins of the current minute, by key. Only keys that somebody has, or had, are counted. */
  readonly #signIns = new Map<number, number>();
  #signInsSinceMs = 0;
  #total = 0;
  #countedSinceMs = 0;

  constructor(options: RequestRecorderOptions) {
    const { database, onDropped, logError } = options;
    this.#options = options;
    this.#entries = new WriteBehind({
      write: (batch) => database.run(insertRequests, loggedRequests.parametersOf(batch)),
      delayMs: writeEveryMs,
      maxBatch: maxOfAllTenants,
      maxWaiting,
      onLost: (error, batch) => {
        onDropped(batch.length);
        logError(error, 'The request log could not be written');
      },
    });
  }

  /**
   * Returns at once. A request with a key that is not accepted any more is recorded for the tenant whose key it was;
   * those of other unauthenticated callers belong to no tenant and are not recorded.
   */
  record(request: AnsweredRequest): void {
    const principal = request.principal ?? this.#ownerOfKey(request);
    if (principal === undefined || !this.#isRecorded(request)) return;
    const { generateUuid, onDropped } = this.#options;
    const isWithinLimits = this.#count(principal.tenantId, request.refusal === undefined ? 'succeeded' : 'refused');
    if (!isWithinLimits || !this.#entries.add(entryOf(request, principal, generateUuid()))) onDropped(1);
  }

  /** Resolves when everything recorded so far is written, or dropped. */
  flush(): Promise<void> {
    return this.#entries.flush();
  }

  /** Whose key was not accepted, unless enough of its sign-ins are recorded in this minute. */
  #ownerOfKey({ refusal, address }: AnsweredRequest): Principal | undefined {
    if (!(refusal instanceof OwnedKeyRefusal)) return undefined;
    const nowMs = performance.now();
    if (nowMs - this.#signInsSinceMs >= minuteMs) {
      this.#signInsSinceMs = nowMs;
      this.#signIns.clear();
    }
    const { owner } = refusal;
    const keyId = owner.keyId as number;
    const count = (this.#signIns.get(keyId) ?? 0) + 1;
    this.#signIns.set(keyId, count);
    return count > maxSignInsPerKey ? undefined : { ...owner, address };
  }

  #isRecorded({ method, path, refusal }: AnsweredRequest): boolean {
    // Reading the log would fill it.
    if (path.startsWith('/api/request/')) return false;
    const { recorded } = this.#options;
    if (recorded === 'all') return true;
    return recorded !== 'none' && (refusal !== undefined || (recorded === 'writes' && method === 'POST'));
  }

  /** Counts the request unless it exceeds a limit of this second. */
  #count(tenantId: number, kind: 'succeeded' | 'refused'): boolean {
    const nowMs = performance.now();
    if (nowMs - this.#countedSinceMs >= secondMs) {
      this.#countedSinceMs = nowMs;
      this.#counts.clear();
      this.#total = 0;
    }
    if (this.#total >= maxOfAllTenants) return false;
    const counts = this.#counts.get(tenantId) ?? { succeeded: 0, refused: 0 };
    if (counts[kind] >= maxPerTenant) return false;
    counts[kind]++;
    this.#counts.set(tenantId, counts);
    this.#total++;
    return true;
  }
}

function entryOf(
  { method, path, status, durationMs, requestId, headers, mode, refusal }: AnsweredRequest,
  { tenantId, userId, keyId, address, livemode }: Principal,
  id: string,
): LoggedRequest {
  const userAgent = headers['user-agent'];
  const [idempotencyKey] = [headers['idempotency-key']].flat();
  return {
    tenantId,
    id,
    method,
    path,
    status,
    durationMs: Math.round(durationMs),
    livemode: mode === undefined ? livemode : mode === modeName(true),
    userId,
    keyId,
    requestId,
    address,
    userAgent: userAgent && withoutSecrets(userAgent).slice(0, maxUserAgent),
    idempotencyKey: idempotencyKey && withoutSecrets(idempotencyKey).slice(0, maxIdempotencyKey),
    error: refusal && {
      type: refusal.type,
      field: refusal.field && storable(refusal.field),
      message: storable(refusal.message),
    },
  };
}

/** PostgreSQL refuses NUL, which the name of a refused field may contain. */
const storable = (text: string) => withoutSecrets(text.replaceAll('\0', '')).slice(0, maxMessage);
