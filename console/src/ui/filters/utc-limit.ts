/**
 * A limit of a time range as a time in UTC. A day is one of UTC: its start, or that of the next day for the end of the
 * range, which includes it.
 */
export function utcLimit(value: string, isEnd: boolean): string {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(value)) return value;
  return new Date(Date.parse(value) + (isEnd ? 86_400_000 : 0)).toISOString();
}
