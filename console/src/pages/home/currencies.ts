/** The currencies by how many payments they have, the busiest first. */
export function busiestFirst(amounts: readonly { currency: string; count: number }[]): string[] {
  const counts = new Map<string, number>();
  for (const { currency, count } of amounts) counts.set(currency, (counts.get(currency) ?? 0) + count);
  return [...counts]
    .sort(([a, countOfA], [b, countOfB]) => countOfB - countOfA || a.localeCompare(b))
    .map(([currency]) => currency);
}
