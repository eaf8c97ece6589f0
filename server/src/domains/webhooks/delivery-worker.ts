import { randomUUID } from 'node:crypto';
import { ClaimLoop } from '../../platform/postgres/claim-loop.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import { type Clock, secondMs } from '../../vocabulary/clock.ts';
import { publicId } from '../../vocabulary/id.ts';
import type { AddressGuard } from './address.ts';
import type { EndpointDirectory, Target } from './directory.ts';
import { Recorder, type Result } from './recorder.ts';
import { type AttemptOutcome, disabledByGone, goneStatus, retryAt } from './rules.ts';
import { fixedHeaders, Sender, type Sent } from './sender.ts';
import { serviceSignature, standardSignature } from './signature.ts';
import { type ClaimedDelivery, claimDeliveries, disableEndpoint, maximumClaim, releaseDeliveries } from './sql.ts';

export interface DeliveryWorkerOptions {
  /** At most two connections of it are used at once: one to claim, one to record. */
  database: Queryable;
  directory: EndpointDirectory;
  guard: AddressGuard;
  clock: Clock;
  /** One deadline for a whole attempt: `app.webhook.timeout`. */
  timeoutMs: number;
  /** Waits before each retry: `app.webhook.retry-intervals`. As many retries as there are waits. */
  retryIntervalsMs: readonly number[];
  /** Deliveries in flight at most. */
  maxInFlight?: number;
  /** Whether the process has more urgent work: deliveries then go on at a part of their pace (`busyGapMs`). */
  busy?: () => boolean;
  observer?: DeliveryObserver;
  /** Told when the database goes away or a delivery cannot be made ready; not again until something succeeds. */
  onTrouble?: (error: unknown) => void;
  /** Told once when the database is back. */
  onRecovered?: () => void;
  /** Further certificate authorities to trust, in PEM. */
  ca?: string;
}

export interface DeliveryObserver {
  /** An attempt has ended. `lagMs`: from when it was due until it was sent. */
  onAttempt?: (facts: { outcome: AttemptOutcome; durationMs: number; lagMs: number }) => void;
  onClaim?: (count: number, durationMs: number) => void;
  /** Results that did not count: another sender had taken the delivery over, or the database stayed away too long. */
  onLost?: (count: number) => void;
}

/** Many of them wait for their claim or their record at any moment: 64 slots made half the deliveries a second of 512. */
const defaultMaxInFlight = 512;
/**
 * While payments take all the processor they can get, deliveries get this much: 100 ten times a second. Few claims of
 * many cost a third of many claims of few. The rest catches up when the rush is over.
 */
const busySlots = 100;
const busyGapMs = 100;
/** Beyond the attempt's own deadline a lease leaves this long, to find a slot before it and to be recorded after it. */
const leaseBeyondTimeoutMs = 20 * secondMs;
/** Nothing is sent unless its deadline and this much for recording fit into what is left of the lease. */
const recordingMs = 2 * secondMs;

/** A claimed delivery and the lease it is held under. */
interface Held extends ClaimedDelivery {
  lease: string;
  leasedUntilMs: number;
}

/**
 * Sends what the outbox has written: claims due deliveries under a lease, posts them signed, and records what came of
 * it. At least once: a sender that dies is replaced when its leases run out, 30 s after the claim, and then the
 * same bytes go out under the same ids. Two senders never hold one delivery's lease at once, and a result that comes
 * after the lease was taken over is fenced off.
 *
 * An endpoint that is switched off, or gone, is sent nothing: its open deliveries become CANCELLED when they fall
 * due. They and their events stay, so that they can be sent again on demand.
 */
export class DeliveryWorker {
  readonly #options: DeliveryWorkerOptions;
  readonly #loop: ClaimLoop<Held>;
  readonly #sender: Sender;
  readonly #recorder: Recorder;
  readonly #leaseMs: number;
  #troubled = false;

