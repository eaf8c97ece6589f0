import { currencyCodes, exponentOf } from '../../../core/currency.ts';
import { decimalOf } from '../../../core/money.ts';
import { readingsOf } from '../../../core/read-amount.ts';
import { currenciesBySign } from './currency-signs.ts';

/**
 * How text is compared: as words that are normalized, and found by their pairs of letters. Pairs need neither an
 * extension nor a locale of the database, and find names of two characters.
 */

export const searchKinds = ['payment', 'customer', 'invoice', 'subscription'] as const;
export type SearchKind = (typeof searchKinds)[number];

/** What tokens are made for: a search never reads those of others. */
export interface TokenSpace {
  tenantId: number;
  livemode: boolean;
  kind: SearchKind;
}

/** Before a word that is only found whole. No text has control characters. */
const wholeMark = '\u0001';
/** After the end of an id. */
const endMark = '\u0002';

/** Letters that have no canonical form with an accent. */
const plainLetters: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', ø: 'o', ł: 'l', đ: 'd', ħ: 'h', ı: 'i', æ: 'ae', œ: 'oe', þ: 'th', ð: 'd', ς: 'σ' },
};
const replaceable = new RegExp(`[${Object.keys(plainLetters).join('')}]`, 'g');

/** NFKC, lower case, without the accents of Latin, Greek and Cyrillic letters. */
export function normalized(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .replaceAll(replaceable, (letter) => plainLetters[letter] as string);
}

/** A record's words. */
export interface SearchedText {
  /** Words that are found by any part of them. */
  texts: readonly (string | null | undefined)[];
  /** Words that are only found whole: amounts, currencies, numbers, last digits of cards. */
  exact: readonly (string | number | null | undefined)[];
  /** An id that is found by its last four to eight characters. */
  id?: string;
}

/** Of the texts of a record: all of a description, and metadata as far as they go. */
const maxTextLength = 4_000;

