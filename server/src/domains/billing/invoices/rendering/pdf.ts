import { type InvoiceDocument, type LabelledValue, lineColumns } from './document.ts';
import { facesFor } from './fonts.ts';
import { type Box, hairline, PageLayout, type Style } from './page-layout.ts';
import { canReorder, placeholder, rightToLeft } from './text-layout.ts';

const ink = '#1a1a1a';
const grey = '#595959';
const stampColors = { Paid: '#17682e', Void: '#a8201a', Draft: grey };
const plain: Style = { size: 9.5, weight: 'regular', color: ink };
const bold: Style = { ...plain, weight: 'bold' };
const label: Style = { size: 8, weight: 'regular', color: grey };
const heading: Style = { size: 19, weight: 'bold', color: ink };
/** Between columns. */
const column = 14;
/** Of what stands at the right: the facts, and the sums below them. */
const rightWidth = 215;

/** The invoice as a PDF of A4 pages, with its fonts in it. */
export function renderPdf(printed: InvoiceDocument): Promise<Buffer> {
  const { title, stamp, seller, changedAt: changed } = printed;
  const text = textOf(printed);
  const named = stamp === null ? title : `${title} (${stamp.toLowerCase()})`;
  const sheet = new PageLayout(facesFor(text), { title: named, author: seller, changed });
  addHeader(sheet, printed);
  addParties(sheet, printed);
  addLines(sheet, printed);
  addTotals(sheet, printed);
  addFontNotes(sheet, printed.id, text);
  addFooter(sheet, `${title} · ${seller}`);
  return sheet.end();
}

const textOf = ({ seller, buyer, description, lines }: InvoiceDocument) =>
  [seller, ...buyer, description ?? '', ...lines.map((line) => line.description)].join('\n');

function addHeader(sheet: PageLayout, { title, stamp, seller }: InvoiceDocument): void {
  const whole: Box = { x: sheet.left, width: sheet.right - sheet.left, align: 'left' };
  sheet.writeLines(sheet.breakLines(seller, whole.width, bold), whole, bold);
  sheet.y += 16;
  if (stamp !== null) addStamp(sheet, stamp);
  sheet.writeLines(sheet.breakLines(title, whole.width, heading), whole, heading);
  sheet.y += 14;
}

function addStamp(sheet: PageLayout, stamp: NonNullable<InvoiceDocument['stamp']>): void {
  const style: Style = { size: 12, weight: 'bold', color: stampColors[stamp] };
  const text = stamp.toUpperCase();
  const width = sheet.widthOf(text, style) + 20;
  const y = sheet.y + 3;
  sheet.drawFrame(sheet.right - width, y, width, sheet.lineHeight(style) + 4, style.color);
  sheet.drawText(text, y + 2, { x: sheet.right - width + 10, width, align: 'left' }, style);
}

/** Who is to pay at the left, the facts at the right; below them what is asked for, in one line. */
function addParties(sheet: PageLayout, { buyer, facts, paymentSummary: demand, description }: InvoiceDocument): void {
  const top = sheet.y;
  const right = sheet.right - rightWidth;
  const labels = Math.max(0, ...facts.map(([name]) => sheet.widthOf(name, label)));
  for (const [name, value] of facts) {
    const lower = sheet.baselineOffset(plain) - sheet.baselineOffset(label);
    sheet.drawText(name, sheet.y + lower, { x: right, width: labels, align: 'left' }, label);
    const place: Box = { x: right + labels + column, width: sheet.right - right - labels - column, align: 'left' };
    sheet.writeLines(sheet.breakLines(value, place.width, plain), place, plain);
  }
  const below = sheet.y;
  sheet.y = top;
  const place: Box = { x: sheet.left, width: 250, align: 'left' };
  sheet.writeLines(sheet.breakLines('Billed to', place.width, label), place, label);
  sheet.writeLines(sheet.breakLines(buyer.join('\n'), place.width, plain), place, plain);
  sheet.y = Math.max(below, sheet.y) + 18;
  const whole: Box = { x: sheet.left, width: sheet.right - sheet.left, align: 'start' };
  const strong: Style = { ...bold, size: 12 };
  if (demand !== null) {
    sheet.writeLines(sheet.breakLines(demand, whole.width, strong), whole, strong);
    sheet.y += 10;
  }
  if (description !== null) {
    sheet.writeLines(sheet.breakLines(description, whole.width, plain), whole, plain);
    sheet.y += 10;
  }
}

interface Columns {
  style: Style;
  widths: number[];
}

