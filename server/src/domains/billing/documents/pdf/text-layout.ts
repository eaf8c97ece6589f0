import { createRequire } from 'node:module';
import type { Face } from './fonts.ts';

/** Text of one face and one direction, in reading order. */
export interface Run {
  text: string;
  face: Face;
}

export interface Line {
  /** In visual order, from left to right. */
  runs: Run[];
  width: number;
  /** Whether the line belongs to a right-to-left paragraph. */
  isRtl: boolean;
}

export interface LayoutOptions {
  /** In order of preference. */
  faces: readonly Face[];
  widthOf: (run: Run) => number;
}

/** Pictures and flags; digits only together with a keycap. */
const emoji = /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20e3/u;

/** The emoji of a text that no face has, each once: `layOutLines` leaves them out. */
export function missingEmoji(text: string, faces: readonly Face[]): string[] {
  if (!emoji.test(text)) return [];
  const segments = paragraphsOf(text).flatMap((paragraph) => [...graphemes.segment(paragraph)]);
  const missing = segments.filter(
    ({ segment }) => emoji.test(segment) && !faces.some((face) => hasGlyphsFor(face, segment)),
  );
  return [...new Set(missing.map(({ segment }) => segment))];
}

/** Shown for a character that no face has. DejaVu has it, which is always installed. */
export const placeholder = '□';

interface Levels {
  levels: Uint8Array;
  paragraphs: { level: number }[];
}

interface Bidi {
  getEmbeddingLevels: (text: string) => Levels;
  getReorderedIndices: (text: string, levels: Levels, start: number, end: number) => number[];
  getMirroredCharactersMap: (text: string, levels: Uint8Array) => Map<number, string>;
}

interface LineBreaks {
  nextBreak: () => { position: number } | null;
}

const require = createRequire(import.meta.url);
const LineBreaker = require('linebreak') as new (text: string) => LineBreaks;
const bidi = loadBidi();
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Whether right-to-left text can be shown in visual order. */
export const canReorder = bidi !== undefined;
export const rightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** Invisible characters, except joiners and direction marks. */
const invisible = /[[\p{Cc}\p{Default_Ignorable_Code_Point}]--[\u061c\u200c-\u200f\u202a-\u202e\u2066-\u2069]]/gv;
const joiners = /[\u200c\u200d]/g;
const directionMarks = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Breaks a text into lines no wider than `width` where Unicode allows it (UAX 14), each in visual order (UAX 9). */
export function layOutLines(text: string, width: number, options: LayoutOptions): Line[] {
  return paragraphsOf(text).flatMap((paragraph) => {
    const withFaces = assignFaces(paragraph, options.faces);
    const levels = rightToLeft.test(withFaces.text) ? bidi?.getEmbeddingLevels(withFaces.text) : undefined;
    return lineRanges(withFaces, width, options).map(([start, end]) => {
      const runs = visualRuns(withFaces, levels, start, end);
      return { runs, width: widthOf(runs, options), isRtl: (levels?.paragraphs[0]?.level ?? 0) % 2 === 1 };
    });
  });
}

/** Undefined when the package is not installed: right-to-left text is then shown in the wrong order. */
function loadBidi(): Bidi | undefined {
  try {
    return (require('bidi-js') as () => Bidi)();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error;
    return undefined;
  }
}

function paragraphsOf(text: string): string[] {
  return text
    .normalize('NFC')
    .split(/\r\n|[\n\v\f\r\u0085\u2028\u2029]/)
    .map((paragraph) => paragraph.replaceAll('\t', '    ').replace(invisible, ''));
}

interface TextWithFaces {
  text: string;
  /** The face of each UTF-16 code unit of the text. */
  faces: Face[];
}

/**
 * Gives each grapheme the first face that has all its characters. A grapheme that no face has is replaced; an emoji is
 * left out, because the fonts of a PDF have no colours.
 */
function assignFaces(text: string, faces: readonly Face[]): TextWithFaces {
  const first = faces[0] as Face;
  if (hasGlyphsFor(first, text)) return { text, faces: Array<Face>(text.length).fill(first) };
  let shown = '';
  let isAfterEmoji = false;
  const given: Face[] = [];
  for (const { segment } of graphemes.segment(text)) {
    // An emoji between two spaces leaves one of them.
    if (isAfterEmoji && segment === ' ' && /(^| )$/.test(shown)) continue;
    const face = faces.find((one) => hasGlyphsFor(one, segment));
    const letter = face !== undefined ? segment : emoji.test(segment) ? '' : placeholder;
    isAfterEmoji = letter === '';
    shown += letter;
    for (let i = 0; i < letter.length; i++) given.push(face ?? first);
  }
  return { text: shown, faces: given };
}

