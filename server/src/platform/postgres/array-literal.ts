/**
 * Array parameters in PostgreSQL's formats. The driver would check the type of every element and quote it, which took a
 * third of the time that this process spent on a batch.
 */

/** For numbers, UUIDs and words without commas, quotes, braces or backslashes: nothing is quoted. */
export function plainArray(values: readonly (string | number | boolean | null)[]): string {
  let text = '{';
  for (let i = 0; i < values.length; i++) text += `${i === 0 ? '' : ','}${values[i] ?? 'NULL'}`;
  return `${text}}`;
}

const textOid = 25;
const byteaOid = 17;
const headerBytes = 20;

/** Longer texts are measured before memory is allocated; for shorter ones, three bytes per character are allocated. */
const measuredFrom = 4_096;

/**
 * Any text as text[] in PostgreSQL's binary format, which needs no quoting; the driver sends a Buffer unchanged. Events are
 * JSON, in which every quotation mark would need a backslash.
 */
export function textArray(values: readonly (string | null)[]): Buffer {
  let mostBytes = headerBytes;
  for (let i = 0; i < values.length; i++) mostBytes += 4 + mostBytesOf(values[i] ?? '');
  const bytes = Buffer.allocUnsafe(mostBytes);
  let at = writeHeader(bytes, textOid, values.length);
  for (let i = 0; i < values.length; i++) {
    const value = values[i] ?? null;
    const length = value === null ? -1 : bytes.write(value, at + 4);
    bytes.writeInt32BE(length, at);
    at += 4 + Math.max(0, length);
  }
  return bytes.subarray(0, at);
}

function mostBytesOf(text: string): number {
  return text.length < measuredFrom ? 3 * text.length : Buffer.byteLength(text);
}

/** Any bytes as bytea[] in the binary format. */
export function byteaArray(values: readonly (Buffer | null)[]): Buffer {
  let size = headerBytes;
  for (const value of values) size += 4 + (value?.length ?? 0);
  const bytes = Buffer.allocUnsafe(size);
  let at = writeHeader(bytes, byteaOid, values.length);
  for (const value of values) {
    const length = value === null ? -1 : value.copy(bytes, at + 4);
    bytes.writeInt32BE(length, at);
    at += 4 + Math.max(0, length);
  }
  return bytes;
}

/** Returns where the first element goes. */
function writeHeader(bytes: Buffer, oid: number, count: number): number {
  bytes.writeInt32BE(1, 0); // dimensions
  bytes.writeInt32BE(0, 4); // flags
  bytes.writeInt32BE(oid, 8);
  bytes.writeInt32BE(count, 12);
  bytes.writeInt32BE(1, 16); // the first index
  return headerBytes;
}
