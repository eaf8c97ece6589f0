/**
 * A row of a scan that ends after a number of rows. `bound` is the key at which it ended; null if it has read
 * everything.
 */
interface ScannedRow {
  id?: string | number | null;
  bound?: string | number | null;
}

/**
 * Reads a page by a scan that excludes some rows, for instance those of the other mode. The first scan assumes that it
 * excludes few. If it does not fill the page, a second one scans `mostScanned` rows. With `isFiltered`, which excludes
 * many, there is only the second.
 */
export async function scanEnough<Row extends ScannedRow>(
  scan: (rows: number) => Promise<Row[]>,
  { pageSize, mostScanned, isFiltered }: { pageSize: number; mostScanned: number; isFiltered: boolean },
): Promise<Row[]> {
  const few = 4 * pageSize;
  if (isFiltered || few >= mostScanned) return scan(mostScanned);
  const rows = await scan(few);
  const found = rows.filter(({ id = null }) => id !== null).length;
  const isShort = found <= pageSize && (rows[0]?.bound ?? null) !== null;
  return isShort ? scan(mostScanned) : rows;
}
