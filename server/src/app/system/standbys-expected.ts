/**
 * For how many standbys commits wait with this value of `synchronous_standby_names`: `FIRST 1 (a, b)`, `ANY 2 (*)`,
 * `2 (a, b, c)`, `a, b`, or empty.
 */
export function standbysExpected(names: string): number {
  const [, count] = /^\s*(?:(?:first|any)\s+)?(\d+)\s*\(/i.exec(names) ?? [];
  if (count !== undefined) return Number(count);
  return names.trim() === '' ? 0 : 1;
}
