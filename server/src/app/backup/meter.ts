import { createHash } from 'node:crypto';
import { Transform, type TransformCallback } from 'node:stream';

const newline = 0x0a;

/** Passes bytes on, and keeps their SHA-256 and how many bytes and lines they are. COPY writes each row as one line. */
export class Meter extends Transform {
  readonly #hash = createHash('sha256');
  bytes = 0;
  lines = 0;

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#hash.update(chunk);
    this.bytes += chunk.length;
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, at + 1)) this.lines++;
    done(null, chunk);
  }

  /** In hex. Call it once, at the end. */
  sha256(): string {
    return this.#hash.digest('hex');
  }
}
