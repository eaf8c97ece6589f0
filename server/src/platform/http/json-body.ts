import { isUtf8 } from 'node:buffer';
import { invalid, Refusal } from '../../core/errors.ts';
import { type BrokenRule, rule } from '../../core/refusal-rules.ts';

export const maximumBodyBytes = 64 * 1024;
const maximumDepth = 20;

/**
 * Parses a JSON body, or refuses it with the reason. It also refuses what would be lost or changed later: bytes that
 * are not UTF-8, NUL and lone surrogates in text (PostgreSQL cannot store them), nesting beyond 20 levels, a key that
 * an object has twice (the parser would keep the last), and numbers that a double cannot represent exactly. An ordinary
 * body costs one parse and four quick checks.
 */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  if (!isUtf8(bytes)) throw malformed(rule('not_utf8'));
  const text = bytes.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw malformed(rule('not_valid_json'), cause);
  }
  const { opened, members, mayHaveInexactNumber } = shapeOf(text);
  if (mayHaveInexactNumber) refuseInexactNumbers(text);
  // In well-formed JSON only an escape can produce NUL or a lone surrogate.
  const suspicious = text.includes('\\u');
  if (suspicious || opened > maximumDepth) inspect(value, '', 1, suspicious);
  // 0.1 µs for the body of a payment, both counts: the parser drops one of two members with the same key.
  if (members !== membersOf(value)) refuseDuplicateKey(text);
  return value;
}

/** Compressed bodies are refused: 64 KiB may decompress to 64 MiB. */
export function refuseEncoded(contentEncoding: string | undefined): void {
  if (contentEncoding === undefined || contentEncoding.trim().toLowerCase() === 'identity') return;
  throw new Refusal('encoding_not_supported', 'The body must be sent as it is, without a Content-Encoding.');
}

function malformed(message: BrokenRule, cause?: unknown): Refusal {
  return new Refusal('malformed_json', message, { cause });
}

interface JsonShape {
  /** How many objects and arrays are opened. */
  opened: number;
  /** How many members the objects have in all. */
  members: number;
  /** Whether a number may need more digits than a double has; if so, an exact check follows, which costs 3.6 µs. */
  mayHaveInexactNumber: boolean;
}

/** The shape of well-formed JSON. */
function shapeOf(text: string): JsonShape {
  const shape = { opened: 0, members: 0, mayHaveInexactNumber: false };
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === quote) i = endOfString(text, i);
    else if (code === 0x7b || code === 0x5b) shape.opened++;
    else if (code === 0x3a) shape.members++;
    else if (isDigit(code)) {
      const end = endOfNumber(text, i);
      // Ids have up to 16 digits.
      if (end - i >= 15 && !isExactInteger(text.slice(i, end))) shape.mayHaveInexactNumber = true;
      i = end - 1;
    } else if (code === 0x45 || (code === 0x65 && isDigit(text.charCodeAt(i - 1)))) shape.mayHaveInexactNumber = true;
  }
  return shape;
}

const isDigit = (code: number) => code >= 0x30 && code <= 0x39;

/** The index after the digits and points that begin at `start`. */
function endOfNumber(text: string, start: number): number {
  let end = start + 1;
  while (isDigit(text.charCodeAt(end)) || text.charCodeAt(end) === 0x2e) end++;
  return end;
}

function isExactInteger(number: string): boolean {
  if (number.includes('.')) return false;
  return number.length < 16 || (number.length === 16 && number <= '9007199254740991');
}

const quote = 0x22;
const backslash = 0x5c;

/** The index of the quote that ends the string which begins at `start`. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === backslash) escapes++;
    if (escapes % 2 === 0) return end;
  }
}

function membersOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let members = 0;
  if (Array.isArray(value)) {
    for (const inner of value) if (typeof inner === 'object') members += membersOf(inner);
    return members;
  }
  // Values that were parsed inherit nothing that can be enumerated.
  for (const key in value) {
    const inner = (value as Record<string, unknown>)[key];
    members += typeof inner === 'object' ? 1 + membersOf(inner) : 1;
  }
  return members;
}

/** Finds the first key that an object of well-formed JSON has twice. */
function refuseDuplicateKey(text: string): void {
  const open: { keys: Set<string>; path: string }[] = [];
  let last = '';
  let path = '';
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]:]/g)) {
    const current = open.at(-1);
    if (token === '{' || token === '[') open.push({ keys: new Set(), path });
    else if (token === '}' || token === ']') path = open.pop()?.path ?? '';
    else if (token !== ':') last = token;
    else if (current !== undefined) {
      const key = JSON.parse(last) as string;
      path = current.path === '' ? key : `${current.path}.${key}`;
      if (current.keys.has(key)) throw invalid(path, rule(path === '' ? 'empty_key_twice' : 'given_twice'));
      current.keys.add(key);
    }
  }
}

function inspect(value: unknown, path: string, depth: number, checkText: boolean): void {
  if (typeof value === 'string') {
    if (checkText) refuseUnstorableText(value, path);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if (depth > maximumDepth) throw malformed(rule('too_deep', { limit: maximumDepth }));
  for (const [key, inner] of Object.entries(value)) {
    const innerPath = path === '' ? key : `${path}.${key}`;
    if (checkText) refuseUnstorableText(key, path === '' ? 'body' : path);
    inspect(inner, innerPath, depth + 1, checkText);
  }
}

/** Text with NUL or a lone surrogate cannot be stored, and must not be changed silently. */
export function refuseUnstorableText(text: string, field: string): void {
  if (text.includes('\0')) throw invalid(field, rule('nul'));
  if (!text.isWellFormed()) throw invalid(field, rule('half_surrogate'));
}

/** A number with more digits than a double can hold would be stored as another number. */
function refuseInexactNumbers(text: string): void {
  try {
    const marked = JSON.parse(text, (_key, value, context?: { source?: string }) =>
      typeof value === 'number' && context?.source !== undefined && !isExact(context.source, value) ? bent : value,
    );
    const field = pathToBent(marked);
    if (field !== undefined) {
      throw invalid(field || 'body', rule('inexact_number'));
    }
  } catch (error) {
    if (error instanceof Refusal) throw error;
    // Invalid JSON and too deep nesting are reported by the following checks.
  }
}

/** Replaces a number that a double cannot hold: the reviver that finds it does not know its path. */
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
  // Fractions may be rounded, as 0.1 is; but a fraction must not become an integer.
  return !Number.isInteger(value) || digits(source) === digits(BigInt(value).toString());
}
