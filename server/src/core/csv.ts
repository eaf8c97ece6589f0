/** A number in digits, which may begin with a minus sign: it is no formula. */
export class CsvNumber {
  readonly digits: string;

  constructor(digits: string) {
    this.digits = digits;
  }
}

/** A line of CSV (RFC 4180). Values other than text and numbers are written as JSON, null as an empty cell. */
export function csvLine(values: readonly unknown[], separator: ',' | ';' = ','): string {
  return `${values.map((value) => cellOf(value, separator)).join(separator)}\r\n`;
}

/**
 * Spreadsheets run a cell that begins like a formula (OWASP, CSV Injection). Some skip spaces before it, or read wide
 * and small forms of its first character as the character itself.
 */
const formula = /^(?:[\t\r\n]|[\s\p{C}]*[=+\-@＝＋－＠﹦﹢﹣﹫−])/u;

function cellOf(value: unknown, separator: string): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  if (value instanceof CsvNumber) return value.digits.includes(separator) ? `"${value.digits}"` : value.digits;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const harmless = formula.test(text) ? `'${text}` : text;
  return /["\r\n]/.test(harmless) || harmless.includes(separator) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
