/** Of an answer's body this much is read and kept; where it goes on the connection is cut. */
const maximumAnswerBytes = 8 * 1024;
/** Of its headers this many characters are kept; one that does not fit is left out, whole. */
const maximumHeaderLength = 4 * 1024;
/** They speak of the connection alone, or hold a secret of the receiver's. */
const notKept = new Set(['connection', 'keep-alive', 'transfer-encoding', 'set-cookie', 'set-cookie2']);

/** An answer's headers as they are kept: a JSON object, a repeated header as an array. */
export function headersJson(headers: Record<string, unknown>): string {
  const kept: [string, unknown][] = [];
  let length = 2;
  for (const [name, value] of Object.entries(headers)) {
    if (notKept.has(name)) continue;
    const added = name.length + String(value).length + 6;
    if (length + added > maximumHeaderLength) continue;
    length += added;
    kept.push([name, value]);
  }
  return JSON.stringify(Object.fromEntries(kept));
}

/**
 * The beginning of a body. Copied out of what it arrives in, so that a receiver that sends byte by byte cannot make us
 * hold on to a thousand packets.
 */
export class BodyStart {
  #bytes: Buffer | undefined;
  #length = 0;

  /** Takes in what still fits; false when there was more. */
  add(chunk: Buffer): boolean {
    const room = maximumAnswerBytes - this.#length;
    const taken = Math.min(room, chunk.length);
    if (this.#bytes === undefined) {
      // Most answers are one short chunk, or none.
      this.#bytes = Buffer.from(chunk.subarray(0, taken));
    } else {
      if (this.#bytes.length < maximumAnswerBytes) {
        const grown = Buffer.allocUnsafe(maximumAnswerBytes);
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