  constructor(options: DeliveryWorkerOptions) {
    const { database, guard, clock, timeoutMs, ca, busy, maxInFlight = defaultMaxInFlight, observer = {} } = options;
    this.#options = options;
    this.#leaseMs = timeoutMs + leaseBeyondTimeoutMs;
    this.#sender = new Sender({ timeoutMs, lookup: guard.lookup, ...(ca !== undefined && { ca }) });
    this.#recorder = new Recorder({
      database,
      clock,
      onTrouble: (error) => this.#trouble(error),
      onWritten: () => this.#recovered(),
      onLost: (count) => observer.onLost?.(count),
    });
    this.#loop = new ClaimLoop({
      claim: (room) => this.#claim(room),
      perform: (delivery) => this.#deliver(delivery),
      release: (deliveries) => this.#release(deliveries),
      slots: () => (busy?.() ? Math.min(busySlots, maxInFlight) : maxInFlight),
      gapMs: () => (busy?.() ? busyGapMs : 0),
      maxBatch: maximumClaim,
      onTrouble: (error) => this.#trouble(error),
      onRecovered: () => this.#recovered(),
      observe: (count, durationMs) => observer.onClaim?.(count, durationMs),
    });
  }

  /** Deliveries being sent. */
  get inFlight(): number {
    return this.#loop.inFlight;
  }

  start(): void {
    this.#loop.start();
  }

  /** Deliveries have just been committed here: look now, not at the next poll. */
  wake(): void {
    this.#loop.wake();
  }

  /**
   * Stops claiming, gives what is in flight its deadline and 2 s to end, and records it. What even then has no answer
   * keeps its lease, and is sent again when that runs out.
   */
  async stop(): Promise<void> {
    await this.#loop.stop();
    await withinMs(this.#loop.drained(), this.#options.timeoutMs + recordingMs);
    await withinMs(this.#recorder.flush(), recordingMs);
    this.#recorder.close();
    await this.#sender.close();
  }

  async #claim(room: number): Promise<Held[]> {
    const nowMs = this.#options.clock();
    const leasedUntilMs = nowMs + this.#leaseMs;
    const lease = randomUUID();
    const rows = await this.#options.database.run(claimDeliveries, [nowMs, leasedUntilMs, room, lease]);
    return rows.map((row) => Object.assign(row, { lease, leasedUntilMs }));
  }

  async #deliver(delivery: Held): Promise<void> {
    const { directory, clock, timeoutMs, retryIntervalsMs, observer } = this.#options;
    const found = directory.find(delivery.endpoint_id);
    const target = found instanceof Promise ? await found : found;
    const sentMs = clock();
    if (target?.state !== true) {
      this.#recorder.add(unsent(delivery, sentMs));
      return;
    }
    // Held up since the claim, by a frozen process or a slow database: another sender may take it over any moment.
    if (delivery.leasedUntilMs - sentMs < timeoutMs + recordingMs) return this.#release([delivery]);
    const startedAt = performance.now();
    const sent = target.forbidden ? forbiddenAddress : await this.#post(delivery, target, sentMs);
    const durationMs = performance.now() - startedAt;
    observer?.onAttempt?.({ outcome: sent.outcome, durationMs, lagMs: Math.max(0, sentMs - delivery.due_ms) });
    if (sent.status === goneStatus) await this.#disable(target);
    this.#recorder.add(resultOf(delivery, sent, clock(), durationMs, retryIntervalsMs));
  }

  #post({ id, event_id, type, body }: Held, { origin, path, keys }: Target, nowMs: number): Promise<Sent> {
    const bytes = Buffer.from(body);
    const eventId = publicId('evt', event_id);
    const timestamp = String(Math.floor(nowMs / 1000));
    const headers = [
      ...fixedHeaders,
      'X-Service-Signature',
      serviceSignature(keys, bytes),
      'X-Service-Event',
      type,
      'X-Service-Delivery',
      publicId('dlv', id),
      'webhook-id',
      eventId,
      'webhook-timestamp',
      timestamp,
      'webhook-signature',
      standardSignature(keys, eventId, timestamp, bytes),
    ];
    return this.#sender.send({ origin, path, headers, body: bytes });
  }

  /** Before the result is recorded: if we die in between, the delivery is tried again and finds the endpoint off. */
  async #disable({ id }: Target): Promise<void> {
    const { database, directory, clock } = this.#options;
    try {
      await database.run(disableEndpoint, [id, disabledByGone, clock()]);
      await directory.changed(database, id);
    } catch (error) {
      this.#trouble(error);
    }
  }

  async #release(deliveries: readonly Held[]): Promise<void> {
    await this.#options.database.run(releaseDeliveries, [
      deliveries.map((delivery) => delivery.tenant_id),
      deliveries.map((delivery) => delivery.id),
      deliveries.map((delivery) => delivery.lease),
    ]);
  }

  #trouble(error: unknown): void {
    if (this.#troubled) return;
    this.#troubled = true;
    this.#options.onTrouble?.(error);
  }

  #recovered(): void {
    if (!this.#troubled) return;
    this.#troubled = false;
    this.#options.onRecovered?.();
  }
}

const forbiddenAddress: Sent = {
  outcome: 'forbidden_address',
  status: undefined,
  retryAfter: undefined,
  resent: false,
};

function resultOf(
  delivery: Held,
  sent: Sent,
  endedMs: number,
  durationMs: number,
  intervalsMs: readonly number[],
): Result {
  const { tenant_id: tenantId, id: deliveryId, lease, leasedUntilMs, attempts } = delivery;
  const again =
    sent.outcome === 'ok' || sent.status === goneStatus
      ? undefined
      : retryAt(attempts + 1, endedMs, intervalsMs, sent.retryAfter);
  return {
    tenantId,
    deliveryId,
    lease,
    leasedUntilMs,
    state: sent.outcome === 'ok' ? 'SUCCEEDED' : again === undefined ? 'FAILED' : 'OPEN',
    dueMs: again ?? null,
    endedMs,
    durationMs: Math.round(durationMs),
    status: sent.status ?? null,
    outcome: sent.outcome,
    resent: sent.resent,
  };
}

/** Of a delivery whose endpoint is switched off or gone. */
function unsent({ tenant_id: tenantId, id: deliveryId, lease, leasedUntilMs }: Held, endedMs: number): Result {
  return {
    tenantId,
    deliveryId,
    lease,
    leasedUntilMs,
    state: 'CANCELLED',
    dueMs: null,
    endedMs,
    durationMs: null,
    status: null,
    outcome: null,
    resent: false,
  };
}

async function withinMs(work: Promise<void>, limitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs);
  });
  await Promise.race([work, limit]);
  clearTimeout(timer);
}
