/** Returns milliseconds since the Unix epoch. Passed as a parameter, so that tests can control time. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

export const secondMs = 1_000;
export const minuteMs = 60 * secondMs;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** The UTC day of a moment in the format of the interface: YYYY-MM-DD. */
export function utcDay(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10);
}
