import { setTimeout as pause } from 'node:timers/promises';
import { ConnectionError, type Event, type Florin, FlorinError } from '../../../sdk/src/index.ts';
import { type Message, messagesOf } from './server-sent-events.ts';

/**
 * An event can be committed after an event with a later id, if its transaction takes longer. So the list is always read
 * from this long before the newest event.
 */
const overlapMs = 30_000;

/** A position in JSON. */
export interface StoredPosition {
  newestMs: number;
  /** Ids with their times. */
  handled: Record<string, number>;
}

/** How far events have been followed: the newest time, and the events around it that were handled. */
export class Position {
  #newestMs: number;
  readonly #handled: Map<string, number>;
  /** Events before this time have been forgotten. */
  #forgottenMs = 0;

  constructor({ newestMs, handled }: StoredPosition = { newestMs: 0, handled: {} }) {
    this.#newestMs = newestMs;
    this.#handled = new Map(Object.entries(handled));
  }

  get newestMs(): number {
    return this.#newestMs;
  }

  has({ id }: Event): boolean {
    return this.#handled.has(id);
  }

  add(event: Event): void {
    this.#newestMs = Math.max(this.#newestMs, timeOf(event));
    this.#handled.set(event.id, timeOf(event));
    const oldestMs = this.#newestMs - 2 * overlapMs;
    // Rarely, because it iterates over all events.
    if (oldestMs < this.#forgottenMs + overlapMs) return;
    for (const [id, atMs] of this.#handled) if (atMs < oldestMs) this.#handled.delete(id);
    this.#forgottenMs = oldestMs;
  }

  /** The highest id. */
  get newest(): string | undefined {
    let newest: string | undefined;
    for (const id of this.#handled.keys()) if (newest === undefined || id > newest) newest = id;
    return newest;
  }

  toJSON(): StoredPosition {
    return { newestMs: this.#newestMs, handled: Object.fromEntries(this.#handled) };
  }
}

/** How often the list is read too, because the stream omits events that are committed more than five seconds late. */
const checkEveryMs = 20_000;
/** The service sends a comment every 15 s to show that it is alive. */
const silentMs = 40_000;
const firstRetryMs = 250;
const maxRetryMs = 5_000;

interface FollowOptions {
  /** Undefined: from now on. */
  position: Position | undefined;
  livemode?: boolean | undefined;
  signal: AbortSignal;
  /** Called with the reason when the connection is lost, and with undefined when it is restored. */
  onConnectionChange: (error: FlorinError | undefined) => void;
  /** Called when an event is handled, to store the position. */
  onPosition: (position: Position) => void;
}

/**
 * Every event from a position on, each once, as the service streams them. After each connection, and every 20 s, the
 * list of events is read for events that the stream left out, so that none is lost while the service is unavailable. An
 * event counts as handled when the consumer asks for the next one.
 */
export async function* followEvents(florin: Florin, options: FollowOptions): AsyncGenerator<Event, void> {
  const { signal, onConnectionChange, onPosition, livemode } = options;
  let position = options.position;
  for (let attempts = 0; ; ) {
    try {
      const stream = await openStream(florin, position, signal);
      try {
        // Opened before the list is read, so that no event is missed between the two.
        for await (const batch of batchesOf(stream, () => newEvents(florin, position, livemode, signal))) {
          if (attempts > 0) onConnectionChange(undefined);
          attempts = 0;
          if (position === undefined) {
            position = new Position();
            for (const event of batch) position.add(event);
            onPosition(position);
            continue;
          }
          for (const event of batch) {
            if (position.has(event) || (livemode !== undefined && event.livemode !== livemode)) continue;
            yield event;
            position.add(event);
            onPosition(position);
          }
        }
      } finally {
        stream.close();
      }
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof FlorinError) || !isTransient(error)) throw error;
      if (attempts++ === 0) onConnectionChange(error);
      await pause(Math.min(maxRetryMs, firstRetryMs * 2 ** Math.min(attempts, 6)), undefined, { signal });
    }
  }
}

interface Stream {
  messages: AsyncIterator<Message | undefined>;
  close: () => void;
}

async function openStream(florin: Florin, position: Position | undefined, signal: AbortSignal): Promise<Stream> {
  const connection = new AbortController();
  const last = position?.newest;
  const headers = last === undefined ? {} : { 'last-event-id': last };
  const response = await florin.events.stream(
    {},
    { signal: AbortSignal.any([signal, connection.signal]), headers, maxRetries: 0 },
  );
  const body = response.body as unknown as AsyncIterable<Uint8Array>;
  return { messages: messagesOf(body)[Symbol.asyncIterator](), close: () => connection.abort() };
}

/**
 * First the events of the list, then those of the stream as they arrive, and from time to time those of the list again.
 */
async function* batchesOf({ messages }: Stream, listed: () => Promise<Event[]>): AsyncGenerator<Event[], void> {
  yield await listed();
  let checkedAt = performance.now();
  for (;;) {
    const result = await within(silentMs, messages.next().catch(asLost));
    // The service is stopping; a new connection reaches the next one.
    if (result.done) throw connectionLost('The service has ended the stream.');
    const message = result.value;
    if (message?.event === 'message') yield [JSON.parse(message.data) as Event];
    if (message?.event === 'gap' || performance.now() - checkedAt > checkEveryMs) {
      yield await listed();
      checkedAt = performance.now();
    }
  }
}

function asLost(cause: unknown): never {
  throw connectionLost('The service has closed the connection.', cause);
}

function connectionLost(message: string, cause?: unknown): ConnectionError {
  return new ConnectionError(message, { type: 'connection_failed', retryable: true, cause });
}

async function within<Result>(ms: number, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(connectionLost('The service does not send anything.')), ms);
  });
  try {
    return await Promise.race([work, silence]);
  } finally {
    clearTimeout(timer);
  }
}

const isTransient = ({ status }: FlorinError) =>
  status === undefined || status === 408 || status === 429 || status >= 500;

/** Oldest first. Without a position, the events that a new position has to contain. */
async function newEvents(
  florin: Florin,
  position: Position | undefined,
  livemode: boolean | undefined,
  signal: AbortSignal,
): Promise<Event[]> {
  const fresh: Event[] = [];
  let floorMs = position === undefined ? undefined : position.newestMs - overlapMs;
  for await (const event of florin.events.list({ livemode }, { signal, maxRetries: 0 })) {
    floorMs ??= timeOf(event) - overlapMs;
    if (timeOf(event) < floorMs) break;
    if (position === undefined || !position.has(event)) fresh.push(event);
  }
  return fresh.reverse();
}

/** The list is in the order of ids, whose first 48 bits are milliseconds. `createdTime` may be that of a test clock. */
const timeOf = ({ id }: Event) => Number.parseInt(id.slice(4, 16), 16);

/** Whether an event has one of the types: `transaction.*`, `*`, or a whole type. */
export function matchesAny(type: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => pattern === '*' || pattern === type || pattern === `${type.split('.')[0]}.*`);
}
