import { Readable } from 'node:stream';
import { type Clock, secondMs } from '../../../core/clock.ts';
import { isUnavailable, Refusal } from '../../../core/errors.ts';
import { eventTypes } from '../../../core/event-types.ts';
import { leastUuidAt, publicId } from '../../../core/id.ts';
import { rule } from '../../../core/refusal-rules.ts';
import { boundedCache } from '../../../platform/caching/bounded-cache.ts';
import type { Bus } from '../../../platform/postgres/bus/bus.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { eventsWritten } from '../events/append-events.cte.ts';
import { recordOf } from '../events/list.ts';
import type { EventRow } from '../events/statements.ts';
import { eventsSince } from './statements.ts';

export interface EventStreamsOptions {
  database: Queryable;
  bus: Pick<Bus, 'subscribe'>;
  clock: Clock;
  logError: (error: unknown, message: string) => void;
}

export interface StreamRequest {
  userId: number;
  tenantId: number;
  /** The time of the last event that the reader has received; undefined: it receives only events from now on. */
  sinceMs: number | undefined;
  /** Called before events are sent. Rejects when the session or key has ended. */
  mayRead: () => Promise<MayRead>;
}

export interface MayRead {
  types: ReadonlySet<string>;
  /** The mode of a key; undefined: a session, which sees both. */
  livemode: boolean | undefined;
}

/** An id is generated before its transaction commits: an event may become visible this much later than a newer one. */
const lateMs = 5 * secondMs;
/** Between two reads, so that one read covers many commits. */
const readPauseMs = 200;
/** Polling finds the events of lost notifications. */
const pollMs = 2 * secondMs;
/** Shorter than the silence after which proxies and this server give up a connection. */
const heartbeatMs = 15 * secondMs;
/** Events of one tenant in one read. If there are more, the reader gets a `gap`, and reads the list of events. */
const maxEvents = 200;
const maxStreamsOfUser = 10;
/** A reader that is further behind is disconnected; it resumes when it reconnects. */
const maxBufferedBytes = 256 * 1024;

/**
 * Streams of events to browsers and programs: ids and types, never payloads. One read serves all streams of the node.
 * An event may be sent twice after a reconnect; its id identifies it.
 */
export class EventStreams {
  readonly #options: EventStreamsOptions;
  readonly #open = new Set<OpenStream>();
  #timer: NodeJS.Timeout | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  #lastReadMs = 0;
  /** The start of the last successful read: all older events have been read, apart from late ones (`lateMs`). */
  #readUntilMs = 0;
  #isReading = false;
  #isClosed = false;

