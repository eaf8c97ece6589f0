import { columnNames, type Pair, type PrintedInvoice } from './document.ts';
import { facesFor } from './fonts.ts';
import { hairline, type Place, Sheet, type Style } from './sheet.ts';
import { canReorder, placeholder, rightToLeft } from './text-layout.ts';

const ink = '#1a1a1a';
const grey = '#595959';
const inkOfStamp = { Paid: '#17682e', Void: '#a8201a', Draft: grey };
const plain: Style = { size: 9.5, weight: 'regular', ink };
const bold: Style = { ...plain, weight: 'bold' };
const label: Style = { size: 8, weight: 'regular', ink: grey };
const heading: Style = { size: 19, weight: 'bold', ink };
/** Between columns. */
const column = 14;
/** Of what stands at the right: the facts, and the sums below them. */
const rightWidth = 215;

/** The invoice as a PDF of A4 pages, with its fonts in it. */
export function pdfOf(printed: PrintedInvoice): Promise<Buffer> {
  const { title, stamp, seller, changed } = printed;
  const text = textOf(printed);
  const named = stamp === null ? title : `${title} (${stamp.toLowerCase()})`;
  const sheet = new Sheet(facesFor(text), { title: named, author: seller, changed });
  head(sheet, printed);
  parties(sheet, printed);
  table(sheet, printed);
  sums(sheet, printed);
  remarks(sheet, printed.id, text);
  foot(sheet, `${title} · ${seller}`);
  return sheet.end();
}

const textOf = ({ seller, buyer, description, lines }: PrintedInvoice) =>
  [seller, ...buyer, description ?? '', ...lines.map((line) => line.description)].join('\n');

function head(sheet: Sheet, { title, stamp, seller }: PrintedInvoice): void {
  const whole: Place = { x: sheet.left, width: sheet.right - sheet.left, align: 'left' };
  sheet.write(sheet.lines(seller, whole.width, bold), whole, bold);
  sheet.y += 16;
  if (stamp !== null) stampOn(sheet, stamp);
  sheet.write(sheet.lines(title, whole.width, heading), whole, heading);
  sheet.y += 14;
}

function stampOn(sheet: Sheet, stamp: NonNullable<PrintedInvoice['stamp']>): void {
  const style: Style = { size: 12, weight: 'bold', ink: inkOfStamp[stamp] };
  const text = stamp.toUpperCase();
  const width = sheet.widthOf(text, style) + 20;
  const y = sheet.y + 3;
  sheet.frame(sheet.right - width, y, width, sheet.lineHeight(style) + 4, style.ink);
  sheet.put(text, y + 2, { x: sheet.right - width + 10, width, align: 'left' }, style);
}

/** Who is to pay at the left, the facts at the right; below them what is asked for, in one line. */
function parties(sheet: Sheet, { buyer, facts, demand, description }: PrintedInvoice): void {
  const top = sheet.y;
  const right = sheet.right - rightWidth;
  const labels = Math.max(0, ...facts.map(([name]) => sheet.widthOf(name, label)));
  for (const [name, value] of facts) {
    const lower = sheet.baseOf(plain) - sheet.baseOf(label);
    sheet.put(name, sheet.y + lower, { x: right, width: labels, align: 'left' }, label);
    const place: Place = { x: right + labels + column, width: sheet.right - right - labels - column, align: 'left' };
    sheet.write(sheet.lines(value, place.width, plain), place, plain);
  }
  const below = sheet.y;
  sheet.y = top;
  const place: Place = { x: sheet.left, width: 250, align: 'left' };
  sheet.write(sheet.lines('Billed to', place.width, label), place, label);
  sheet.write(sheet.lines(buyer.join('\n'), place.width, plain), place, plain);
  sheet.y = Math.max(below, sheet.y) + 18;
  const whole: Place = { x: sheet.left, width: sheet.right - sheet.left, align: 'start' };
  const strong: Style = { ...bold, size: 12 };
  if (demand !== null) {
    sheet.write(sheet.lines(demand, whole.width, strong), whole, strong);
    sheet.y += 10;
  }
  if (description !== null) {
    sheet.write(sheet.lines(description, whole.width, plain), whole, plain);
    sheet.y += 10;
  }
}

interface Columns {
  style: Style;
  widths: number[];
}

