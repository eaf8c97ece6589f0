const dayMs = 86_400_000;

/** A UTC day, as in the API: 0 is today, -1 yesterday. */
export function dayOf(fromToday: number): string {
  return new Date(Date.now() + fromToday * dayMs).toISOString().slice(0, 10);
}
