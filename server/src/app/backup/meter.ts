import { createHash, hash } from 'node:crypto';
import { Transform, type TransformCallback } from 'node:stream';

/** Passes bytes on, and keeps their number and their SHA-256. */
export class Meter extends Transform {
  readonly #hash = createHash('sha256');
  bytes = 0;

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#hash.update(chunk);
    this.bytes += chunk.length;
    done(null, chunk);
  }

  /** In hex. Call it once, at the end. */
  sha256(): string {
    return this.#hash.digest('hex');
  }
}

const newline = 0x0a;
const wordsOfDigest = 8;

/**
 * Passes on the output of COPY, which writes each row as one line, and keeps the number of rows and their digest. The
 * digest is the sum of the SHA-256 of each row, in words of 32 bits: it does not depend on the order, because
 * PostgreSQL does not keep one.
 */
export class RowMeter extends Transform {
  readonly #sums = new Uint32Array(wordsOfDigest);
  /** The beginning of a row whose end has not arrived yet. */
  #rest: Buffer = Buffer.alloc(0);
  rows = 0;

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const text = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let from = 0;
    for (let to = text.indexOf(newline); to >= 0; to = text.indexOf(newline, from)) {
      this.#add(hash('sha256', text.subarray(from, to), 'buffer'));
      from = to + 1;
    }
    this.#rest = text.subarray(from);
    done(null, chunk);
  }

  /** In hex. */
  digest(): string {
    return Buffer.from(this.#sums.buffer).toString('hex');
  }

  #add(digest: Buffer): void {
    this.rows++;
    for (let i = 0; i < wordsOfDigest; i++) this.#sums[i] = (this.#sums[i] as number) + digest.readUInt32LE(4 * i);
  }
}
