import { inflateSync } from 'node:zlib';

/** A text as it stands on a page: from the left and from the bottom, in points. */
export interface PlacedText {
  x: number;
  y: number;
  text: string;
}

/**
 * What a reader would copy out of a PDF of ours, page by page, in the order in which it was written. It knows what pdfkit
 * writes: streams that are deflated, fonts with a table of what their glyphs mean, a matrix for each text.
 */
export function pagesOf(pdf: Buffer): PlacedText[][] {
  const objects = objectsOf(pdf);
  const object = (id: string | undefined): string => objects.get(id ?? '') ?? '';
  return [...objects.values()]
    .filter((text) => /\/Type \/Page\b/.test(text))
    .map((page) => {
      const resources = object(referred(page, 'Resources'));
      const fonts = new Map(
        [...resources.matchAll(/\/(F\d+) (\d+) 0 R/g)].map(([, name = '', id]) => [
          name,
          meanings(object(referred(object(id), 'ToUnicode'))),
        ]),
      );
      return textsOf(object(referred(page, 'Contents')), fonts);
    });
}

/** The texts of a page, joined to lines where they stand on one height. */
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

/** By their numbers; of a stream what is in it, else the object as it is written. */
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

const referred = (object: string, name: string) => new RegExp(`/${name} (\\d+) 0 R`).exec(object)?.[1];

/** What each glyph of a font means, by its number. */
function meanings(table: string): Map<number, string> {
  const all = new Map<number, string>();
  for (const [, first = '', meant = ''] of table.matchAll(/<([0-9a-f]{4})> <[0-9a-f]{4}> \[([^\]]*)\]/gi)) {
    const texts = [...meant.matchAll(/<([0-9a-f ]*)>/gi)].map(([, hex = '']) => utf16(hex.replaceAll(' ', '')));
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
