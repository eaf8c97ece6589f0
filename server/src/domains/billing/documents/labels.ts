import type { Language } from '../sellers/formats.ts';

/** The texts of a rendered invoice. Their parameters are formatted already. */
export interface Labels {
  invoice: string;
  stamps: Readonly<Record<'Paid' | 'Void' | 'Draft', string>>;
  taxId: string;
  billedTo: string;
  /** The column titles of the lines. */
  columns: readonly [description: string, quantity: string, unitPrice: string, tax: string, amount: string];
  date: string;
  due: string;
  period: string;
  nothingToPay: string;
  voidSince: (day: string | null) => string;
  paidOn: (price: string, day: string | null) => string;
  toPayBy: (price: string, day: string | null) => string;
  refunded: (price: string) => string;
  subtotal: string;
  tax: string;
  taxOf: (rate: string, base: string) => string;
  total: string;
  paid: string;
  toPay: string;
  /** "Page 1 of 2". */
  page: readonly [page: string, of: string];
  missingFont: (placeholder: string) => string;
  missingEmoji: (codePoints: string) => string;
  wrongOrder: string;
  /** null: the address of the page is not known. */
  seePage: (address: string | null) => string;
}

const english: Labels = {
  invoice: 'Invoice',
  stamps: { Paid: 'Paid', Void: 'Void', Draft: 'Draft' },
  taxId: 'Tax ID',
  billedTo: 'Billed to',
  columns: ['Description', 'Quantity', 'Unit price', 'Tax', 'Amount'],
  date: 'Date',
  due: 'Due',
  period: 'Period',
  nothingToPay: 'Nothing to pay',
  voidSince: (day) => `Void since ${day}: nothing to pay`,
  paidOn: (price, day) => `${price} paid on ${day}`,
  toPayBy: (price, day) => `${price} to pay by ${day}`,
  refunded: (price) => `${price} refunded`,
  subtotal: 'Subtotal',
  tax: 'Tax',
  taxOf: (rate, base) => `Tax ${rate} of ${base}`,
  total: 'Total',
  paid: 'Paid',
  toPay: 'To pay',
  page: ['Page', 'of'],
  missingFont: (placeholder) => `This file has no font for some characters, which are shown as ${placeholder}.`,
  missingEmoji: (codePoints) => `Emoji are left out of this file: ${codePoints}.`,
  wrongOrder: 'Right-to-left text is shown in the wrong order in this file.',
  seePage: (address) =>
    address === null ? "The invoice's page shows them correctly." : `The page shows them correctly: ${address}`,
};

const german: Labels = {
  invoice: 'Rechnung',
  stamps: { Paid: 'Bezahlt', Void: 'Storniert', Draft: 'Entwurf' },
  taxId: 'Steuernummer',
  billedTo: 'Rechnung an',
  columns: ['Beschreibung', 'Menge', 'Einzelpreis', 'Steuer', 'Betrag'],
  date: 'Datum',
  due: 'Fällig am',
  period: 'Zeitraum',
  nothingToPay: 'Es ist nichts zu zahlen',
  voidSince: (day) => `Storniert am ${day}: Es ist nichts zu zahlen`,
  paidOn: (price, day) => `${price} bezahlt am ${day}`,
  toPayBy: (price, day) => `${price} zu zahlen bis ${day}`,
  refunded: (price) => `${price} erstattet`,
  subtotal: 'Zwischensumme',
  tax: 'Steuer',
  taxOf: (rate, base) => `${rate} Steuer auf ${base}`,
  total: 'Gesamtbetrag',
  paid: 'Bezahlt',
  toPay: 'Zu zahlen',
  page: ['Seite', 'von'],
  missingFont: (placeholder) =>
    `Für einige Zeichen fehlt dieser Datei die Schrift; ${placeholder} steht für jedes davon.`,
  missingEmoji: (codePoints) => `Emoji sind in dieser Datei weggelassen: ${codePoints}.`,
  wrongOrder: 'Text, der von rechts nach links läuft, steht in dieser Datei in falscher Reihenfolge.',
  seePage: (address) =>
    address === null ? 'Die Seite der Rechnung zeigt sie richtig.' : `Die Seite zeigt sie richtig: ${address}`,
};

export const labelsIn: Readonly<Record<Language, Labels>> = { en: english, de: german };
