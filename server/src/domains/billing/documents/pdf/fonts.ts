import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, extname, join } from 'node:path';

/** A font opened by fontkit. pdfkit accepts it, and it can be reused for any number of files. */
export interface Font {
  hasGlyphForCodePoint: (codePoint: number) => boolean;
}

/** A typeface in two weights with the same characters. A PDF embeds only the glyphs that it uses. */
export interface Face {
  name: string;
  regular: () => Font;
  bold: () => Font;
}

const require = createRequire(import.meta.url);
const resolvers = [require, fontPackage()].filter((one) => one !== undefined);

/** Latin, Greek, Cyrillic, Armenian, Georgian, Arabic, Hebrew. The standard PDF fonts only cover Western Europe. */
const dejaVu = installedFace('dejavu-fonts-ttf/package.json', 'ttf/DejaVuSans.ttf', 'ttf/DejaVuSans-Bold.ttf');

/**
 * Optional packages, like those below. `@florin/fonts` (the folder `fonts`) depends on all of them. 30 to 40 MB each;
 * each also covers the Han characters of the other languages.
 */
const chinese = installedFace(
  '@embedpdf/fonts-sc',
  '../fonts/NotoSansHans-Regular.otf',
  '../fonts/NotoSansHans-Bold.otf',
);
const japanese = installedFace('@embedpdf/fonts-jp', '../fonts/NotoSansJP-Regular.otf', '../fonts/NotoSansJP-Bold.otf');
const korean = installedFace('@embedpdf/fonts-kr', '../fonts/NotoSansKR-Regular.otf', '../fonts/NotoSansKR-Bold.otf');

/** Faces of one script each, 1 to 3 MB. */
const ofScripts = [
  'Thai',
  'Khmer',
  'Lao',
  'Devanagari',
  'Bengali',
  'Gujarati',
  'Gurmukhi',
  'Kannada',
  'Malayalam',
  'Sinhala',
  'Tamil',
  'Telugu',
].flatMap((script) => {
  const face = installedFace(
    `@expo-google-fonts/noto-sans-${script.toLowerCase()}/package.json`,
    `400Regular/NotoSans${script}_400Regular.ttf`,
    `700Bold/NotoSans${script}_700Bold.ttf`,
  );
  return face === undefined ? [] : [{ face, isUsed: new RegExp(`\\p{Script=${script}}`, 'u') }];
});

/** The names of the installed faces. No font file is opened for them. */
export const installedFaceNames = [dejaVu, chinese, japanese, korean, ...ofScripts.map(({ face }) => face)].flatMap(
  (face) => face?.name ?? [],
);

/**
 * The faces for a text, in order of preference. Han characters look different in China, Japan and Korea: the other
 * scripts in the text decide which face comes first.
 */
export function facesFor(text: string): Face[] {
  const eastern = /[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)
    ? [japanese, chinese, korean]
    : /\p{Script=Hangul}/u.test(text)
      ? [korean, chinese, japanese]
      : [chinese, japanese, korean];
  // Fonts of other scripts are not opened, because a character without a font is looked for in all of them.
  const others = ofScripts.filter(({ isUsed }) => isUsed.test(text)).map(({ face }) => face);
  return [dejaVu, ...others, ...eastern].filter((one) => one !== undefined);
}

/** Undefined when the package is not installed. The font files are relative to the folder of `anchor`. */
function installedFace(anchor: string, regular: string, bold: string): Face | undefined {
  for (const { resolve } of resolvers) {
    try {
      const folder = dirname(resolve(anchor));
      return {
        name: basename(regular, extname(regular)),
        regular: lazyFont(join(folder, regular)),
        bold: lazyFont(join(folder, bold)),
      };
    } catch {
      // The package is not there.
    }
  }
  return undefined;
}

/** Resolves what `@florin/fonts` depends on, which may be in its own folder. Undefined: it is not installed. */
function fontPackage(): NodeJS.Require | undefined {
  try {
    return createRequire(require.resolve('@florin/fonts/package.json'));
  } catch {
    return undefined;
  }
}

/** Reads the font on first use and keeps it: reading takes 0.1 s. */
function lazyFont(file: string): () => Font {
  let font: Font | undefined;
  return () => {
    font ??= withRequestedCharacters(
      (require('fontkit') as { create: (bytes: Buffer) => OpenedFont }).create(readFileSync(file)),
    );
    return font;
  };
}

interface OpenedFont extends Font {
  getGlyph: (id: number, codePoints?: number[]) => { codePoints: number[] };
}

/**
 * fontkit caches a glyph with the code points of the first request for it. A composite glyph such as Ö requests its
 * part O without code points: in later files, that O could be neither searched nor copied.
 */
function withRequestedCharacters(font: OpenedFont): OpenedFont {
  const getGlyph = font.getGlyph.bind(font);
  font.getGlyph = (id, codePoints = []) => {
    const glyph = getGlyph(id, codePoints);
    if (codePoints.length > 0) glyph.codePoints = codePoints;
    return glyph;
  };
  return font;
}
