import PDFDocument from 'pdfkit';
import type { Face } from './fonts.ts';
import { canReorder, type Line, layOutLines, placeholder, type Run, rightToLeft } from './text-layout.ts';

export interface Style {
  size: number;
  weight: 'regular' | 'bold';
  color: string;
}

export interface Box {
  x: number;
  width: number;
  /** `start` is left, and right for right-to-left text. */
  align: 'left' | 'right' | 'start';
}

const leading = 1.4;
/** In points, 72 to the inch, on A4. */
const margin = { side: 56, top: 54, bottom: 66 };
export const hairline = '#d9d9d9';

/** Lays out a PDF from top to bottom and page by page. Only footers are drawn below the bottom margin. */
export class PageLayout {
  readonly left = margin.side;
  readonly right: number;
  /** The top of the next element, in points from the top of the page. */
  y = margin.top;
  /** Whether a drawn text has a character that none of the fonts has. */
  hasMissingGlyphs = false;
  readonly #faces: readonly Face[];
  readonly #registeredFonts = new Set<string>();
  readonly #document: InstanceType<typeof PDFDocument>;
  readonly #pdf: Promise<Buffer>;

  constructor(faces: readonly Face[], info: { title: string; author: string; language: string; changedAt: Date }) {
    const { title, author, language, changedAt } = info;
    this.#faces = faces;
    this.#document = new PDFDocument({
      size: 'A4',
      margin: 0,
      bufferPages: true,
      lang: language,
      displayTitle: true,
      // No default font: fonts are registered on first use.
      font: null as unknown as string,
      info: { Title: title, Author: author, CreationDate: changedAt, ModDate: changedAt },
    });
    this.right = this.#document.page.width - margin.side;
    this.#pdf = bytesOf(this.#document);
  }

  get bottom(): number {
    return this.#document.page.height - margin.bottom;
  }

  lineHeight({ size }: Style): number {
    return size * leading;
  }

  /** The distance from the top of a line to its baseline. The same for all faces, because one line can mix them. */
  baselineOffset({ size }: Style): number {
    return size * 1.1;
  }

  widthOf(text: string, style: Style): number {
    return Math.max(...this.breakLines(text, Number.POSITIVE_INFINITY, style).map(({ width }) => width));
  }

  breakLines(text: string, width: number, style: Style): Line[] {
    return layOutLines(text, width, {
      faces: this.#faces,
      widthOf: (run) => this.#setFont(run, style).widthOfString(run.text),
    });
  }

  /** Draws text on one line at `y`, and does not move the position of the next element. */
  drawText(text: string, y: number, box: Box, style: Style): void {
    for (const line of this.breakLines(text, Number.POSITIVE_INFINITY, style)) this.#draw(line, y, box, style);
  }

  /**
   * Writes lines at the current position, on as many pages as needed. `onPage` may draw at the top of each new page.
   */
  writeLines(lines: readonly Line[], box: Box, style: Style, onPage = () => {}): void {
    for (const line of lines) {
      this.ensureSpace(this.lineHeight(style), onPage);
      this.#draw(line, this.y, box, style);
      this.y += this.lineHeight(style);
    }
  }

  /** Begins a new page when less than `height` is left. The caller must split elements that are higher than a page. */
  ensureSpace(height: number, onPage = () => {}): void {
    if (this.y + height <= this.bottom || this.y === margin.top) return;
    this.#document.addPage();
    this.y = margin.top;
    onPage();
  }

  drawRule(x: number, width: number, color: string, thickness = 0.5): void {
    this.#document
      .moveTo(x, this.y)
      .lineTo(x + width, this.y)
      .lineWidth(thickness)
      .strokeColor(color)
      .stroke();
  }

  drawFrame(x: number, y: number, width: number, height: number, color: string): void {
    this.#document.roundedRect(x, y, width, height, 3).lineWidth(1.2).strokeColor(color).stroke();
  }

  /** Draws the footers of all pages. Called last, when the number of pages is known. */
  addFooters(drawFooter: (y: number, page: number, pages: number) => void): void {
    const { count } = this.#document.bufferedPageRange();
    for (let i = 0; i < count; i++) {
      this.#document.switchToPage(i);
      drawFooter(this.#document.page.height - margin.bottom * 0.6, i + 1, count);
    }
  }

  end(): Promise<Buffer> {
    this.#document.end();
    return this.#pdf;
  }

  #draw(line: Line, y: number, { x, width, align }: Box, style: Style): void {
    const isRight = align === 'right' || (align === 'start' && line.isRtl);
    let at = isRight ? x + width - line.width : x;
    for (const run of line.runs) {
      if (run.text.includes(placeholder)) this.hasMissingGlyphs = true;
      this.#setFont(run, style);
      this.#document.fillColor(style.color).text(run.text, at, y + this.baselineOffset(style), {
        lineBreak: false,
        baseline: 'alphabetic',
        // Without `features`, pdfkit lays out word by word from left to right.
        ...(canReorder && rightToLeft.test(run.text) && { features: [] }),
      });
      at += this.#document.widthOfString(run.text);
    }
  }

  #setFont({ face }: Run, { weight, size }: Style): InstanceType<typeof PDFDocument> {
    const name = `${face.name} ${weight}`;
    if (!this.#registeredFonts.has(name)) {
      // pdfkit also accepts a font that fontkit has opened; its types only know paths and bytes.
      this.#document.registerFont(name, face[weight]() as unknown as Uint8Array);
      this.#registeredFonts.add(name);
    }
    return this.#document.font(name).fontSize(size);
  }
}

function bytesOf(document: InstanceType<typeof PDFDocument>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  document.on('data', (chunk: Buffer) => chunks.push(chunk));
  return new Promise((fulfil, reject) => {
    document.on('end', () => fulfil(Buffer.concat(chunks)));
    document.on('error', reject);
  });
}