function hasGlyphsFor(face: Face, text: string): boolean {
  const font = face.regular();
  for (const letter of text.replace(joiners, '').replace(directionMarks, ''))
    if (!font.hasGlyphForCodePoint(letter.codePointAt(0) as number)) return false;
  return true;
}

/** Start and end of each line, without trailing spaces. */
function lineRanges({ text, faces }: TextWithFaces, width: number, options: LayoutOptions): [number, number][] {
  const lines: [number, number][] = [];
  const widthBetween = (start: number, end: number) => widthOf(logicalRuns({ text, faces }, start, end), options);
  let start = 0;
  let used = 0;
  for (const [from, to] of breakOpportunities(text)) {
    const end = from + text.slice(from, to).trimEnd().length;
    const word = widthBetween(from, end);
    if (used > 0 && used + word > width) {
      lines.push([start, from]);
      start = from;
      used = 0;
    }
    used += word + widthBetween(end, to);
    if (word <= width) continue;
    // A word that is wider than a line is broken between graphemes.
    used = 0;
    for (const { index, segment } of graphemes.segment(text.slice(from, to))) {
      const letter = widthBetween(from + index, from + index + segment.length);
      if (used + letter > width && used > 0) {
        lines.push([start, from + index]);
        start = from + index;
        used = 0;
      }
      used += letter;
    }
  }
  lines.push([start, text.length]);
  return lines.map(([begin, end]) => [begin, begin + text.slice(begin, end).trimEnd().length]);
}

function* breakOpportunities(text: string): Generator<[number, number]> {
  const breaks = new LineBreaker(text);
  let from = 0;
  for (let next = breaks.nextBreak(); next !== null; next = breaks.nextBreak()) {
    yield [from, next.position];
    from = next.position;
  }
}

const widthOf = (runs: readonly Run[], options: LayoutOptions) =>
  runs.reduce((sum, run) => sum + options.widthOf(run), 0);

function logicalRuns({ text, faces }: TextWithFaces, start: number, end: number): Run[] {
  const runs: Run[] = [];
  for (let from = start, i = start + 1; from < end; i++) {
    if (i < end && faces[i] === faces[from]) continue;
    runs.push(cleanRun(text.slice(from, i), faces[from] as Face));
    from = i;
  }
  return runs;
}

/** The runs of a line in visual order. */
function visualRuns(withFaces: TextWithFaces, levels: Levels | undefined, start: number, end: number): Run[] {
  if (bidi === undefined || levels === undefined || start === end) return logicalRuns(withFaces, start, end);
  const mirrored = bidi.getMirroredCharactersMap(withFaces.text, levels.levels);
  const runs: (Run & { level: number })[] = [];
  for (const i of bidi.getReorderedIndices(withFaces.text, levels, start, end - 1).slice(start, end)) {
    const level = levels.levels[i] as number;
    const face = withFaces.faces[i] as Face;
    const letter = mirrored.get(i) ?? (withFaces.text[i] as string);
    const last = runs.at(-1);
    if (last === undefined || last.level !== level || last.face !== face) runs.push({ text: letter, face, level });
    // The font engine reverses right-to-left text itself, so a run keeps its reading order.
    else last.text = level % 2 === 1 ? letter + last.text : last.text + letter;
  }
  return runs.map(({ text, face, level }) =>
    // A run of neutral characters has no direction of its own, so the font engine does not reverse it.
    cleanRun(level % 2 === 1 && !rightToLeft.test(text) ? [...text].reverse().join('') : text, face),
  );
}

/** Removes direction marks, which have already been applied, and joiners that the font does not have. */
function cleanRun(text: string, face: Face): Run {
  const unmarked = text.replace(directionMarks, '');
  const hasGlyph = (letter: string) => face.regular().hasGlyphForCodePoint(letter.codePointAt(0) as number);
  return { text: unmarked.replace(joiners, (joiner) => (hasGlyph(joiner) ? joiner : '')), face };
}
