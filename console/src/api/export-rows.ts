import { addressOf, call, type ListName, pathOf, type Query, type RowOf, refusalError, serviceUrl } from './client.ts';

/** All rows that match the filters, not only those of the page, as they arrive. */
export async function* exportedRows<List extends ListName>(list: List, query: Query): AsyncGenerator<RowOf<List>> {
  const body = await exported(list, query, 'application/x-ndjson');
  let rest = '';
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    const lines = (rest + read.value).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') yield JSON.parse(line);
  }
  if (rest !== '') yield JSON.parse(rest);
}

/** The export of a list in a media type. */
export async function exported(list: ListName, query: Query, accept: string): Promise<ReadableStream> {
  const { page, pageSize, ...filters } = query;
  const response = await fetch(addressOf(pathOf(list), filters), { headers: { accept, 'x-florin-console': '1' } });
  if (!response.ok || response.body === null) {
    throw refusalError({ response, text: await response.text(), isRepeatable: true, baseUrl: serviceUrl });
  }
  return response.body;
}

const namesPerRequest = 100;

/** The names of customers by their ids. Those that are not stored here have none. */
export async function customerNames(ids: Iterable<number>): Promise<Map<number, string>> {
  const all = [...new Set(ids)];
  const names = new Map<number, string>();
  for (let first = 0; first < all.length; first += namesPerRequest) {
    const some = all.slice(first, first + namesPerRequest);
    const { data } = await call('customers.list', { ids: some.join(','), pageSize: namesPerRequest });
    for (const { id, name } of data) names.set(id, name);
  }
  return names;
}

/** Saves a file that the page has made. */
export function saveFile(content: Blob, fileName: string): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(address);
}
