import { ApiError, addressOf, type Query } from './client.ts';

/** Saves all rows of a list as CSV: those of the filters, not only those of the page. */
export async function downloadCsv(path: string, query: Query, fileName: string): Promise<void> {
  const { page, pageSize, ...filters } = query;
  const response = await fetch(addressOf(path, filters), { headers: { accept: 'text/csv' } });
  if (!response.ok) {
    const refused = (await response.json()) as { message: string; error: { type: string; requestId: string } };
    throw new ApiError(refused.message, { status: response.status, ...refused.error });
  }
  const address = URL.createObjectURL(await response.blob());
  const link = document.createElement('a');
  link.href = address;
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(address);
}
