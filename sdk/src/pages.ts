import type { Pagination, Params, Reply } from './operation.ts';

type Fetch<Row> = (params: Params) => Promise<Reply<Row[]>>;

/** One page of a list. */
export class Page<Row> implements Iterable<Row> {
  readonly data: Row[];
  readonly pagination: Pagination | undefined;
  private readonly nextParams: Params | undefined;
  private readonly fetch: Fetch<Row>;

  constructor({ data, pagination }: Reply<Row[]>, params: Params, fetch: Fetch<Row>) {
    this.data = data;
    this.pagination = pagination;
    this.nextParams = paramsAfter(params, pagination);
    this.fetch = fetch;
  }

  get hasNext(): boolean {
    return this.nextParams !== undefined;
  }

  /** The next page; undefined after the last one. */
  async next(): Promise<Page<Row> | undefined> {
    if (this.nextParams === undefined) return undefined;
    return new Page(await this.fetch(this.nextParams), this.nextParams, this.fetch);
  }

  [Symbol.iterator](): Iterator<Row> {
    return this.data[Symbol.iterator]();
  }
}

/** `for await` iterates over all rows and fetches pages as needed; `await` returns the first page. */
export class List<Row> implements PromiseLike<Page<Row>>, AsyncIterable<Row> {
  private readonly fetch: Fetch<Row>;
  private readonly params: Params;
  private readonly isPaged: boolean;
  private first: Promise<Reply<Row[]>> | undefined;

  constructor(fetch: Fetch<Row>, params: Params, isPaged: boolean) {
    this.fetch = fetch;
    this.params = params;
    this.isPaged = isPaged;
  }

  /** The first page with status, headers and request id. */
  withResponse(): Promise<Reply<Row[]>> {
    this.first ??= this.fetch(this.params);
    return this.first;
  }

  // biome-ignore lint/suspicious/noThenProperty: awaited like a promise
  then<Result1 = Page<Row>, Result2 = never>(
    onPage?: ((page: Page<Row>) => Result1 | PromiseLike<Result1>) | null,
    onError?: ((error: unknown) => Result2 | PromiseLike<Result2>) | null,
  ): Promise<Result1 | Result2> {
    return this.withResponse()
      .then((reply) => new Page(reply, this.params, this.fetch))
      .then(onPage, onError);
  }

  /** Iterates over all pages. A page has 100 rows unless `pageSize` is given. */
  async *pages(): AsyncGenerator<Page<Row>, void> {
    const params = this.isPaged ? { pageSize: 100, ...this.params } : this.params;
    let page: Page<Row> | undefined = new Page(await this.fetch(params), params, this.fetch);
    for (; page !== undefined; page = await page.next()) yield page;
  }

  /**
   * Iterates over all rows, each once: in a list with page numbers, new rows move others to the next page.
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<Row, void> {
    const seen = new Set<unknown>();
    for await (const page of this.pages()) {
      for (const row of page) {
        const id = page.pagination?.page === undefined ? undefined : (row as { id?: unknown }).id;
        if (id !== undefined) {
          if (seen.has(id)) continue;
          seen.add(id);
        }
        yield row;
      }
    }
  }

  /** The first rows, at most `limit`. */
  async toArray({ limit = Number.POSITIVE_INFINITY }: { limit?: number } = {}): Promise<Row[]> {
    const rows: Row[] = [];
    if (limit <= 0) return rows;
    for await (const row of this) {
      rows.push(row);
      if (rows.length >= limit) break;
    }
    return rows;
  }
}

/** The parameters of the next page; undefined on the last one. */
function paramsAfter(params: Params, pagination: Pagination | undefined): Params | undefined {
  if (pagination === undefined) return undefined;
  const { nextCursor, next, page = 1, totalPages = 0 } = pagination;
  const { page: _page, ...filters } = params;
  if (nextCursor !== undefined) return nextCursor === null ? undefined : { ...filters, cursor: nextCursor };
  if (next !== undefined) return next === null ? undefined : { ...filters, after: next };
  return page < totalPages ? { ...filters, page: page + 1 } : undefined;
}
