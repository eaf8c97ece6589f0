import type { Socket } from 'node:net';

/** Learns how many bytes have been read since its request began. */
export interface ReadListener {
  read: (bytes: number) => void;
}

/** The status line of an interim answer. `101 Switching Protocols` is excluded, because what follows it is not HTTP. */
const interim = /^HTTP\/1\.\d 1(?!01)\d\d[ \r\n]$/;
const exampleInterim = 'HTTP/1.1 100 ';

const cr = 13;
const lf = 10;
const nothing = Buffer.alloc(0);

/**
 * Reads a connection without interim answers. A receiver may send any number of them before its answer, also when it
 * was not asked to (RFC 9110, section 15.2), but undici closes the connection at a `100 Continue`.
 */
export class AnswerReader {
  /** Read since the request began, interim answers included. */
  bytes = 0;
  #listener: ReadListener | undefined;
  #part: 'start' | 'interim' | 'answer' = 'start';
  /** The start of an answer, while it is too short to tell which kind it is. */
  #held: Buffer = nothing;
  /** Whether the present line of an interim answer is empty as far as it has been read. */
  #isLineEmpty = false;

  /** From now on this socket gives its reader only the bytes of answers. */
  attach(socket: Socket): void {
    const read = socket.read.bind(socket);
    this.#restart();
    socket.read = (size) => {
      for (let chunk: Buffer | null = read(size); chunk !== null; chunk = read(size)) {
        this.bytes += chunk.length;
        this.#listener?.read(this.bytes);
        const kept = this.#withoutInterims(chunk);
        if (kept.length > 0) return kept;
      }
      return null;
    };
  }

  /** A request begins: what is read from now on is its answer. */
  begin(listener: ReadListener): void {
    this.#listener = listener;
    this.#restart();
  }

  #restart(): void {
    this.bytes = 0;
    this.#part = 'start';
    this.#held = nothing;
  }

  #withoutInterims(chunk: Buffer): Buffer {
    let rest = chunk;
    while (this.#part !== 'answer' && rest.length > 0) {
      rest = this.#part === 'start' ? this.#start(rest) : this.#afterInterim(rest);
    }
    return rest;
  }

  /** Decides what begins with these bytes; holds them back while they are too few. */
  #start(bytes: Buffer): Buffer {
    const start = withoutEmptyLines(this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]));
    const text = start.toString('latin1', 0, exampleInterim.length);
    const isInterim = interim.test(text + exampleInterim.slice(text.length));
    const isHeld = isInterim && text.length < exampleInterim.length;
    this.#held = isHeld ? start : nothing;
    if (isHeld) return nothing;
    this.#part = isInterim ? 'interim' : 'answer';
    this.#isLineEmpty = false;
    return start;
  }

  /** Drops the bytes of an interim answer, which ends with an empty line. */
  #afterInterim(bytes: Buffer): Buffer {
    for (const [at, byte] of bytes.entries()) {
      if (byte === lf && this.#isLineEmpty) {
        this.#part = 'start';
        return bytes.subarray(at + 1);
      }
      if (byte !== cr) this.#isLineEmpty = byte === lf;
    }
    return nothing;
  }
}

/** undici skips empty lines before a status line too. */
function withoutEmptyLines(bytes: Buffer): Buffer {
  let at = 0;
  while (bytes[at] === cr || bytes[at] === lf) at++;
  return bytes.subarray(at);
}
