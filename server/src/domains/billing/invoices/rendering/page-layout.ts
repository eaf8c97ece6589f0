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
  /** `start` is the left, but of text that is read from right to left the right. */
  align: 'left' | 'right' | 'start';
}

const leading = 1.4;
/** In points, 72 to the inch, on A4. */
const margin = { side: 56, top: 54, bottom: 66 };
export const hairline = '#d9d9d9';

/** A PDF that grows from top to bottom, page by page. Nothing is written below the bottom margin but the foot. */
export class PageLayout {
  readonly left = margin.side;
  readonly right: number;
  /** Where the next thing goes. */
  y = margin.top;
  /** Something has been written of which a letter is in none of its fonts. */
  hasMissingGlyphs = false;
  readonly #faces: readonly Face[];
  readonly #registeredFonts = new Set<string>();
  readonly #document: InstanceType<typeof PDFDocument>;
  readonly #pdf: Promise<Buffer>;

  constructor(faces: readonly Face[], info: { title: string; author: string; changed: Date }) {
    const { title, author, changed } = info;
    this.#faces = faces;
    this.#document = new PDFDocument({
      size: 'A4',
      margin: 0,
      bufferPages: true,
      lang: 'en',
      displayTitle: true,
      // None by default: each is registered when it is needed.
      font: null as unknown as string,
      info: { Title: title, Author: author, CreationDate: changed, ModDate: changed },
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

  /** How far below its top a line stands. Faces differ in height: only so they stand on one line. */
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

  /** Puts text where it is told to, on one line, and moves nothing. */
  drawText(text: string, y: number, place: Box, style: Style): void {
    for (const line of this.breakLines(text, Number.POSITIVE_INFINITY, style)) this.#draw(line, y, place, style);
  }

  /** Writes lines from here on, on as many pages as it takes; `onPage` may put something on top of each new one. */
  writeLines(breakLines: readonly Line[], place: Box, style: Style, onPage = () => {}): void {
    for (const line of breakLines) {
      this.ensureSpace(this.lineHeight(style), onPage);
      this.#draw(line, this.y, place, style);
      this.y += this.lineHeight(style);
    }
  }

  /** Begins a new page where less than that is left of this one. What is higher than a page has to be broken. */
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

  /** Puts something below each page, once it is known how many there are. */
  addFooters(drawText: (y: number, page: number, pages: number) => void): void {
    const { count } = this.#document.bufferedPageRange();
    for (let i = 0; i < count; i++) {
      this.#document.switchToPage(i);
      drawText(this.#document.page.height - margin.bottom * 0.6, i + 1, count);
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
        // Without any, pdfkit sets word by word, from left to right.
        ...(canReorder && rightToLeft.test(run.text) && { features: [] }),
      });
      at += this.#document.widthOfString(run.text);
    }
  }

  #setFont({ face }: Run, { weight, size }: Style): InstanceType<typeof PDFDocument> {
    const name = `${face.name} ${weight}`;
    if (!this.#registeredFonts.has(name)) {
      // Its types know of paths and bytes alone.
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
