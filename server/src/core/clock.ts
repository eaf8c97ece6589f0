/** Returns milliseconds since the Unix epoch. Passed as a parameter, so that tests can control time. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

export const secondMs = 1_000;
export const minuteMs = 60 * secondMs;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** The UTC day of an instant, as YYYY-MM-DD. */
export function utcDay(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10);
}

let lastMs = Number.NaN;
let lastTime = '';

/**
 * A time as the interface shows it: ISO 8601, UTC. Payments created in the same millisecond share one text (0.6 µs).
 */
export function isoTime(atMs: number): string {
  if (atMs !== lastMs) {
    lastTime = new Date(atMs).toISOString();
    lastMs = atMs;
  }
  return lastTime;
}
