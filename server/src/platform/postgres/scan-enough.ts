/** A row of a scan that ends after a number of rows. `bound` tells where it ended; null: it has read everything. */
interface ScannedRow {
  id?: string | number | null;
  bound?: string | number | null;
}

/**
 * Reads a page by a scan that leaves out some rows, by their mode for instance. The first scan assumes that few are left out;
 * one that fills no page is repeated over the most rows that a page may cost. `isFiltered`: many are left out, so that only
 * the second is worth it.
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
