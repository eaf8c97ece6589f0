import { exponentOf } from './currency.ts';
import { amountOfDecimal } from './money.ts';

const arabicZero = '٠'.charCodeAt(0);

/**
 * What a typed amount in major units can mean, in minor units of its currency: one reading, none, or two, of which a
 * person has to choose. `1,000.00` and `1.000,00` are a thousand in every locale. The locale decides about a single
 * sign before three digits: its own group sign groups. A single sign before one or two digits is a decimal sign, so
 * that 19.99 is never 1,999 in German.
 */
export function readingsOf(typed: string, currency: string, locale: string): number[] {
  // Spaces and apostrophes only group.
  const [plain, ...groups] = latinDigits(typed.trim()).split(/[\s\u00a0\u202f'’]/);
  if (groups.some((group, i) => !(i < groups.length - 1 ? /^\d{3}$/ : /^\d{3}(?!\d)/).test(group))) return [];
  const text = [plain, ...groups].join('');
  if (!/^\d(?:[\d.,٫٬]*\d)?$/.test(text)) return [];
  const signs = text.replaceAll(/\d/g, '');
  const last = signs.at(-1);
  if (last === undefined) return amounts([text], currency);

  const isSingle = signs.length === 1;
  const asGroups = grouped(text, last);
  const asDecimal = decimal(text, last, signs);
  if (!isSingle) return amounts([asDecimal ?? asGroups], currency);
  // From here on there is one sign.
  const isBeforeThree = /\D\d{3}$/.test(text);
  if (!isBeforeThree || last === '٫') return amounts([asDecimal], currency);
  if (last === groupSignOf(locale) || last === '٬' || exponentOf(currency) === 0) return amounts([asGroups], currency);
  // The decimal sign of the locale before all digits that the currency has.
  if (last === decimalSignOf(locale) && exponentOf(currency) === 3) return amounts([asDecimal], currency);
  return amounts([asDecimal, asGroups], currency);
}

/** An amount as it is typed: with the decimal sign of the locale, and without groups. */
export function typedAmount(amount: number, currency: string, locale: string): string {
  const exponent = exponentOf(currency) ?? 0;
  const digits = String(amount).padStart(exponent + 1, '0');
  return exponent === 0 ? digits : `${digits.slice(0, -exponent)}${decimalSignOf(locale)}${digits.slice(-exponent)}`;
}

const latinDigits = (text: string) => text.replaceAll(/[٠-٩]/g, (digit) => String(digit.charCodeAt(0) - arabicZero));

/** With the last sign as decimal sign, which then stands once, behind groups of three of the other sign. */
function decimal(text: string, last: string, signs: string): string | undefined {
  if (signs.indexOf(last) < signs.length - 1) return undefined;
  const [whole = '', fraction = ''] = [text.slice(0, text.indexOf(last)), text.slice(text.indexOf(last) + 1)];
  const other = signs[0] === last ? undefined : signs[0];
  const plain = other === undefined ? whole : grouped(whole, other);
  return plain && `${plain}.${fraction}`;
}

/** Without the sign, if it stands between groups of three and no other sign does. */
function grouped(text: string, sign: string): string | undefined {
  const [first = '', ...others] = text.split(sign);
  const isGrouped = /^\d{1,3}$/.test(first) && others.every((group) => /^\d{3}$/.test(group));
  return isGrouped ? [first, ...others].join('') : undefined;
}

function amounts(decimals: readonly (string | undefined)[], currency: string): number[] {
  const read = decimals.map((one) => (one === undefined ? undefined : amountOfDecimal(one, currency)));
  return [...new Set(read.filter((amount) => amount !== undefined))];
}

const decimalSignOf = (locale: string) => signOf(locale, 'decimal') ?? '.';
const groupSignOf = (locale: string) => signOf(locale, 'group');

function signOf(locale: string, type: 'decimal' | 'group'): string | undefined {
  return new Intl.NumberFormat(locale).formatToParts(1_234_567.8).find((part) => part.type === type)?.value;
}
