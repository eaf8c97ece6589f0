import type { AuditEntryRecord } from './list.ts';

const fields = [
  'id',
  'tenantId',
  'time',
  'action',
  'recordType',
  'recordId',
  'userId',
  'userName',
  'by',
  'keyId',
  'address',
  'requestId',
  'changes',
  'details',
  'seq',
  'hash',
] as const satisfies readonly (keyof AuditEntryRecord)[];

const line = (cells: readonly string[]) => `${cells.join(',')}\r\n`;

export const csvHeader = line(fields);

/** An entry as a line of CSV (RFC 4180); `changes` and `details` as JSON. */
export function csvLine(entry: AuditEntryRecord): string {
  return line(fields.map((field) => cellOf(entry[field])));
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  // Spreadsheets run a cell that begins like a formula: OWASP, CSV Injection.
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
