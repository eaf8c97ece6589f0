import { inflateSync } from 'node:zlib';
import type { EvidenceFileType } from '../providers/dispute.ts';

/** What a file is, by its content. */
export interface FileContent {
  /** Undefined: none that is taken, or it is cut off. */
  type: EvidenceFileType | undefined;
  /** Of a PDF. Undefined: it is encrypted or cannot be read. */
  pages: number | undefined;
}

const headBytes = 8;
const tailBytes = 4_096;

/** Finds out what a file is while it arrives. */
export class FileInspection {
  #head = Buffer.alloc(0);
  #tail = Buffer.alloc(0);
  readonly #pages = new PdfPageCounter();

  push(chunk: Buffer): void {
    if (this.#head.length < headBytes) this.#head = Buffer.concat([this.#head, chunk.subarray(0, headBytes)]);
    this.#tail = Buffer.concat([this.#tail, chunk.subarray(-tailBytes)]).subarray(-tailBytes);
    this.#pages.push(chunk);
  }

  end(): FileContent {
    const type = typeOf(this.#head, this.#tail);
    return { type, pages: type === 'application/pdf' ? this.#pages.end() : undefined };
  }
}

/** By how it begins and ends. */
function typeOf(head: Buffer, tail: Buffer): EvidenceFileType | undefined {
  if (beginsAsPdf(head) && hasPdfEnd(tail)) return 'application/pdf';
  if (startsWith(head, pngSignature) && tail.subarray(-8, -4).equals(pngEnd)) return 'image/png';
  if (startsWith(head, [0xff, 0xd8, 0xff]) && hasJpegEnd(tail)) return 'image/jpeg';
  if (startsWith(head, [0x49, 0x49, 0x2a, 0]) || startsWith(head, [0x4d, 0x4d, 0, 0x2a])) return 'image/tiff';
  return undefined;
}

const pngSignature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const pngEnd = Buffer.from('IEND');

const startsWith = (content: Buffer, bytes: readonly number[]) => bytes.every((byte, i) => content[i] === byte);

const beginsAsPdf = (head: Buffer) => head.subarray(0, 5).toString('latin1') === '%PDF-';

/** A reader must find the end within the last 1,024 bytes (ISO 32000-1, annex H.3, note 18). */
const hasPdfEnd = (tail: Buffer) => tail.subarray(-1024).includes('%%EOF');

/** Cameras append bytes after the end of the picture. */
const hasJpegEnd = (tail: Buffer) => tail.includes(Buffer.from([0xff, 0xd9]));

/** Longer than what is searched for, and than the dictionary of a stream of objects. */
const keptCharacters = 4_096;
/** Of one stream of objects, as it is stored and when it is inflated. */
const maximumDeflated = 4_000_000;
const maximumInflated = 16_000_000;

/** Counts the pages of a PDF, also those that stand in streams of objects, without holding the file. */
class PdfPageCounter {
  /** What has not been counted yet, a character for each byte. */
  #text = '';
  #head = '';
  #pages = 0;
  #isUnreadable = false;

  push(chunk: Buffer): void {
    if (this.#head.length < headBytes) this.#head += chunk.toString('latin1', 0, headBytes);
    if (this.#isUnreadable || !'%PDF-'.startsWith(this.#head.slice(0, 5))) return;
    this.#text += chunk.toString('latin1');
    this.#count(keptCharacters);
  }

  /** Undefined: it is encrypted or cannot be read. */
  end(): number | undefined {
    this.#count(0);
    return this.#isUnreadable || this.#pages === 0 ? undefined : this.#pages;
  }

  /** Counts all but the last `kept` characters, in which something may begin that goes on in the next chunk. */
  #count(kept: number): void {
    if (/\/Encrypt\b/.test(this.#text)) this.#isUnreadable = true;
    while (!this.#isUnreadable) {
      const stream = /\/Type\s*\/ObjStm\b/.exec(this.#text);
      if (stream === null) break;
      if (!this.#countObjects(stream.index, kept === 0)) return;
    }
    const until = Math.max(0, this.#text.length - kept);
    this.#pages += countPages(this.#text, until);
    this.#text = this.#text.slice(until);
  }

  /** Counts what stands before a stream of objects and in it. False: its end has not arrived. */
  #countObjects(index: number, isLast: boolean): boolean {
    const text = this.#text;
    const begin = text.indexOf('stream', index);
    const end = begin < 0 ? -1 : text.indexOf('endstream', begin);
    if (end < 0) {
      this.#isUnreadable = isLast || text.length - index > maximumDeflated;
      return false;
    }
    const objects = objectsIn(text, { index, begin, end });
    if (objects === undefined) this.#isUnreadable = true;
    else this.#pages += countPages(text, begin) + countPages(objects);
    this.#text = text.slice(end + 'endstream'.length);
    return true;
  }
}

/** Of pages that begin before `until`. */
function countPages(text: string, until = text.length): number {
  let count = 0;
  for (const { index } of text.matchAll(/\/Type\s*\/Page(?![A-Za-z])/g)) if (index < until) count++;
  return count;
}

function objectsIn(text: string, { index, begin, end }: { index: number; begin: number; end: number }) {
  // After `stream` stands CR LF or LF.
  const first = begin + 'stream'.length + (text[begin + 6] === '\r' ? 2 : 1);
  const dictionary = text.slice(text.lastIndexOf('<<', index), begin);
  const content = text.slice(first, end);
  if (!dictionary.includes('/FlateDecode')) return dictionary.includes('/Filter') ? undefined : content;
  try {
    return inflateSync(Buffer.from(content, 'latin1'), { maxOutputLength: maximumInflated }).toString('latin1');
  } catch {
    return undefined;
  }
}
