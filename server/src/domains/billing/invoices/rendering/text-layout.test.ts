import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Face, facesFor } from './fonts.ts';
import { canReorder, type Line, layOutLines } from './text-layout.ts';

/** Every letter is as wide as every other, so that a width is a number of letters. */
const set = (text: string, width: number, faces: readonly Face[] = facesFor(text)) =>
  layOutLines(text, width, { faces, widthOf: (run) => [...run.text].length });
const shown = (line: Line | undefined) => line?.runs.map((run) => run.text);
const texts = (lines: readonly Line[]) => lines.map((line) => shown(line)?.join(''));

test('lines are broken between words, and words only where they are wider than a line', () => {
  expect(texts(set('One loaf of bread, please', 10))).toEqual(['One loaf', 'of bread,', 'please']);
  expect(texts(set('a Donaudampfschiff', 6))).toEqual(['a', 'Donaud', 'ampfsc', 'hiff']);
  expect(texts(set('One\n\nTwo\r\nThree', 99))).toEqual(['One', '', 'Two', 'Three']);
});

test('no letter is lost, and no line is wider than it may be', () => {
  const words = fc.array(fc.string({ unit: fc.constantFrom(...'abcXYZ,.-äжλ'), maxLength: 12 }), { maxLength: 20 });
  fc.assert(
    fc.property(words, fc.integer({ min: 1, max: 30 }), (all, width) => {
      const lines = set(all.join(' '), width);
      expect(texts(lines).join('').replaceAll(' ', '')).toBe(all.join(''));
      for (const line of lines) expect(line.width).toBeLessThanOrEqual(width);
    }),
  );
});

test('a letter that no face has is replaced, with its marks as one; what cannot be seen is left out', () => {
  expect(texts(set('ꦗꦮ ok', 99))).toEqual(['□□ ok']);
  expect(texts(set('न्‍ a\ufe0fb\u2060c\u00ad\u0007d\u{e0061}\u200e', 99))).toEqual(['□ abcd']);
  // Composed, it is one that the face has.
  expect(texts(set('Zoe\u0308', 99))).toEqual(['Zoë']);
});

test.runIf(facesFor('').length > 1)('what the first face has not the next one has', () => {
  const [line] = set('No. 8 北京', 99);
  expect(line?.runs.map(({ text, face }) => [text, face.name])).toEqual([
    ['No. 8 ', 'DejaVuSans'],
    ['北京', 'NotoSansHans-Regular'],
  ]);
});

describe.runIf(canReorder)('from right to left', () => {
  test('runs stand as they are read, and numbers and other letters among them keep their direction', () => {
    const [line] = set('חשבונית 12 של Mill (תל אביב)', 99);
    expect(line?.isRtl).toBe(true);
    expect(shown(line)).toEqual([' )תל אביב(', 'Mill', ' של ', '12', 'חשבונית ']);
  });

  test('in a line from left to right only the words themselves are turned', () => {
    const [line] = set('Mill (תל אביב), 2 pieces', 99);
    expect(line?.isRtl).toBe(false);
    expect(shown(line)).toEqual(['Mill (', 'תל אביב', '), ', '2', ' pieces']);
  });

  test('the first words of a paragraph stand on its first line', () => {
    expect(set('שלום לכם רבותי', 9).map(shown)).toEqual([['שלום לכם'], ['רבותי']]);
  });
});