function table(sheet: Sheet, { lines }: PrintedInvoice): void {
  const rows = lines.map(({ description, quantity, unitPrice, tax, amount }) => ({
    description,
    figures: [quantity, unitPrice, tax, amount],
  }));
  const { style, widths } = columnsFor(
    sheet,
    rows.map(({ figures }) => figures),
  );
  const figurePlaces = widths.map((width, i): Place => {
    const after = widths.slice(i + 1).reduce((sum, one) => sum + one + column, 0);
    return { x: sheet.right - after - width, width, align: 'right' };
  });
  const first: Place = { x: sheet.left, width: (figurePlaces[0] as Place).x - column - sheet.left, align: 'start' };
  const cells = (texts: readonly string[], of: Style) => {
    for (const [i, text] of texts.entries()) sheet.put(text, sheet.y, figurePlaces[i] as Place, of);
  };
  const names = () => {
    sheet.put(columnNames[0], sheet.y, { ...first, align: 'left' }, label);
    cells(columnNames.slice(1), label);
    sheet.y += sheet.lineHeight(label) + 4;
    sheet.rule(sheet.left, sheet.right - sheet.left, ink, 0.8);
    sheet.y += 5;
  };
  sheet.make(sheet.lineHeight(label) + sheet.lineHeight(style) + 20);
  names();
  for (const { description, figures } of rows) {
    const wrapped = sheet.lines(description, first.width, style);
    const height = wrapped.length * sheet.lineHeight(style);
    // A row stays whole; only one that fills half a page and more is broken.
    sheet.make(Math.min(height, sheet.bottom / 2), names);
    cells(figures, style);
    sheet.write(wrapped, first, style, names);
    sheet.y += 4;
    sheet.rule(sheet.left, sheet.right - sheet.left, hairline);
    sheet.y += 5;
  }
}

/** Figures are never broken: their columns are as wide as they need, in smaller letters where little would be left. */
function columnsFor(sheet: Sheet, rows: readonly (readonly string[])[], size = plain.size): Columns {
  const style = { ...plain, size };
  const widths = columnNames.slice(1).map((name, i) => {
    const figures = rows.map((row) => sheet.widthOf(row[i] as string, style));
    return Math.max(sheet.widthOf(name, label), ...figures);
  });
  const rest = widths.reduce((left, width) => left - width - column, sheet.right - sheet.left);
  return rest >= 150 || size < 6 ? { style, widths } : columnsFor(sheet, rows, size - 1);
}

function sums(sheet: Sheet, { sums: all }: PrintedInvoice): void {
  const last = all.at(-1) as Pair;
  const strong: Style = { ...bold, size: 11.5 };
  const labels = Math.max(...all.map((pair) => sheet.widthOf(pair[0], pair === last ? strong : plain)));
  const values = Math.max(...all.map((pair) => sheet.widthOf(pair[1], pair === last ? strong : plain)));
  const width = Math.max(rightWidth, labels + column * 2 + values);
  const x = sheet.right - width;
  sheet.y += 8;
  // They stay together, unless there are so many rates of tax that they cannot.
  sheet.make(Math.min(all.length * sheet.lineHeight(plain) + 24, sheet.bottom / 2));
  for (const pair of all) {
    const style = pair === last ? strong : plain;
    sheet.make(sheet.lineHeight(style) + 10);
    if (pair === last) {
      sheet.y += 5;
      sheet.rule(x, width, ink, 0.8);
      sheet.y += 5;
    }
    sheet.put(pair[0], sheet.y, { x, width, align: 'left' }, pair === last ? style : { ...style, ink: grey });
    sheet.put(pair[1], sheet.y, { x, width, align: 'right' }, style);
    sheet.y += sheet.lineHeight(style);
  }
}

/** What the file cannot show it says, rather than showing something else. */
function remarks(sheet: Sheet, id: number, text: string): void {
  const page = `The page shows them as they are: /api/invoice/print?id=${id}`;
  const whole: Place = { x: sheet.left, width: sheet.right - sheet.left, align: 'left' };
  const remark = (says: string) => {
    sheet.y += 14;
    const lines = sheet.lines(`${says}\n${page}`, whole.width, label);
    sheet.make(lines.length * sheet.lineHeight(label));
    sheet.write(lines, whole, label);
  };
  if (sheet.lacks) remark(`This file has no font for some letters; ${placeholder} stands for each of them.`);
  if (!canReorder && rightToLeft.test(text))
    remark('Words that are read from right to left stand in the wrong order here.');
}

function foot(sheet: Sheet, title: string): void {
  const whole: Place = { x: sheet.left, width: sheet.right - sheet.left, align: 'right' };
  const line = shortened(sheet, title.replace(/\s+/g, ' '), whole.width - 90);
  sheet.foot((y, page, pages) => {
    sheet.put(line, y, { ...whole, align: 'left' }, label);
    sheet.put(`Page ${page} of ${pages}`, y, whole, label);
  });
}

function shortened(sheet: Sheet, text: string, width: number): string {
  if (sheet.widthOf(text, label) <= width) return text;
  const letters = [...text];
  while (letters.length > 0 && sheet.widthOf(`${letters.join('')}…`, label) > width) letters.pop();
  return `${letters.join('')}…`;
}
