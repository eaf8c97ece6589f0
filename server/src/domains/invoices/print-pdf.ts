import { createRequire } from 'node:module';
import PDFDocument from 'pdfkit';
import type { PrintedInvoice } from './printed.ts';

const { resolve } = createRequire(import.meta.url);
/** Latin, Greek, Cyrillic, Armenian, Georgian, Arabic, Hebrew: the fonts built into PDF know Western Europe alone. */
const font = resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf');
const boldFont = resolve('dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf');

const margin = 50;
const gap = 10;
/** From the left edge, and how wide: description, quantity, price, tax, amount. Figures end at the right of their column. */
const columns = [
  { x: 50, width: 215 },
  { x: 270, width: 55 },
  { x: 330, width: 75 },
  { x: 410, width: 50 },
  { x: 465, width: 80 },
] as const;
const right = 545;

/** The invoice as a PDF of A4 pages, with its fonts in it. */
export function pdfOf(printed: PrintedInvoice): Promise<Buffer> {
  const document = new PDFDocument({
    size: 'A4',
    margin,
    font,
    info: { Title: printed.title, Author: printed.seller, CreationDate: printed.changed, ModDate: printed.changed },
  });
  const chunks: Buffer[] = [];
  document.on('data', (chunk: Buffer) => chunks.push(chunk));
  const done = new Promise<Buffer>((fulfil, reject) => {
    document.on('end', () => fulfil(Buffer.concat(chunks)));
    document.on('error', reject);
  });
  head(document, printed);
  table(document, printed);
  sums(document, printed);
  document.end();
  return done;
}

type Document = InstanceType<typeof PDFDocument>;

function head(document: Document, { title, seller, buyer, facts, description }: PrintedInvoice): void {
  document.fontSize(10).text(seller);
  document.moveDown().font(boldFont).fontSize(18).text(title).font(font).fontSize(10);
  document.moveDown();
  const top = document.y;
  pairs(document, facts, 330);
  const below = document.y;
  document.text(buyer.join('\n'), margin, top, { width: 260 });
  document.y = Math.max(below, document.y);
  if (description !== null) document.moveDown().text(description, margin, document.y, { width: right - margin });
  document.moveDown();
}

function table(document: Document, { lines }: PrintedInvoice): void {
  document.font(boldFont);
  row(document, ['Description', 'Quantity', 'Price', 'Tax', 'Amount']);
  document.font(font);
  for (const { description, quantity, unitPrice, tax, amount } of lines) {
    row(document, [description, quantity, unitPrice, tax, amount]);
  }
}

function row(document: Document, cells: readonly [string, string, string, string, string]): void {
  document.fontSize(9);
  const height = Math.max(...cells.map((text, i) => document.heightOfString(text, { width: columns[i]?.width ?? 0 })));
  keepTogether(document, height + gap);
  const top = document.y;
  for (const [i, text] of cells.entries()) {
    const { x, width } = columns[i] as (typeof columns)[number];
    document.text(text, x, top, { width, align: i === 0 ? 'left' : 'right' });
  }
  const bottom = top + height + gap / 2;
  document.moveTo(margin, bottom).lineTo(right, bottom).lineWidth(0.5).strokeColor('#cccccc').stroke();
  document.y = top + height + gap;
  document.fontSize(10);
}

function sums(document: Document, { sums: all }: PrintedInvoice): void {
  keepTogether(document, all.length * 16);
  document.moveDown();
  pairs(document, all, 330);
}

function pairs(document: Document, all: readonly (readonly [string, string])[], x: number): void {
  for (const [label, value] of all) {
    const top = document.y;
    document.text(label, x, top, { width: 75 });
    document.text(value, x + 75, top, { width: right - x - 75, align: 'right' });
  }
}

/** What would run over the end of the page begins the next one; what is higher than a page begins where it is. */
function keepTogether(document: Document, height: number): void {
  const end = document.page.height - margin;
  if (document.y + height > end && document.y > margin) document.addPage();
}