/** The words of a record as they are stored and compared, with spaces around each. */
export function wordsOf({ texts, exact, id }: SearchedText): string {
  const whole = exact
    .filter((word) => word !== null && word !== undefined)
    .map((word) => wholeMark + normalized(String(word)));
  const ending = id === undefined ? [] : [id.slice(-8) + endMark];
  const words = splitWords(normalized(texts.filter(Boolean).join(' ').slice(0, maxTextLength)));
  return ` ${[...new Set([...whole, ...ending, ...words])].join(' ')} `;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are marks here
const splitWords = (text: string) => text.split(/[\s\u0000-\u001f]+/).filter((word) => word !== '');

/** The tokens under which words are found. */
export function tokensOf(words: string, space: TokenSpace): number[] {
  const hash = hashIn(space);
  const tokens = new Set<number>();
  for (const word of words.split(' ')) {
    if (word.startsWith(wholeMark)) tokens.add(hash(word));
    else if (word.endsWith(endMark)) tokens.add(hash(word.slice(-5)));
    else for (const pair of pairsOf(word)) tokens.add(hash(pair));
  }
  return [...tokens];
}

function* pairsOf(word: string): Generator<string> {
  for (let i = 0; i + 1 < word.length; i++) yield word.slice(i, i + 2);
}

/** FNV-1a, as the integer type of PostgreSQL. Equal hashes of different words cost time, and find nothing wrong. */
function hashIn({ tenantId, livemode, kind }: TokenSpace): (word: string) => number {
  const start = fnv(`${tenantId}/${livemode}/${kind}/`, 0x811c9dc5);
  return (word) => fnv(word, start);
}

function fnv(text: string, start: number): number {
  let hash = start;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash | 0;
}

/** What a record must have to be found in one of the ways in which a query can be read. */
export interface Reading {
  /** Words of which it must have all tokens. */
  keys: string;
  /** Patterns for LIKE, all of which its words must match. */
  patterns: string[];
  /** Patterns for LIKE, one of which its words must match. */
  anyOf: string[];
}

const anything = ['%'];

const maxQueryWords = 8;
const maxReadings = 32;

/** The ways to read a query; none where it has no word of two characters. */
export function readingsOfQuery(query: string): Reading[] {
  const text = normalized(query).trim().replace(cardForm, '$1');
  const amount = amountIn(text);
  if (amount === undefined) return readingsOfWords(splitWords(text).slice(0, maxQueryWords));
  const { decimals, currencies } = amount;
  if (currencies === undefined) return readingsOfWords([decimals]);
  const anyOf = currencies.flatMap((currency) => wholeWord(currency.toLowerCase()).patterns);
  return readingsOfWords([decimals]).map((reading) => ({ ...reading, anyOf }));
}

function readingsOfWords(words: readonly string[]): Reading[] {
  const readings = words.map(alternativesOf).reduce<Reading[]>(
    (before, alternatives) =>
      before
        .flatMap(({ keys, patterns }) =>
          alternatives.map((one) => ({
            keys: `${keys} ${one.keys}`,
            patterns: [...patterns, ...one.patterns],
            anyOf: anything,
          })),
        )
        .slice(0, maxReadings),
    [{ keys: '', patterns: [], anyOf: anything }],
  );
  return readings.filter(({ keys }) => keys.split(' ').some((key) => key.length > 1));
}

/** `19.99`, `1 000,50 EUR`, `CHF 1'000`, `€2,500`, `99 zł`, `$100 USD`. */
const amountForm = /^([^\d٠-٩]*?)\s*([\d٠-٩](?:[\d٠-٩.,٫٬'’\s]*[\d٠-٩])?)\s*([^\d٠-٩]*)$/;
const spaces = /\s/;
/** A card as the console, receipts and providers show it: `Visa •••• 4242`. It is found by its last digits. */
const cardForm = /^[\p{L} ]*[•·*x]{2,}[\s-]*(\d{4})$/u;

/** A query that is an amount. Without `currencies` it may be one of any. */
function amountIn(text: string): { decimals: string; currencies?: readonly string[] } | undefined {
  const [, before = '', decimals = '', after = ''] = amountForm.exec(text) ?? [];
  if (decimalsOf(decimals).length === 0) return undefined;
  const named = [before, after].filter((sign) => sign !== '').map(currenciesNamed);
  const [first, second = first] = named;
  if (first === undefined || second === undefined) return { decimals };
  const currencies = first.filter((currency) => second.includes(currency));
  return currencies.length === 0 ? undefined : { decimals, currencies };
}

function currenciesNamed(text: string): readonly string[] {
  return isCurrencyWord(text) ? [text.toUpperCase()] : (signs.get(text) ?? []);
}

const signs = new Map(Object.entries(currenciesBySign).map(([sign, codes]) => [normalized(sign), codes.split(' ')]));

const currencyWords = new Set(currencyCodes.map((code) => code.toLowerCase()));
const isCurrencyWord = (word: string) => currencyWords.has(word);

/**
 * The ways to read a word: as an amount, as a number, currency or reference, as the end of an id, as part of a text.
 */
function alternativesOf(word: string): Reading[] {
  const [, prefix, ending] = /^([a-z]{3}_)?(?:\.\.\.)?([0-9a-f]{4,32})$/.exec(word) ?? [];
  if (prefix !== undefined && ending !== undefined && !isNumber.test(ending)) return [endOfId(ending.slice(-8))];
  const [, number] = /^(?:(?:cus|inv|sub)_)?(\d{1,16})$/.exec(word) ?? [];
  const isReference = isCurrencyWord(word) || (/\d/.test(word) && /[^\d.,]/.test(word));
  const whole = [...decimalsOf(word), number, isReference ? word : undefined].filter((one) => one !== undefined);
  return [
    ...[...new Set(whole)].filter((one) => !spaces.test(one)).map(wholeWord),
    ...(ending === undefined ? [] : [endOfId(ending.slice(-8))]),
    ...(spaces.test(word) ? [] : [{ keys: word, patterns: [`%${escaped(word)}%`], anyOf: anything }]),
  ];
}

const isNumber = /^\d+$/;
const wholeWord = (word: string): Reading => ({
  keys: wholeMark + word,
  patterns: [`% ${wholeMark}${escaped(word)} %`],
  anyOf: anything,
});
const endOfId = (end: string): Reading => ({ keys: end + endMark, patterns: [`%${end}${endMark} %`], anyOf: anything });
const escaped = (text: string) => text.replaceAll(/[\\%_]/g, String.raw`\$&`);

/** Currencies with each number of digits, and locales with each decimal sign. */
const anyCurrencies = ['USD', 'JPY', 'KWD'];
const anyLocales = ['en', 'de', 'fr'];

/** Whatever amount a text can mean, in major units. */
function decimalsOf(typed: string): string[] {
  const read = anyLocales.flatMap((locale) =>
    anyCurrencies.flatMap((currency) =>
      readingsOf(typed, currency, locale).map((amount) => amountWord(amount, currency)),
    ),
  );
  return [...new Set(read)];
}

/** An amount in minor units as a word: `19.99`, `20`. Equal for `20`, `20.0` and `20.00`. */
export function amountWord(amount: number, currency: string): string {
  if (exponentOf(currency) === undefined) return String(amount);
  const decimal = decimalOf(amount, currency);
  return decimal.includes('.') ? decimal.replace(/\.?0+$/, '') : decimal;
}
