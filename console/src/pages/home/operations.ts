const dayMs = 86_400_000;

/** Whether a certificate ends within 14 days, or has ended. */
export function endsSoon(endTime: string, nowMs: number): boolean {
  return Date.parse(endTime) - nowMs < 14 * dayMs;
}

/** Whether the last proven backup is older than is expected. Undefined: there is none. */
export function isTooOld(lastTime: string | undefined, expectedSeconds: number, nowMs: number): boolean {
  return lastTime === undefined || nowMs - Date.parse(lastTime) > expectedSeconds * 1_000;
}
