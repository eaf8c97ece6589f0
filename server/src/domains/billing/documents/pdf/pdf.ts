import type { InvoiceDocument, LabelledValue } from '../document.ts';
import { type Labels, labelsIn } from '../labels.ts';
import { facesFor } from './fonts.ts';
import { type Box, hairline, PageLayout, type Style } from './page-layout.ts';
import { canReorder, missingEmoji, placeholder, rightToLeft } from './text-layout.ts';

const ink = '#1a1a1a';
const grey = '#595959';
const stampColors = { Paid: '#17682e', Void: '#a8201a', Draft: grey };
const plain: Style = { size: 9.5, weight: 'regular', color: ink };
const bold: Style = { ...plain, weight: 'bold' };
const label: Style = { size: 8, weight: 'regular', color: grey };
const heading: Style = { size: 19, weight: 'bold', color: ink };
/** Space between columns, in points. */
const columnGap = 14;
/** Width of the right column: the facts, and the totals below them. */
const rightWidth = 215;

/** Renders an invoice as A4 pages with embedded fonts. */
export function renderPdf(invoice: InvoiceDocument): Promise<Buffer> {
  const { title, language, stamp, seller, changedAt } = invoice;
  const labels = labelsIn[language];
  const text = textOf(invoice);
  const documentTitle = stamp === null ? title : `${title} (${labels.stamps[stamp].toLowerCase()})`;
  const layout = new PageLayout(facesFor(text), { title: documentTitle, author: seller.name, language, changedAt });
  addHeader(layout, invoice);
  addParties(layout, invoice);
  addLines(layout, invoice);
  addTotals(layout, invoice);
  addFontNotes(layout, text, invoice);
  addFooter(layout, `${title} · ${seller.name}`, labels);
  return layout.end();
}

const textOf = ({ seller, buyer, description, lines }: InvoiceDocument) =>
  [seller.name, ...seller.details, ...buyer, description ?? '', ...lines.map((line) => line.description)].join('\n');

function addHeader(layout: PageLayout, { title, language, stamp, seller }: InvoiceDocument): void {
  const fullWidth: Box = { x: layout.left, width: layout.right - layout.left, align: 'left' };
  layout.writeLines(layout.breakLines(seller.name, fullWidth.width, bold), fullWidth, bold);
  if (seller.details.length > 0) {
    layout.writeLines(layout.breakLines(seller.details.join('\n'), fullWidth.width, plain), fullWidth, plain);
  }
  layout.y += 16;
  if (stamp !== null) addStamp(layout, stamp, labelsIn[language]);
  layout.writeLines(layout.breakLines(title, fullWidth.width, heading), fullWidth, heading);
  layout.y += 14;
}

function addStamp(layout: PageLayout, stamp: NonNullable<InvoiceDocument['stamp']>, labels: Labels): void {
  const style: Style = { size: 12, weight: 'bold', color: stampColors[stamp] };
  const text = labels.stamps[stamp].toUpperCase();
  const width = layout.widthOf(text, style) + 20;
  const y = layout.y + 3;
  layout.drawFrame(layout.right - width, y, width, layout.lineHeight(style) + 4, style.color);
  layout.drawText(text, y + 2, { x: layout.right - width + 10, width, align: 'left' }, style);
}

/** The buyer on the left, the facts on the right; below them the payment summary and the description. */
function addParties(layout: PageLayout, invoice: InvoiceDocument): void {
  const { language, buyer, facts, paymentSummary, description } = invoice;
  const top = layout.y;
  const right = layout.right - rightWidth;
  const labels = Math.max(0, ...facts.map(([name]) => layout.widthOf(name, label)));
  for (const [name, value] of facts) {
    const offset = layout.baselineOffset(plain) - layout.baselineOffset(label);
    layout.drawText(name, layout.y + offset, { x: right, width: labels, align: 'left' }, label);
    const box: Box = { x: right + labels + columnGap, width: layout.right - right - labels - columnGap, align: 'left' };
    layout.writeLines(layout.breakLines(value, box.width, plain), box, plain);
  }
  const below = layout.y;
  layout.y = top;
  const box: Box = { x: layout.left, width: 250, align: 'left' };
  layout.writeLines(layout.breakLines(labelsIn[language].billedTo, box.width, label), box, label);
  layout.writeLines(layout.breakLines(buyer.join('\n'), box.width, plain), box, plain);
  layout.y = Math.max(below, layout.y) + 18;
  const fullWidth: Box = { x: layout.left, width: layout.right - layout.left, align: 'start' };
  const strong: Style = { ...bold, size: 12 };
  if (paymentSummary !== null) {
    layout.writeLines(layout.breakLines(paymentSummary, fullWidth.width, strong), fullWidth, strong);
    layout.y += 10;
  }
  if (description !== null) {
    layout.writeLines(layout.breakLines(description, fullWidth.width, plain), fullWidth, plain);
    layout.y += 10;
  }
}

interface Columns {
  style: Style;
  widths: number[];
}

