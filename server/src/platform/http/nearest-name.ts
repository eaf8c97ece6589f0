/** Longer names are no typos of ours, and comparing takes the product of both lengths. */
const longestTypo = 40;

/**
 * The known name that was probably meant: `page_size` and `pagesize` mean `pageSize`, `customer` means `customerId`,
 * `curency` means `currency`. Undefined when none is near.
 */
export function nearestName(given: string, known: readonly string[]): string | undefined {
  if (given.length > longestTypo) return undefined;
  const plain = plainOf(given);
  const near = known
    .map((name) => ({ name, edits: isBeginning(plain, plainOf(name)) ? 0 : editsBetween(plain, plainOf(name)) }))
    .filter(({ name, edits }) => edits <= Math.floor(Math.min(plain.length, plainOf(name).length) / 3))
    .sort((a, b) => a.edits - b.edits);
  return near[0]?.name;
}

const plainOf = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

function isBeginning(given: string, known: string): boolean {
  return given.length >= 4 && known.startsWith(given);
}

/**
 * Insertions, deletions, replacements and swaps of neighbours that turn one text into the other (optimal string
 * alignment).
 */
function editsBetween(one: string, other: string): number {
  let before: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, j) => j);
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const same = one[i - 1] === other[j - 1];
      const swapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      row[j] = Math.min(
        at(last, j) + 1,
        at(row, j - 1) + 1,
        at(last, j - 1) + (same ? 0 : 1),
        swapped ? at(before, j - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [before, last] = [last, row];
  }
  return at(last, other.length);
}

const at = (row: readonly number[], j: number) => row[j] as number;
