import { randomBytes } from 'node:crypto';

export type Mode = 'live' | 'test';

export interface Amount {
  currency: string;
  value: string;
}

/** A refusal of the API: the HTTP status and the error object of the body. */
export class Problem extends Error {
  readonly status: number;
  readonly field: string | undefined;

  constructor(status: number, detail: string, field?: string) {
    super(detail);
    this.status = status;
    this.field = field;
  }

  body(): Record<string, unknown> {
    const { status, message: detail, field } = this;
    const documentation = { href: 'https://docs.mollie.com/reference/handling-errors', type: 'text/html' };
    const title = titles[status] ?? 'Error';
    return { status, title, detail, ...(field === undefined ? {} : { field }), _links: { documentation } };
  }
}

const titles: Record<number, string> = {
  400: 'Bad Request',
  401: 'Unauthorized Request',
  403: 'Forbidden',
  404: 'Not Found',
  409: 'Conflict',
  422: 'Unprocessable Entity',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

/** A link to a resource of the API. */
export function hal(href: string) {
  return { href, type: 'application/hal+json' };
}

/** A link to a page for people. */
export function page(href: string) {
  return { href, type: 'text/html' };
}

/** Decimal digits of every currency that Mollie accepts (docs.mollie.com, Multicurrency). */
const digitsOf: Record<string, number> = { ISK: 0, JPY: 0 };
const otherCurrencies =
  'AED AUD BGN BRL CAD CHF CZK DKK EUR GBP HKD HUF ILS MXN MYR NOK NZD PHP PLN RON RUB SEK SGD THB TWD USD ZAR';
for (const currency of otherCurrencies.split(' ')) {
  digitsOf[currency] = 2;
}

const highestMinorUnits = 100_000_000n;

export function amountIn(amount: unknown, lowest = 1n): Amount {
  if (typeof amount !== 'object' || amount === null) throw new Problem(422, 'The amount is missing.', 'amount');
  const { currency, value } = amount as Record<string, unknown>;
  const digits = typeof currency === 'string' ? digitsOf[currency] : undefined;
  if (typeof currency !== 'string' || digits === undefined) {
    throw new Problem(422, 'No suitable payment methods found for this currency.', 'amount.currency');
  }
  const form = digits === 0 ? /^\d+$/ : new RegExp(`^\\d+\\.\\d{${digits}}$`);
  if (typeof value !== 'string' || !form.test(value)) {
    throw new Problem(422, 'The amount contains an invalid value.', 'amount.value');
  }
  const units = minorUnits({ currency, value });
  if (units < lowest) throw new Problem(422, 'The amount is lower than the minimum.', 'amount');
  if (units > highestMinorUnits) throw new Problem(422, 'The amount is higher than the maximum.', 'amount');
  return { currency, value };
}

export function minorUnits({ value }: Amount): bigint {
  return BigInt(value.replace('.', ''));
}

export function decimalsOf(units: bigint, { currency }: Amount): string {
  const digits = digitsOf[currency] ?? 2;
  const text = `${units}`.padStart(digits + 1, '0');
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

export function textIn(body: Record<string, unknown>, field: string, maxLength = Number.POSITIVE_INFINITY): string {
  const text = body[field];
  if (typeof text !== 'string' || text === '') throw new Problem(422, `The ${field} is missing.`, field);
  if ([...text].length > maxLength) throw new Problem(422, `The ${field} is too long.`, field);
  return text;
}

export function urlIn(body: Record<string, unknown>, field: string): string {
  const url = textIn(body, field, 2048);
  if (!URL.canParse(url)) throw new Problem(422, `The ${field} is invalid.`, field);
  return url;
}

export function metadataIn({ metadata = null }: Record<string, unknown>): unknown {
  if (JSON.stringify(metadata).length > 1024) throw new Problem(422, 'The metadata is larger than 1 kB.', 'metadata');
  return metadata;
}

export function newId(prefix: string): string {
  return prefix + randomBytes(8).toString('hex');
}

/** Mollie's format of times: to the second, in UTC with a numeric offset. */
export function timeOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}+00:00`;
}
