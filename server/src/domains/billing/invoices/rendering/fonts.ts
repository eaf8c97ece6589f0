import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, extname, join } from 'node:path';

/** What we need of a font that fontkit has opened; pdfkit takes it as it is, for any number of files. */
export interface Font {
  hasGlyphForCodePoint: (codePoint: number) => boolean;
}

/** A typeface in two weights, which have the same letters. Of these only those that are used go into a PDF. */
export interface Face {
  name: string;
  regular: () => Font;
  bold: () => Font;
}

const require = createRequire(import.meta.url);
const fontkit = require('fontkit') as { create: (bytes: Buffer) => Font };

/** Latin, Greek, Cyrillic, Armenian, Georgian, Arabic, Hebrew: the fonts built into PDF know Western Europe alone. */
const dejaVu = installedFace('dejavu-fonts-ttf/package.json', 'ttf/DejaVuSans.ttf', 'ttf/DejaVuSans-Bold.ttf');

/** 30 to 40 MB each, so they are there only where someone has installed them. Each knows more Han letters than its own. */
const chinese = installedFace(
  '@embedpdf/fonts-sc',
  '../fonts/NotoSansHans-Regular.otf',
  '../fonts/NotoSansHans-Bold.otf',
);
const japanese = installedFace('@embedpdf/fonts-jp', '../fonts/NotoSansJP-Regular.otf', '../fonts/NotoSansJP-Bold.otf');
const korean = installedFace('@embedpdf/fonts-kr', '../fonts/NotoSansKR-Regular.otf', '../fonts/NotoSansKR-Bold.otf');

/**
 * The faces for a text, the one to ask first in front. A Han letter is drawn differently in China, Japan and Korea: what
 * else stands in the text tells whose it is.
 */
export function facesFor(text: string): Face[] {
  const eastern = /[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)
    ? [japanese, chinese, korean]
    : /\p{Script=Hangul}/u.test(text)
      ? [korean, chinese, japanese]
      : [chinese, japanese, korean];
  return [dejaVu, ...eastern].filter((one) => one !== undefined);
}

/** Undefined where the package is not installed. `inside` leads to the folder that the files are told from. */
function installedFace(inside: string, regular: string, bold: string): Face | undefined {
  try {
    const folder = dirname(require.resolve(inside));
    return {
      name: basename(regular, extname(regular)),
      regular: lazyFont(join(folder, regular)),
      bold: lazyFont(join(folder, bold)),
    };
  } catch {
    return undefined;
  }
}

/** Read when it is first needed, and kept: reading one costs 0.1 s. */
function lazyFont(file: string): () => Font {
  let font: Font | undefined;
  return () => {
    font ??= fontkit.create(readFileSync(file));
    return font;
  };
}
