import { inflateSync } from 'node:zlib';
import type { EvidenceFileType } from '../providers/dispute.ts';

/** The type of a file by its content: by how it begins and ends. Undefined: none that is taken, or it is cut off. */
export function typeOfContent(content: Buffer): EvidenceFileType | undefined {
  if (isPdf(content)) return 'application/pdf';
  if (content.subarray(0, 8).equals(pngSignature) && content.subarray(-8, -4).equals(pngEnd)) return 'image/png';
  if (startsWith(content, [0xff, 0xd8, 0xff]) && hasJpegEnd(content)) return 'image/jpeg';
  if (startsWith(content, [0x49, 0x49, 0x2a, 0]) || startsWith(content, [0x4d, 0x4d, 0, 0x2a])) return 'image/tiff';
  return undefined;
}

const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const pngEnd = Buffer.from('IEND');

const startsWith = (content: Buffer, bytes: readonly number[]) => bytes.every((byte, i) => content[i] === byte);

/** A reader must find the end within the last 1,024 bytes (ISO 32000-1, annex H.3, note 18). */
const isPdf = (content: Buffer) =>
  content.subarray(0, 5).toString('latin1') === '%PDF-' && content.subarray(-1024).includes('%%EOF');

/** Cameras append bytes after the end of the picture. */
const hasJpegEnd = (content: Buffer) => content.subarray(-4096).includes(Buffer.from([0xff, 0xd9]));

/** Of one stream of objects, when it is inflated. */
const maximumInflated = 16_000_000;

/** The pages of a PDF, also of those that stand in streams of objects. Undefined: it is encrypted or cannot be read. */
export function pagesOfPdf(content: Buffer): number | undefined {
  const text = content.toString('latin1');
  if (/\/Encrypt\b/.test(text)) return undefined;
  let pages = countPages(text);
  for (const { index } of text.matchAll(/\/Type\s*\/ObjStm\b/g)) {
    const objects = objectStreamAt(content, text, index);
    if (objects === undefined) return undefined;
    pages += countPages(objects);
  }
  return pages === 0 ? undefined : pages;
}

const countPages = (text: string) => text.match(/\/Type\s*\/Page(?![A-Za-z])/g)?.length ?? 0;

function objectStreamAt(content: Buffer, text: string, index: number): string | undefined {
  const begin = text.indexOf('stream', index);
  const end = text.indexOf('endstream', begin);
  if (begin < 0 || end < 0) return undefined;
  // After `stream` stands CR LF or LF.
  const first = begin + 'stream'.length + (text[begin + 6] === '\r' ? 2 : 1);
  const dictionary = text.slice(text.lastIndexOf('<<', index), begin);
  const bytes = content.subarray(first, end);
  if (!dictionary.includes('/FlateDecode'))
    return dictionary.includes('/Filter') ? undefined : bytes.toString('latin1');
  try {
    return inflateSync(bytes, { maxOutputLength: maximumInflated }).toString('latin1');
  } catch {
    return undefined;
  }
}