  constructor(options: EventStreamsOptions) {
    this.#options = options;
    options.bus.subscribe(eventsWritten, () => this.#readWithin(readPauseMs));
  }

  /** The events since the last one that the reader has, as text. */
  async read(request: StreamRequest): Promise<string> {
    const stream = new OpenStream(request, () => {});
    await stream.send(await this.#eventsOf([request.tenantId], request.sinceMs));
    return stream.text();
  }

  /** The events since the last one that the reader has, and all later ones. Refuses with `too_many_requests`. */
  async open(request: StreamRequest): Promise<Readable> {
    if (this.#isClosed)
      throw new Refusal('shutting_down', 'This node is stopping. Ask another.', { retryAfterSeconds: 1 });
    if ([...this.#open].filter((stream) => stream.request.userId === request.userId).length >= maxStreamsOfUser) {
      throw new Refusal('too_many_requests', rule('streams_of_user', { limit: maxStreamsOfUser }), {
        retryAfterSeconds: 5,
      });
    }
    const stream = new OpenStream(request, () => {
      this.#open.delete(stream);
      if (this.#open.size === 0) this.#stopTimers();
    });
    if (this.#open.size === 0) this.#readUntilMs = this.#options.clock();
    this.#open.add(stream);
    this.#heartbeat ??= setInterval(() => this.#sendHeartbeats(), heartbeatMs).unref();
    this.#readWithin(pollMs);
    try {
      if (request.sinceMs !== undefined) await stream.send(await this.#eventsOf([request.tenantId], request.sinceMs));
    } catch (error) {
      stream.end();
      throw error;
    }
    return stream.readable;
  }

  /** Ends every stream. Readers reconnect to another node and resume there. */
  close(): void {
    this.#isClosed = true;
    for (const stream of this.#open) stream.end();
    this.#stopTimers();
  }

  #stopTimers(): void {
    clearTimeout(this.#timer);
    clearInterval(this.#heartbeat);
    this.#timer = undefined;
    this.#heartbeat = undefined;
  }

  #readWithin(ms: number): void {
    if (this.#open.size === 0 || this.#isReading || this.#isClosed) return;
    const waitMs = Math.max(0, Math.min(ms, this.#lastReadMs + ms - this.#options.clock()));
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#readForAll(), waitMs).unref();
  }

  #readForAll(): void {
    const nowMs = this.#options.clock();
    this.#isReading = true;
    this.#lastReadMs = nowMs;
    const tenantIds = [...new Set([...this.#open].map(({ request }) => request.tenantId))];
    this.#eventsOf(tenantIds, this.#readUntilMs)
      .then((events) => {
        this.#readUntilMs = nowMs;
        return Promise.all([...this.#open].map((stream) => stream.send(events)));
      })
      .catch((error: unknown) => {
        // The next poll reads the same events.
        if (!isUnavailable(error)) this.#options.logError(error, 'Events could not be read for the streams');
      })
      .finally(() => {
        this.#isReading = false;
        this.#readWithin(pollMs);
      })
      .catch((error: unknown) => this.#options.logError(error, 'The streams of events do not poll any more'));
  }

  #eventsOf(tenantIds: readonly number[], sinceMs: number | undefined): Promise<EventRow[]> {
    const since = leastUuidAt((sinceMs ?? this.#options.clock()) - lateMs);
    return this.#options.database.run(eventsSince, [tenantIds, since, maxEvents, eventTypes]);
  }

  #sendHeartbeats(): void {
    for (const stream of this.#open) {
      stream.sendHeartbeat();
      // After any failure: the reader reconnects, and the answer then gives the reason.
      stream.request.mayRead().catch(() => stream.end());
    }
  }
}

/** One reader. */
class OpenStream {
  readonly request: StreamRequest;
  readonly readable: Readable;
  readonly #sent = boundedCache<string, true>(10 * maxEvents);

  constructor(request: StreamRequest, onClose: () => void) {
    this.request = request;
    this.readable = new Readable({ read: () => {}, encoding: 'utf8' }).once('close', onClose);
    this.readable.push('retry: 2000\n\n');
  }

  /** Ends the stream instead if the session or key has ended. */
  async send(events: readonly EventRow[]): Promise<void> {
    const ownEvents = events.filter(({ tenant_id }) => tenant_id === this.request.tenantId);
    if (ownEvents.every(({ id }) => this.#sent.has(id))) return;
    const mayRead = await this.request.mayRead().catch(() => undefined);
    if (mayRead === undefined) {
      this.end();
      return;
    }
    const unsent = ownEvents.filter(({ id }) => !this.#sent.has(id));
    if (ownEvents.length >= maxEvents && unsent.length === ownEvents.length) this.#push('event: gap\ndata: {}\n\n');
    for (const event of unsent) {
      this.#sent.set(event.id, true);
      if (!isReadable(event, mayRead)) continue;
      this.#push(`id: ${publicId('evt', event.id)}\ndata: ${JSON.stringify(recordOf(event))}\n\n`);
    }
  }

  sendHeartbeat(): void {
    this.#push(':\n\n');
  }

  /** The text that has been pushed so far. */
  text(): string {
    return this.readable.read() as string;
  }

  end(): void {
    if (!this.readable.destroyed) this.readable.push(null);
  }

  #push(text: string): void {
    if (this.readable.destroyed || this.readable.readableEnded) return;
    if (this.readable.readableLength > maxBufferedBytes) this.readable.destroy();
    else this.readable.push(text);
  }
}

function isReadable({ type, livemode }: EventRow, mayRead: MayRead): boolean {
  return mayRead.types.has(type) && (mayRead.livemode === undefined || mayRead.livemode === livemode);
}