function addLines(sheet: PageLayout, { lines }: InvoiceDocument): void {
  const rows = lines.map(({ description, quantity, unitPrice, tax, amount }) => ({
    description,
    figures: [quantity, unitPrice, tax, amount],
  }));
  const { style, widths } = columnsFor(
    sheet,
    rows.map(({ figures }) => figures),
  );
  const figurePlaces = widths.map((width, i): Box => {
    const after = widths.slice(i + 1).reduce((sum, one) => sum + one + column, 0);
    return { x: sheet.right - after - width, width, align: 'right' };
  });
  const first: Box = { x: sheet.left, width: (figurePlaces[0] as Box).x - column - sheet.left, align: 'start' };
  const cells = (texts: readonly string[], of: Style) => {
    for (const [i, text] of texts.entries()) sheet.drawText(text, sheet.y, figurePlaces[i] as Box, of);
  };
  const names = () => {
    sheet.drawText(lineColumns[0], sheet.y, { ...first, align: 'left' }, label);
    cells(lineColumns.slice(1), label);
    sheet.y += sheet.lineHeight(label) + 4;
    sheet.drawRule(sheet.left, sheet.right - sheet.left, ink, 0.8);
    sheet.y += 5;
  };
  sheet.ensureSpace(sheet.lineHeight(label) + sheet.lineHeight(style) + 20);
  names();
  for (const { description, figures } of rows) {
    const wrapped = sheet.breakLines(description, first.width, style);
    const height = wrapped.length * sheet.lineHeight(style);
    // A row stays whole; only one that fills half a page and more is broken.
    sheet.ensureSpace(Math.min(height, sheet.bottom / 2), names);
    cells(figures, style);
    sheet.writeLines(wrapped, first, style, names);
    sheet.y += 4;
    sheet.drawRule(sheet.left, sheet.right - sheet.left, hairline);
    sheet.y += 5;
  }
}

/** Figures are never broken: their columns are as wide as they need, in smaller letters where little would be left. */
function columnsFor(sheet: PageLayout, rows: readonly (readonly string[])[], size = plain.size): Columns {
  const style = { ...plain, size };
  const widths = lineColumns.slice(1).map((name, i) => {
    const figures = rows.map((row) => sheet.widthOf(row[i] as string, style));
    return Math.max(sheet.widthOf(name, label), ...figures);
  });
  const rest = widths.reduce((left, width) => left - width - column, sheet.right - sheet.left);
  return rest >= 150 || size < 6 ? { style, widths } : columnsFor(sheet, rows, size - 1);
}

function addTotals(sheet: PageLayout, { sums: all }: InvoiceDocument): void {
  const last = all.at(-1) as LabelledValue;
  const strong: Style = { ...bold, size: 11.5 };
  const labels = Math.max(...all.map((pair) => sheet.widthOf(pair[0], pair === last ? strong : plain)));
  const values = Math.max(...all.map((pair) => sheet.widthOf(pair[1], pair === last ? strong : plain)));
  const width = Math.max(rightWidth, labels + column * 2 + values);
  const x = sheet.right - width;
  sheet.y += 8;
  // They stay together, unless there are so many rates of tax that they cannot.
  sheet.ensureSpace(Math.min(all.length * sheet.lineHeight(plain) + 24, sheet.bottom / 2));
  for (const pair of all) {
    const style = pair === last ? strong : plain;
    sheet.ensureSpace(sheet.lineHeight(style) + 10);
    if (pair === last) {
      sheet.y += 5;
      sheet.drawRule(x, width, ink, 0.8);
      sheet.y += 5;
    }
    sheet.drawText(pair[0], sheet.y, { x, width, align: 'left' }, pair === last ? style : { ...style, color: grey });
    sheet.drawText(pair[1], sheet.y, { x, width, align: 'right' }, style);
    sheet.y += sheet.lineHeight(style);
  }
}

/** What the file cannot show it says, rather than showing something else. */
function addFontNotes(sheet: PageLayout, id: number, text: string): void {
  const page = `The page shows them as they are: /api/invoice/print?id=${id}`;
  const whole: Box = { x: sheet.left, width: sheet.right - sheet.left, align: 'left' };
  const remark = (says: string) => {
    sheet.y += 14;
    const lines = sheet.breakLines(`${says}\n${page}`, whole.width, label);
    sheet.ensureSpace(lines.length * sheet.lineHeight(label));
    sheet.writeLines(lines, whole, label);
  };
  if (sheet.hasMissingGlyphs) remark(`This file has no font for some letters; ${placeholder} stands for each of them.`);
  if (!canReorder && rightToLeft.test(text))
    remark('Words that are read from right to left stand in the wrong order here.');
}

function addFooter(sheet: PageLayout, title: string): void {
  const whole: Box = { x: sheet.left, width: sheet.right - sheet.left, align: 'right' };
  const line = truncated(sheet, title.replace(/\s+/g, ' '), whole.width - 90);
  sheet.addFooters((y, page, pages) => {
    sheet.drawText(line, y, { ...whole, align: 'left' }, label);
    sheet.drawText(`Page ${page} of ${pages}`, y, whole, label);
  });
}

function truncated(sheet: PageLayout, text: string, width: number): string {
  if (sheet.widthOf(text, label) <= width) return text;
  const letters = [...text];
  while (letters.length > 0 && sheet.widthOf(`${letters.join('')}…`, label) > width) letters.pop();
  return `${letters.join('')}…`;
}
