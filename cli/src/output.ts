import { Readable, type Writable } from 'node:stream';
import { printable, printableJson, printableLines } from '../../sdk/src/printable.ts';
import type { System } from './system.ts';

/** Codes of terminals (ECMA-48). */
const colors = { green: 32, red: 31 } as const;
type Color = keyof typeof colors;

type Row = Readonly<Record<string, unknown>>;

/** A column of a list: a field of the row, or a path such as `error.message`. */
export type Column = string;

/** What lists of any resource show. */
const usualColumns: readonly Column[] = [
  'id',
  'number',
  'status',
  'state',
  'name',
  'userName',
  'email',
  'url',
  'eventType',
  'amount',
  'total',
  'currency',
  'account',
  'customerId',
  'createdTime',
  'time',
];

/**
 * Prints the results of commands. In a terminal lists are tables; otherwise each row is a line with tabs, without a
 * header. With --json a record is one JSON document, and a list one line of JSON for each row.
 */
export class Output {
  readonly isJson: boolean;
  private readonly isTerminal: boolean;
  private readonly isColored: boolean;
  private readonly stdout: Writable;
  private readonly stderr: Writable;

  constructor({ stdout, stderr, isTerminal, env }: System, isJson: boolean) {
    this.isJson = isJson;
    this.isTerminal = isTerminal;
    this.isColored = isTerminal && !env.NO_COLOR;
    this.stdout = stdout;
    this.stderr = stderr;
  }

  /** Prints a result as a sentence. With --json prints nothing, because the record is printed instead. */
  say(line: string): void {
    if (!this.isJson) this.line(line);
  }

  /** Progress and hints, on standard error. */
  note(line: string): void {
    this.stderr.write(`${printableLines(line)}\n`);
  }

  line(text: string, color?: Color): void {
    const shown = printableLines(text);
    this.stdout.write(
      `${color === undefined || !this.isColored ? shown : `\u001b[${colors[color]}m${shown}\u001b[0m`}\n`,
    );
  }

  record(record: object): void {
    if (this.isJson) {
      this.line(printableJson(record, this.isTerminal ? 2 : 0));
      return;
    }
    const entries = Object.entries(record).filter(([, value]) => value !== null && value !== undefined);
    const width = this.isTerminal ? Math.max(...entries.map(([name]) => name.length)) + 2 : 0;
    for (const [name, value] of entries) {
      this.line(this.isTerminal ? name.padEnd(width) + textOf(value) : `${name}\t${textOf(value)}`);
    }
  }

  /**
   * Prints rows as they arrive. In a terminal, prints a table when all have arrived. Without columns, those that the
   * first row has of `usualColumns`.
   */
  async rows(rows: AsyncIterable<object>, columns?: readonly Column[]): Promise<void> {
    if (columns === undefined) {
      const all: object[] = [];
      for await (const row of rows) all.push(row);
      const known = usualColumns.filter((column) => all.some((row) => column in row));
      const listed = known.length > 0 ? known : Object.keys(all[0] ?? {});
      return this.rows(Readable.from(all), listed);
    }
    if (this.isJson || !this.isTerminal) {
      for await (const row of rows) this.row(row, columns);
      return;
    }
    const cells: string[][] = [columns.map((column) => column.toUpperCase())];
    for await (const row of rows) cells.push(columns.map((column) => textOf(valueAt(row as Row, column))));
    if (cells.length === 1) {
      this.note('There are none.');
      return;
    }
    const widths = columns.map((_, i) => Math.max(...cells.map((line) => line[i]?.length ?? 0)));
    for (const line of cells)
      this.line(
        line
          .map((cell, i) => cell.padEnd(widths[i] ?? 0))
          .join('  ')
          .trimEnd(),
      );
  }

  row(row: object, columns: readonly Column[]): void {
    if (this.isJson) this.line(printableJson(row));
    else this.line(columns.map((column) => textOf(valueAt(row as Row, column))).join(this.isTerminal ? '  ' : '\t'));
  }
}

const valueAt = (row: Row, column: Column): unknown =>
  column.split('.').reduce<unknown>((value, part) => (value as Row | null | undefined)?.[part], row);

function textOf(value: unknown): string {
  return printable(typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? ''));
}
