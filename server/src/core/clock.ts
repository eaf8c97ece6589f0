/** Where time comes from: milliseconds since the Unix epoch. Passed in, so that tests can hold and move it. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

export const secondMs = 1_000;
export const minuteMs = 60 * secondMs;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** The UTC day of a moment, as the interface writes it: YYYY-MM-DD. */
export function utcDay(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10);
}
