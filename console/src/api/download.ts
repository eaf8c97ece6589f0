import type { ListName, Query } from './client.ts';
import { exported, saveFile } from './export-rows.ts';

/** Saves all rows that match the filters as CSV, not only those of the page. */
export async function downloadCsv(list: ListName, query: Query, fileName: string): Promise<void> {
  saveFile(await new Response(await exported(list, query, 'text/csv')).blob(), fileName);
}
