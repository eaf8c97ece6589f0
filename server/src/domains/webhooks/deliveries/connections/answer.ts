import type { AttemptOutcome } from '../rules.ts';

/** The answer to a post, or the reason why there was none. */
export interface Answer {
  outcome: AttemptOutcome;
  /** Status of the answer; undefined: there was no answer. */
  status: number | undefined;
  retryAfter: string | undefined;
  /** Sent twice, because the receiver was closing the idle connection of the first request. */
  resent: boolean;
  /** IP address of the connection, if one was made. */
  address: string | undefined;
  /** Headers of the answer as JSON, where the answer may be kept. */
  headersJson: string | undefined;
  /** The first 8 KiB of the answer's body; null: it had none, or may not be kept. */
  body: Buffer | null;
  /** Includes making a connection, but not waiting for a free one. */
  durationMs: number;
}

/** When the deadline passes before anything is received. */
export const noAnswer: Answer = {
  outcome: 'timeout',
  status: undefined,
  retryAfter: undefined,
  resent: false,
  address: undefined,
  headersJson: undefined,
  body: null,
  durationMs: 0,
};

/** This much of an answer's body is read and stored; a connection with more to read is closed. */
const maxBodyBytes = 8 * 1024;
/** This many characters of headers are stored; a header that does not fit is left out entirely. */
const maxHeadersLength = 4 * 1024;
/** Headers that describe only the connection, or contain secrets of the receiver. */
const omittedHeaders = new Set(['connection', 'keep-alive', 'transfer-encoding', 'set-cookie', 'set-cookie2']);

/** An answer's headers as stored: a JSON object in which a repeated header is an array. */
export function headersJson(headers: Record<string, unknown>): string {
  const stored: [string, unknown][] = [];
  let length = 2;
  for (const [name, value] of Object.entries(headers)) {
    if (omittedHeaders.has(name)) continue;
    const added = name.length + String(value).length + 6;
    if (length + added > maxHeadersLength) continue;
    length += added;
    stored.push([name, value]);
  }
  return JSON.stringify(Object.fromEntries(stored));
}

/**
 * The start of a body. It copies the bytes, so that a receiver that sends byte by byte cannot keep a thousand packets
 * in our memory.
 */
export class BodyStart {
  #bytes: Buffer | undefined;
  #length = 0;

  /** Appends what still fits; false when the chunk did not fit entirely. */
  add(chunk: Buffer): boolean {
    const free = maxBodyBytes - this.#length;
    const taken = Math.min(free, chunk.length);
    if (this.#bytes === undefined) {
      // Most answers are one short chunk, or none.
      this.#bytes = Buffer.from(chunk.subarray(0, taken));
    } else {
      if (this.#bytes.length < maxBodyBytes) {
        const grown = Buffer.allocUnsafe(maxBodyBytes);
        this.#bytes.copy(grown, 0, 0, this.#length);
        this.#bytes = grown;
      }
      chunk.copy(this.#bytes, this.#length, 0, taken);
    }
    this.#length += taken;
    return taken === chunk.length;
  }

  /** null when there was no body. */
  get bytes(): Buffer | null {
    return this.#length === 0 || this.#bytes === undefined ? null : this.#bytes.subarray(0, this.#length);
  }
}
