import { invalid, type Refusal } from './errors.ts';
import { rule } from './refusal-rules.ts';

/**
 * The currencies of ISO 4217 that are used for payments, by their number of decimal digits. An amount is always an
 * integer in the smallest unit. Funds codes, metals and test codes are left out.
 */
const codesByExponent: Record<number, string> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF',
  2:
    'AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP CRC CUP ' +
    'CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES ' +
    'KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK ' +
    'NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB ' +
    'TJS TMT TOP TRY TTD TWD TZS UAH USD UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG BGN CUC HRK SLL ANG',
  3: 'BHD IQD JOD KWD LYD OMR TND',
};

const exponents = new Map(
  Object.entries(codesByExponent).flatMap(([exponent, codes]) =>
    codes.split(' ').map((code) => [code, Number(exponent)] as const),
  ),
);

export const currencyCodes: readonly string[] = [...exponents.keys()].sort();

/**
 * Their countries have replaced them. What exists in them is shown, paid, refunded and settled; nothing new is made.
 */
const withdrawn = new Set('ANG BGN CUC HRK SLL'.split(' '));

export function isWithdrawn(code: string): boolean {
  return withdrawn.has(code);
}

/** Refuses a currency that was withdrawn, for something new (`invalid_request`). */
export function requireInUse(code: string): void {
  if (isWithdrawn(code)) throw withdrawnRefusal(code);
}

export function withdrawnRefusal(code: string): Refusal {
  return invalid('currency', rule('currency_withdrawn', { currency: code }));
}

export function isCurrency(code: string): boolean {
  return exponents.has(code);
}

/** Decimal digits: 2 for USD, 0 for JPY, 3 for KWD. */
export function exponentOf(code: string): number | undefined {
  return exponents.get(code);
}

/** The largest amount in minor units: 2^53 − 1, which every client can represent exactly as a JSON number. */
export const maximumAmount = Number.MAX_SAFE_INTEGER;