function addLines(layout: PageLayout, { language, lines }: InvoiceDocument): void {
  const { columns } = labelsIn[language];
  const rows = lines.map(({ description, quantity, unitPrice, tax, amount }) => ({
    description,
    figures: [quantity, unitPrice, tax, amount],
  }));
  const { style, widths } = columnsFor(
    layout,
    rows.map(({ figures }) => figures),
    columns.slice(1),
  );
  const figureBoxes = widths.map((width, i): Box => {
    const after = widths.slice(i + 1).reduce((sum, one) => sum + one + columnGap, 0);
    return { x: layout.right - after - width, width, align: 'right' };
  });
  const first: Box = { x: layout.left, width: (figureBoxes[0] as Box).x - columnGap - layout.left, align: 'start' };
  const drawFigures = (texts: readonly string[], of: Style) => {
    for (const [i, text] of texts.entries()) layout.drawText(text, layout.y, figureBoxes[i] as Box, of);
  };
  const drawColumnNames = () => {
    layout.drawText(columns[0], layout.y, { ...first, align: 'left' }, label);
    drawFigures(columns.slice(1), label);
    layout.y += layout.lineHeight(label) + 4;
    layout.drawRule(layout.left, layout.right - layout.left, ink, 0.8);
    layout.y += 5;
  };
  layout.ensureSpace(layout.lineHeight(label) + layout.lineHeight(style) + 20);
  drawColumnNames();
  for (const { description, figures } of rows) {
    const wrapped = layout.breakLines(description, first.width, style);
    const height = wrapped.length * layout.lineHeight(style);
    // A row is not split across pages, unless it is higher than half a page.
    layout.ensureSpace(Math.min(height, layout.bottom / 2), drawColumnNames);
    drawFigures(figures, style);
    layout.writeLines(wrapped, first, style, drawColumnNames);
    layout.y += 4;
    layout.drawRule(layout.left, layout.right - layout.left, hairline);
    layout.y += 5;
  }
}

/**
 * Figures never wrap: their columns are as wide as needed, and the font shrinks when the description column gets too
 * narrow.
 */
function columnsFor(
  layout: PageLayout,
  rows: readonly (readonly string[])[],
  names: readonly string[],
  size = plain.size,
): Columns {
  const style = { ...plain, size };
  const widths = names.map((name, i) => {
    const figures = rows.map((row) => layout.widthOf(row[i] as string, style));
    return Math.max(layout.widthOf(name, label), ...figures);
  });
  const rest = widths.reduce((left, width) => left - width - columnGap, layout.right - layout.left);
  return rest >= 150 || size < 6 ? { style, widths } : columnsFor(layout, rows, names, size - 1);
}

function addTotals(layout: PageLayout, { sums: all }: InvoiceDocument): void {
  const last = all.at(-1) as LabelledValue;
  const strong: Style = { ...bold, size: 11.5 };
  const labels = Math.max(...all.map((pair) => layout.widthOf(pair[0], pair === last ? strong : plain)));
  const values = Math.max(...all.map((pair) => layout.widthOf(pair[1], pair === last ? strong : plain)));
  const width = Math.max(rightWidth, labels + columnGap * 2 + values);
  const x = layout.right - width;
  layout.y += 8;
  // The totals stay on one page, unless there are too many tax rates.
  layout.ensureSpace(Math.min(all.length * layout.lineHeight(plain) + 24, layout.bottom / 2));
  for (const pair of all) {
    const style = pair === last ? strong : plain;
    layout.ensureSpace(layout.lineHeight(style) + 10);
    if (pair === last) {
      layout.y += 5;
      layout.drawRule(x, width, ink, 0.8);
      layout.y += 5;
    }
    layout.drawText(pair[0], layout.y, { x, width, align: 'left' }, pair === last ? style : { ...style, color: grey });
    layout.drawText(pair[1], layout.y, { x, width, align: 'right' }, style);
    layout.y += layout.lineHeight(style);
  }
}

/** Adds notes about text that the installed fonts and packages cannot show correctly. */
function addFontNotes(layout: PageLayout, text: string, { language, payerPage }: InvoiceDocument): void {
  const labels = labelsIn[language];
  const page = labels.seePage(payerPage ?? null);
  const fullWidth: Box = { x: layout.left, width: layout.right - layout.left, align: 'left' };
  const addNote = (note: string) => {
    layout.y += 14;
    const lines = layout.breakLines(`${note}\n${page}`, fullWidth.width, label);
    layout.ensureSpace(lines.length * layout.lineHeight(label));
    layout.writeLines(lines, fullWidth, label);
  };
  if (layout.hasMissingGlyphs) addNote(labels.missingFont(placeholder));
  const emoji = missingEmoji(text, facesFor(text));
  if (emoji.length > 0) addNote(labels.missingEmoji(codePointsOf(emoji)));
  if (!canReorder && rightToLeft.test(text)) addNote(labels.wrongOrder);
}

const namedEmoji = 20;

/** Such as `U+1F1E9 U+1F1EA, U+1F38C`: no font of the file has the characters themselves. */
function codePointsOf(emoji: readonly string[]): string {
  const codes = emoji.slice(0, namedEmoji).map((one) => {
    return [...one].map((character) => `U+${character.codePointAt(0)?.toString(16).toUpperCase()}`).join(' ');
  });
  return codes.join(', ') + (emoji.length > namedEmoji ? ', …' : '');
}

function addFooter(layout: PageLayout, title: string, { page: [pageWord, of] }: Labels): void {
  const fullWidth: Box = { x: layout.left, width: layout.right - layout.left, align: 'right' };
  const line = truncated(layout, title.replace(/\s+/g, ' '), fullWidth.width - 90);
  layout.addFooters((y, page, pages) => {
    layout.drawText(line, y, { ...fullWidth, align: 'left' }, label);
    layout.drawText(`${pageWord} ${page} ${of} ${pages}`, y, fullWidth, label);
  });
}

function truncated(layout: PageLayout, text: string, width: number): string {
  if (layout.widthOf(text, label) <= width) return text;
  const letters = [...text];
  while (letters.length > 0 && layout.widthOf(`${letters.join('')}…`, label) > width) letters.pop();
  return `${letters.join('')}…`;
}
