import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Face, facesFor } from '../fonts.ts';
import { canReorder, type Line, layOutLines } from '../text-layout.ts';

/** All characters have the same width, so that a width is a number of characters. */
const set = (text: string, width: number, faces: readonly Face[] = facesFor(text)) =>
  layOutLines(text, width, { faces, widthOf: (run) => [...run.text].length });
const shown = (line: Line | undefined) => line?.runs.map((run) => run.text);
const texts = (lines: readonly Line[]) => lines.map((line) => shown(line)?.join(''));

test('lines break between words, and within a word only when it is wider than a line', () => {
  expect(texts(set('One loaf of bread, please', 10))).toEqual(['One loaf', 'of bread,', 'please']);
  expect(texts(set('a Donaudampfschiff', 6))).toEqual(['a', 'Donaud', 'ampfsc', 'hiff']);
  expect(texts(set('One\n\nTwo\r\nThree', 99))).toEqual(['One', '', 'Two', 'Three']);
});

test('no character is lost, and no line is wider than the limit', () => {
  const words = fc.array(fc.string({ unit: fc.constantFrom(...'abcXYZ,.-äжλ'), maxLength: 12 }), { maxLength: 20 });
  fc.assert(
    fc.property(words, fc.integer({ min: 1, max: 30 }), (all, width) => {
      const lines = set(all.join(' '), width);
      expect(texts(lines).join('').replaceAll(' ', '')).toBe(all.join(''));
      for (const line of lines) expect(line.width).toBeLessThanOrEqual(width);
    }),
  );
});

test('a grapheme that no face has is replaced once; invisible characters are removed', () => {
  expect(texts(set('ꦗꦮ ok', 99))).toEqual(['□□ ok']);
  expect(texts(set('न्‍ a\ufe0fb\u2060c\u00ad\u0007d\u{e0061}\u200e', 99))).toEqual(['□ abcd']);
  // NFC composes it to a character that the face has.
  expect(texts(set('Zoe\u0308', 99))).toEqual(['Zoë']);
});

test.runIf(facesFor('').length > 1)('characters that the first face lacks use the next face', () => {
  const [line] = set('No. 8 北京', 99);
  expect(line?.runs.map(({ text, face }) => [text, face.name])).toEqual([
    ['No. 8 ', 'DejaVuSans'],
    ['北京', 'NotoSansHans-Regular'],
  ]);
});

describe.runIf(canReorder)('right-to-left text', () => {
  test('is in visual order, and numbers and left-to-right text within it keep their direction', () => {
    const [line] = set('חשבונית 12 של Mill (תל אביב)', 99);
    expect(line?.isRtl).toBe(true);
    expect(shown(line)).toEqual([' )תל אביב(', 'Mill', ' של ', '12', 'חשבונית ']);
  });

  test('within a left-to-right line only reverses its own words', () => {
    const [line] = set('Mill (תל אביב), 2 pieces', 99);
    expect(line?.isRtl).toBe(false);
    expect(shown(line)).toEqual(['Mill (', 'תל אביב', '), ', '2', ' pieces']);
  });

  test('starts its paragraph on the first line', () => {
    expect(set('שלום לכם רבותי', 9).map(shown)).toEqual([['שלום לכם'], ['רבותי']]);
  });
});
