import { setTimeout as pause } from 'node:timers/promises';
import { type Event, type Florin, FlorinError } from '../../../sdk/src/index.ts';

/** Where following has got to: the newest time seen, and the events handled around it. */
export interface Position {
  newestMs: number;
  /** Ids with their times. */
  handled: Record<string, number>;
}

/**
 * An event can be committed after one with a later id, by a transaction that took longer. Each look at the list goes back
 * this far behind the newest event.
 */
const overlapMs = 30_000;

const pollMs = 500;
const maxPollMs = 5_000;

export interface FollowOptions {
  /** Undefined: from now on. */
  position: Position | undefined;
  livemode?: boolean | undefined;
  signal: AbortSignal;
  /** The service does not answer (the first time), or answers again. */
  onAbsence: (error: FlorinError | undefined) => void;
  /** Called when an event is handled, to store the position. */
  onPosition: (position: Position) => void;
}

/**
 * Every event from a position on, oldest first, each once. While the service is away it is asked again and again, so events of
 * that time are not lost. An event counts as handled when the next one is asked for.
 */
export async function* followEvents(florin: Florin, options: FollowOptions): AsyncGenerator<Event, void> {
  const { signal, onAbsence, onPosition, livemode } = options;
  let position = options.position;
  let absences = 0;
  for (;;) {
    let fresh: Event[] = [];
    try {
      fresh = await newEvents(florin, position, livemode, signal);
      if (absences > 0) onAbsence(undefined);
      absences = 0;
    } catch (error) {
      if (!(error instanceof FlorinError) || !mayPass(error)) throw error;
      if (absences++ === 0) onAbsence(error);
    }
    if (position === undefined && absences === 0) {
      position = positionOf(fresh);
      onPosition(position);
      fresh = [];
    }
    for (const event of fresh) {
      yield event;
      position = after(position as Position, event);
      onPosition(position);
    }
    await pause(absences === 0 ? pollMs : Math.min(maxPollMs, pollMs * 2 ** Math.min(absences, 5)), undefined, {
      signal,
    });
  }
}

const mayPass = ({ status }: FlorinError) => status === undefined || status === 408 || status === 429 || status >= 500;

/** Oldest first. Without a position, those that a position from now on has to know. */
async function newEvents(
  florin: Florin,
  position: Position | undefined,
  livemode: boolean | undefined,
  signal: AbortSignal,
): Promise<Event[]> {
  const fresh: Event[] = [];
  const handled = new Set(Object.keys(position?.handled ?? {}));
  let floorMs = position === undefined ? undefined : position.newestMs - overlapMs;
  for await (const event of florin.events.list({ livemode }, { signal, maxRetries: 0 })) {
    floorMs ??= timeOf(event) - overlapMs;
    if (timeOf(event) < floorMs) break;
    if (!handled.has(event.id)) fresh.push(event);
  }
  return fresh.reverse();
}

function positionOf(events: readonly Event[]): Position {
  return {
    newestMs: Math.max(0, ...events.map(timeOf)),
    handled: Object.fromEntries(events.map((event) => [event.id, timeOf(event)])),
  };
}

function after({ newestMs, handled }: Position, event: Event): Position {
  const newest = Math.max(newestMs, timeOf(event));
  const near = Object.entries(handled).filter(([, atMs]) => atMs >= newest - 2 * overlapMs);
  return { newestMs: newest, handled: { ...Object.fromEntries(near), [event.id]: timeOf(event) } };
}

/** The list is in the order of ids, whose first 48 bits are milliseconds. `createdTime` may be that of a test clock. */
const timeOf = ({ id }: Event) => Number.parseInt(id.slice(4, 16), 16);

/** Whether an event has one of the types: `transaction.*`, `*`, or a whole type. */
export function isAmong(type: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => pattern === '*' || pattern === type || pattern === `${type.split('.')[0]}.*`);
}
