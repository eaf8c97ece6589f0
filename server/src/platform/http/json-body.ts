import { isUtf8 } from 'node:buffer';
import { invalid, Refusal } from '../../core/errors.ts';

export const maximumBodyBytes = 64 * 1024;
const maximumDepth = 20;

/**
 * Reads a JSON body, or says what is wrong with it. Beyond JSON itself it refuses what would be lost or bent later on:
 * bytes that are not UTF-8, NUL and lone surrogates in text (PostgreSQL cannot store them), nesting beyond 20 levels,
 * and numbers that a double cannot hold exactly. An ordinary body costs one parse and three quick looks.
 */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  if (!isUtf8(bytes)) throw malformed('The body is not valid UTF-8.');
  const text = bytes.toString('utf8');
  if (hasLongNumber(text)) refuseInexactNumbers(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw malformed('The body is not valid JSON.', cause);
  }
  // An escape is the only way to write NUL or half a surrogate pair in well-formed JSON.
  const suspicious = text.includes('\\u');
  if (suspicious || opensDeeply(text)) inspect(value, '', 1, suspicious);
  return value;
}

/** Compressed bodies are not taken: 64 KiB can unpack to 64 MiB. */
export function refuseEncoded(contentEncoding: string | undefined): void {
  if (contentEncoding === undefined || contentEncoding.trim().toLowerCase() === 'identity') return;
  throw new Refusal('encoding_not_supported', 'The body must be sent as it is, without a Content-Encoding.');
}

function malformed(message: string, cause?: unknown): Refusal {
  return new Refusal('malformed_json', message, { cause });
}

function hasLongNumber(text: string): boolean {
  return /[0-9][0-9.]{14}|[0-9][eE]/.test(text);
}

function opensDeeply(text: string): boolean {
  let opened = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if ((code === 0x7b || code === 0x5b) && ++opened > maximumDepth) return true;
  }
  return false;
}

function inspect(value: unknown, path: string, depth: number, checkText: boolean): void {
  if (typeof value === 'string') {
    if (checkText) refuseUnstorableText(value, path);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if (depth > maximumDepth) throw malformed(`The body is nested deeper than ${maximumDepth} levels.`);
  for (const [key, inner] of Object.entries(value)) {
    const innerPath = path === '' ? key : `${path}.${key}`;
    if (checkText) refuseUnstorableText(key, path === '' ? 'body' : path);
    inspect(inner, innerPath, depth + 1, checkText);
  }
}

/** Text with NUL or half a surrogate pair cannot be stored, and must not be bent in silence. */
export function refuseUnstorableText(text: string, field: string): void {
  if (text.includes('\0')) throw invalid(field, `${field} must not contain the NUL character.`);
  if (!text.isWellFormed()) throw invalid(field, `${field} must not contain half a surrogate pair.`);
}

/** A number written with more digits than a double holds would be stored as another number. */
function refuseInexactNumbers(text: string): void {
  try {
    const marked = JSON.parse(text, (_key, value, context?: { source?: string }) =>
      typeof value === 'number' && context?.source !== undefined && !isExact(context.source, value) ? bent : value,
    );
    const field = pathToBent(marked);
    if (field !== undefined) {
      throw invalid(
        field || 'body',
        `${field || 'The body'} must be a number of at most 2^53 − 1 that needs no rounding.`,
      );
    }
  } catch (error) {
    if (error instanceof Refusal) throw error;
    // Broken JSON, or nested too deep to walk, is told by what follows.
  }
}

/** Stands where a number was that a double cannot hold: the walk that finds such numbers does not know where it is. */
const bent = Symbol('a number bent by rounding');

function pathToBent(value: unknown): string | undefined {
  if (value === bent) return '';
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const path = pathToBent(inner);
    if (path !== undefined) return path === '' ? key : `${key}.${path}`;
  }
  return undefined;
}

function isExact(source: string, value: number): boolean {
  if (!Number.isFinite(value)) return false;
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return false;
  const digits = (text: string) =>
    text
      .replace(/^-/, '')
      .replace(/[eE].*$/, '')
      .replace('.', '')
      .replace(/^0+|0+$/g, '');
  // A fraction is rounded by nature (0.1 is); what must not vanish is the fraction of something that became whole.
  return !Number.isInteger(value) || digits(source) === digits(BigInt(value).toString());
}
