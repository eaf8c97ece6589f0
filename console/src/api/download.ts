import { addressOf, type ListName, pathOf, type Query, refusalError, serviceUrl } from './client.ts';

/** Saves all rows that match the filters as CSV, not only those of the page. */
export async function downloadCsv(list: ListName, query: Query, fileName: string): Promise<void> {
  const { page, pageSize, ...filters } = query;
  const headers = { accept: 'text/csv', 'x-florin-console': '1' };
  const response = await fetch(addressOf(pathOf(list), filters), { headers });
  if (!response.ok) {
    throw refusalError({ response, text: await response.text(), isRepeatable: true, baseUrl: serviceUrl });
  }
  const address = URL.createObjectURL(await response.blob());
  const link = document.createElement('a');
  link.href = address;
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(address);
}
