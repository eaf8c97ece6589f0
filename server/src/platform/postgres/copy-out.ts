import type pg from 'pg';

/** Whole rows as COPY writes them, one after the other. */
export interface CopiedRows {
  bytes: Buffer;
  /** Where each row ends in them. */
  ends: number[];
}

/** What the driver calls for a statement that it knows nothing about. */
interface DriverConnection {
  query: (text: string) => void;
  sendCopyFail: (message: string) => void;
  stream: { pause: () => void; resume: () => void };
}

const batchBytes = 256 * 1024;

/**
 * The rows of `copy … to stdout`, in batches of about 256 KB. The server sends a message for each row; the driver's own
 * parser gathers them, which takes about a microsecond a row. Statements that follow on the connection wait until the
 * last row has arrived; when the consumer stops early, what still arrives is dropped.
 */
export async function* copyOut(client: pg.ClientBase, text: string): AsyncGenerator<CopiedRows, void> {
  const query = new CopyQuery(text);
  (client.query as (query: unknown) => unknown)(query);
  let isWhole = false;
  try {
    for (;;) {
      const batch = await query.next();
      if (batch === undefined) break;
      yield batch;
    }
    isWhole = true;
  } finally {
    if (!isWhole) query.abandon();
  }
}

/** A statement of the driver (`Submittable`). */
class CopyQuery {
  readonly #text: string;
  #connection: DriverConnection | undefined;
  #batch: CopiedRows = newBatch(batchBytes);
  #filled = 0;
  /** Batches that wait for the consumer; the connection is paused while there are any. */
  #ready: CopiedRows[] = [];
  #isDone = false;
  #isAbandoned = false;
  #error: Error | undefined;
  #wake: () => void = () => {};

  constructor(text: string) {
    this.#text = text;
  }

  async next(): Promise<CopiedRows | undefined> {
    for (;;) {
      const batch = this.#ready.shift();
      if (batch !== undefined) return batch;
      if (this.#error !== undefined) throw this.#error;
      if (this.#isDone) return undefined;
      const more = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#connection?.stream.resume();
      await more;
    }
  }

  /** What still arrives is dropped. */
  abandon(): void {
    this.#isAbandoned = true;
    this.#ready = [];
    this.#connection?.stream.resume();
  }

  submit(connection: DriverConnection): void {
    this.#connection = connection;
    connection.query(this.#text);
  }

  handleCopyData({ chunk }: { chunk: Buffer }): void {
    if (this.#isAbandoned) return;
    // The driver reuses its buffer.
    if (this.#filled + chunk.length > this.#batch.bytes.length) this.#deliver(chunk.length);
    chunk.copy(this.#batch.bytes, this.#filled);
    this.#filled += chunk.length;
    this.#batch.ends.push(this.#filled);
  }

  #deliver(atLeast: number): void {
    if (this.#filled > 0) {
      this.#ready.push({ bytes: this.#batch.bytes.subarray(0, this.#filled), ends: this.#batch.ends });
      this.#connection?.stream.pause();
      this.#wake();
    }
    this.#batch = newBatch(Math.max(batchBytes, atLeast));
    this.#filled = 0;
  }

  handleReadyForQuery(): void {
    if (!this.#isAbandoned) this.#deliver(0);
    this.#connection?.stream.resume();
    this.#isDone = true;
    this.#wake();
  }

  handleError(error: Error): void {
    this.#error ??= error;
    this.#connection?.stream.resume();
    this.#wake();
  }

  handleRowDescription(): void {}
  handleDataRow(): void {}
  handlePortalSuspended(): void {}
  handleCommandComplete(): void {}
  handleCloseComplete(): void {}
  handleEmptyQuery(): void {}
  handleCopyInResponse(connection: DriverConnection): void {
    connection.sendCopyFail('This statement copies nothing in.');
  }
}

const newBatch = (bytes: number): CopiedRows => ({ bytes: Buffer.allocUnsafe(bytes), ends: [] });

/** The fields of a row; null is NULL. */
export type BinaryRow = (Buffer | null)[];

const headerBytes = 19;
const endOfRows = -1;

/**
 * The rows of `copy … to stdout (format binary)`, batch by batch.
 */
export async function* binaryRows(batches: AsyncIterable<CopiedRows>): AsyncGenerator<BinaryRow[], void> {
  // The header precedes the first row, in the same message.
  let skipped = headerBytes;
  for await (const { bytes, ends } of batches) {
    const rows: BinaryRow[] = [];
    let from = skipped;
    skipped = 0;
    for (const end of ends) {
      if (bytes.readInt16BE(from) !== endOfRows) rows.push(fieldsOf(bytes, from));
      from = end;
    }
    yield rows;
  }
}

function fieldsOf(bytes: Buffer, rowAt: number): BinaryRow {
  const fields: BinaryRow = new Array(bytes.readInt16BE(rowAt));
  let at = rowAt + 2;
  for (let i = 0; i < fields.length; i++) {
    const length = bytes.readInt32BE(at);
    at += 4;
    if (length < 0) {
      fields[i] = null;
      continue;
    }
    fields[i] = bytes.subarray(at, at + length);
    at += length;
  }
  return fields;
}
