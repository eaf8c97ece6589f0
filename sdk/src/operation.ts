/**
 * An operation of the service: HTTP method, path and flags. `l`: its data is a list. `p`: the list takes `pageSize`.
 * `n`: it takes no parameters. `d`: it returns a document instead of the envelope. `r`: its body has any type. `k`: it
 * takes an Idempotency-Key. `m`: it takes `livemode`.
 */
export type Operation = readonly [method: 'GET' | 'POST', path: string, flags?: string];

/** The parameters of an operation: its body, or its query. */
export type Params = Readonly<Record<string, unknown>>;

/** A body that is sent unchanged. */
export type RawBody = string | Uint8Array<ArrayBuffer> | ArrayBuffer;

/** Headers as an object, as `Headers`, or as pairs. */
export type GivenHeaders = Readonly<Record<string, string>> | Iterable<readonly [string, string]>;

export interface RequestOptions {
  /** Aborts the call, also between two tries. The call rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Per try, in milliseconds. Default: that of the client. */
  timeoutMs?: number | undefined;
  /** Default: that of the client. 0: no retries. */
  maxRetries?: number | undefined;
  /** Additional headers. They replace those of the client and of the SDK, whatever the case of their names. */
  headers?: GivenHeaders | undefined;
}

export interface WriteOptions extends RequestOptions {
  /**
   * 1 to 255 characters. A request with the same key and body gets the same answer again and does nothing twice. By
   * default the SDK generates a key for each call and sends it with every try. Pass a key that you have stored, such as
   * the number of the order, to repeat a call safely after a restart of your own process.
   */
  idempotencyKey?: string | undefined;
}

export interface Pagination {
  page?: number;
  pageSize?: number;
  total?: number;
  totalPages?: number;
  /** The `cursor` of the next page. null: this is the last page. */
  nextCursor?: string | null;
  /** The `after` of the next page. null: this is the last page. */
  next?: string | null;
}

/** The answer of the service. */
export interface Reply<Data> {
  data: Data;
  status: number;
  headers: Headers;
  /** Quote it when you report a problem. The log of the service has it too. */
  requestId: string | undefined;
  /** The short text in the answers to writes. */
  message: string | undefined;
  /** Whether the service repeated an earlier answer to the same Idempotency-Key. */
  replayed: boolean;
  pagination: Pagination | undefined;
}

/** A call in progress. `await call` returns its data, `await call.withResponse()` the whole answer. */
export class Call<Data> implements Promise<Data> {
  private readonly reply: Promise<Reply<Data>>;

  constructor(reply: Promise<Reply<Data>>) {
    this.reply = reply;
  }

  /** The data with status, headers and request id. */
  withResponse(): Promise<Reply<Data>> {
    return this.reply;
  }

  // biome-ignore lint/suspicious/noThenProperty: awaited like a promise
  then<Result1 = Data, Result2 = never>(
    onData?: ((data: Data) => Result1 | PromiseLike<Result1>) | null,
    onError?: ((error: unknown) => Result2 | PromiseLike<Result2>) | null,
  ): Promise<Result1 | Result2> {
    return this.reply.then(({ data }) => data).then(onData, onError);
  }

  catch<Result = never>(onError?: ((error: unknown) => Result | PromiseLike<Result>) | null): Promise<Data | Result> {
    return this.then(undefined, onError);
  }

  finally(onEnd?: (() => void) | null): Promise<Data> {
    return this.then().finally(onEnd);
  }

  get [Symbol.toStringTag](): string {
    return 'Call';
  }
}
