import { inflateSync } from 'node:zlib';

/** A text and its position on the page, in points from the left and from the bottom. */
export interface PlacedText {
  x: number;
  y: number;
  text: string;
}

/**
 * Extracts the text of a PDF, page by page, in the order of its content. Supports what pdfkit writes: deflated streams,
 * fonts with a ToUnicode table, and one matrix for each text.
 */
export function pagesOf(pdf: Buffer): PlacedText[][] {
  const objects = objectsOf(pdf);
  const object = (id: string | undefined): string => objects.get(id ?? '') ?? '';
  return [...objects.values()]
    .filter((text) => /\/Type \/Page\b/.test(text))
    .map((page) => {
      const resources = object(referenceOf(page, 'Resources'));
      const fonts = new Map(
        [...resources.matchAll(/\/(F\d+) (\d+) 0 R/g)].map(([, name = '', id]) => [
          name,
          glyphTexts(object(referenceOf(object(id), 'ToUnicode'))),
        ]),
      );
      return textsOf(object(referenceOf(page, 'Contents')), fonts);
    });
}

/** The texts of a page, those at one height joined to a line. */
export function rowsOf(page: readonly PlacedText[]): string[] {
  const heights = [...new Set(page.map(({ y }) => Math.round(y)))].sort((a, b) => b - a);
  return heights.map((height) =>
    page
      .filter(({ y }) => Math.round(y) === height)
      .sort((a, b) => a.x - b.x)
      .map(({ text }) => text)
      .join(' '),
  );
}

/** The objects of a PDF by number: the inflated content of streams, the source of other objects. */
function objectsOf(pdf: Buffer): Map<string, string> {
  const text = pdf.toString('latin1');
  const found = new Map<string, string>();
  for (const { 1: id = '', index, 0: start } of text.matchAll(/^(\d+) 0 obj\n/gm)) {
    const from = index + start.length;
    const body = text.slice(from, text.indexOf('\nendobj', from));
    const stream = body.indexOf('\nstream\n');
    if (stream === -1) found.set(id, body);
    else if (body.includes('/FlateDecode') && !body.includes('/Subtype')) {
      const length = Number(/\/Length (\d+)/.exec(body)?.[1]);
      const begin = from + stream + '\nstream\n'.length;
      found.set(id, inflateSync(pdf.subarray(begin, begin + length)).toString('latin1'));
    }
  }
  return found;
}

const referenceOf = (object: string, name: string) => new RegExp(`/${name} (\\d+) 0 R`).exec(object)?.[1];

/** The text of each glyph of a font, from its ToUnicode table. */
function glyphTexts(table: string): Map<number, string> {
  const all = new Map<number, string>();
  for (const [, first = '', codes = ''] of table.matchAll(/<([0-9a-f]{4})> <[0-9a-f]{4}> \[([^\]]*)\]/gi)) {
    const texts = [...codes.matchAll(/<([0-9a-f ]*)>/gi)].map(([, hex = '']) => utf16(hex.replaceAll(' ', '')));
    for (const [i, text] of texts.entries()) all.set(Number.parseInt(first, 16) + i, text);
  }
  return all;
}

const utf16 = (hex: string) => Buffer.from(hex, 'hex').swap16().toString('utf16le');

function textsOf(content: string, fonts: ReadonlyMap<string, Map<number, string>>): PlacedText[] {
  return [...content.matchAll(/^BT\n([\s\S]*?)^ET$/gm)].map(([, text = '']) => {
    const [, x, y] = /1 0 0 1 (\S+) (\S+) Tm/.exec(text) ?? [];
    const known = fonts.get(/\/(F\d+) /.exec(text)?.[1] ?? '');
    const glyphs = [...text.matchAll(/<([0-9a-f]+)>/gi)].flatMap(([, hex = '']) => hex.match(/.{4}/g) ?? []);
    return { x: Number(x), y: Number(y), text: glyphs.map((glyph) => known?.get(Number.parseInt(glyph, 16))).join('') };
  });
}
