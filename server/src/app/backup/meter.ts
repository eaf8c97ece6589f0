import { createHash, hash } from 'node:crypto';
import { Transform, type TransformCallback } from 'node:stream';
import type { CopiedRows } from '../../platform/postgres/copy-out.ts';

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

const wordsOfDigest = 8;

/**
 * Keeps the number of rows that COPY has written, and their digest: the sum of the SHA-256 of each row without the end
 * of its line, in words of 32 bits. It does not depend on the order, because PostgreSQL does not keep one.
 */
export class RowMeter {
  readonly #sums = new Uint32Array(wordsOfDigest);
  rows = 0;

  /** Passes on the bytes of all batches. */
  async *of(batches: AsyncIterable<CopiedRows>): AsyncGenerator<Buffer, void> {
    for await (const { bytes, ends } of batches) {
      let from = 0;
      for (const end of ends) {
        this.#add(hash('sha256', bytes.subarray(from, end - 1), 'buffer'));
        from = end;
      }
      yield bytes;
    }
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
