import { type Static, type TObject, type TOptional, type TSchema, Type } from 'typebox';
import type { Column } from '../postgres/columns.ts';
import type { Filter } from './filters.ts';

/** The SQL types of columns that a record can have. */
type ColumnType = 'bigint' | 'int' | 'boolean' | 'uuid' | 'text' | 'bytea' | 'json' | 'timestamptz';

/** A value that every new row has. It stands in the statement and is not sent. */
type Initial = string | number | null;

export type Field = StoredField | DerivedField;

/** A field of a record: how it is shown, and where it is stored. */
interface StoredField {
  shape: TSchema;
  /** Its column, or the name of what `select` reads. */
  column: string;
  sql: ColumnType;
  /** SQL of its value, if it is no column of the table. */
  select?: string;
  /** Makes what is shown of a value, unless that is the value. Its parameter has the type of the value in a row. */
  shown?: (value: never) => unknown;
  /** How callers give it, if they may. Stored as null without a value. */
  given?: TSchema;
  initial?: Initial;
}

/** A field that is shown and not stored: other columns of the row say it. */
interface DerivedField {
  shape: TSchema;
  derived: (row: never) => unknown;
  column?: undefined;
}

/** A column that is stored and not shown. `Value` is its type in a row. */
export interface StoredColumn<Value = unknown> {
  sql: ColumnType;
  initial?: Initial;
  /** Only for the compiler. */
  readonly value?: Value;
}

/** Declares a stored column whose values have the type `Value`. */
export function stored<Value>(sql: ColumnType): StoredColumn<Value>;
export function stored<Value>(sql: ColumnType, initial: Value & Initial): StoredColumn<Value> & { initial: Initial };
export function stored(sql: ColumnType, initial?: Initial): StoredColumn {
  return initial === undefined ? { sql } : { sql, initial };
}

/** The last fields of a record that changes, and whose events show it. */
export const changeFields = {
  version: {
    shape: Type.Integer({ description: 'Increases with every change, so that a receiver can discard older events.' }),
    column: 'version',
    sql: 'int',
  },
  createdTime: { shape: Type.String(), column: 'created_at', sql: 'timestamptz' },
  updatedTime: { shape: Type.String(), column: 'updated_at', sql: 'timestamptz' },
} as const;

type Fields = Readonly<Record<string, Field>>;
type StoredColumns = Readonly<Record<string, StoredColumn>>;

type ValueOf<F extends Field> = F extends { shown: (value: infer Value) => unknown } ? Value : Static<F['shape']>;
type ColumnOf<F extends Field> = F extends StoredField ? F['column'] : never;
type ShapesOf<F extends Fields> = { -readonly [Name in keyof F]: F[Name]['shape'] };
type ShapesGiven<F extends Fields> = {
  -readonly [Name in keyof F as F[Name] extends { given: TSchema } ? Name : never]: F[Name] extends {
    given: infer Shape extends TSchema;
  }
    ? Shape
    : never;
};

/** A row with the columns of all fields, and with those that are not shown. */
type Row<F extends Fields, Stored extends StoredColumns> = {
  -readonly [Name in keyof F as ColumnOf<F[Name]>]: ValueOf<F[Name]>;
} & { -readonly [Name in keyof Stored]: Stored[Name] extends StoredColumn<infer Value> ? Value : never };

type InitialColumns<F extends Fields, Stored extends StoredColumns> =
  | { [Name in keyof F]: F[Name] extends { initial: Initial } ? ColumnOf<F[Name]> : never }[keyof F]
  | { [Name in keyof Stored]: Stored[Name] extends { initial: Initial } ? Name : never }[keyof Stored];

type GivenColumns<F extends Fields> = {
  [Name in keyof F]: F[Name] extends { given: TSchema } ? ColumnOf<F[Name]> : never;
}[keyof F];

/** What callers give of a record. Null is the same as no value. */
type Given<F extends Fields, Input = Static<TObject<ShapesGiven<F>>>> = {
  [Name in keyof Input]: undefined extends Input[Name] ? Input[Name] | null : Input[Name];
};

/** The type of the rows of a record, and that of what is shown of them. */
export type RowOf<Definition> = Definition extends { show: (row: infer R) => unknown } ? R : never;
export type RecordOf<Definition> = Definition extends { show: (row: never) => infer Shown } ? Shown : never;
/** What callers give of a record. */
export type GivenOf<Definition> = Definition extends { rowGiven: (given: infer G) => unknown } ? G : never;

/** Some of the fields of a record, in this order. */
export function pick<const F extends Fields, const Name extends keyof F & string>(fields: F, names: readonly Name[]) {
  return Object.fromEntries(names.map((name) => [name, fields[name]])) as unknown as { [N in Name]: F[N] };
}

/** The same fields, each of which may be absent where it is shown. */
export function optional<const F extends Fields>(fields: F) {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, { ...field, shape: Type.Optional(field.shape) }]),
  ) as unknown as { [Name in keyof F]: Omit<F[Name], 'shape'> & { shape: TOptional<F[Name]['shape']> } };
}

/**
 * Declares a record once: the fields that are shown, in their order, with their columns or with what derives them from
 * other columns, and the columns that are only stored. Schema, rows, SQL and values are made from it, so that they
 * cannot disagree. `$id` names the schema; `alias` is the table's in SQL.
 *
 *     const note = defineRecord({ $id: 'Note', alias: 'n' }, {
 *       id: { shape: Type.Integer(), column: 'id', sql: 'bigint' },
 *       text: { shape: Type.String(), column: 'text', sql: 'text', given: Type.String({ maxLength: 4000 }) },
 *     }, { tenant_id: stored<number>('bigint') });
 *     type NoteRow = RowOf<typeof note>;
 */
export function defineRecord<const F extends Fields, const Stored extends StoredColumns>(
  { $id, alias }: { $id: string; alias: string },
  fields: F,
  stored: Stored,
) {
  type ThisRow = Row<F, Stored>;
  type Shown = Static<TObject<ShapesOf<F>>>;

  const named: NamedField[] = Object.entries(fields).map(([name, field]) => ({ name, ...(field as Field) }));
  const kept = named.filter((field) => field.column !== undefined);
  const given = kept.filter((field) => field.given !== undefined);
  const all: AnyColumn[] = [...kept, ...Object.entries(stored).map(([column, one]) => ({ column, ...one }))];
  const sent = all.filter(({ initial }) => initial === undefined);
  const constant = all.filter(({ initial }) => initial !== undefined);
  const initials = Object.fromEntries(constant.map(({ column, initial }) => [column, initial]));
  const compare = <Shape extends TSchema>(name: keyof F & string, operator: string, shape: Shape) => {
    const { column, sql } = fields[name] as StoredField;
    const condition = (value: string) => `${alias}.${column} ${operator} ${value}`;
    return { field: Type.Optional(shape) as TOptional<Shape>, type: sql as Filter['type'], condition };
  };

  return {
    fields,
    /** The schema of what is shown. */
    shape: Type.Object(Object.fromEntries(named.map(({ name, shape }) => [name, shape])) as ShapesOf<F>, { $id }),
    /** The properties of a request that callers may give. */
    given: Object.fromEntries(given.map((field) => [field.name, field.given])) as unknown as ShapesGiven<F>,
    /** Selects a row. JSON is read only where the condition holds, if there is one. */
    select: (jsonIf?: string) => all.map((column) => selected(column, alias, jsonIf)).join(', '),

    /** What is shown of a row. */
    show: (row: ThisRow): Shown => showFields(named, row) as Shown,
    /** Makes a function that shows only the fields of these names. */
    showOnly: (names: ReadonlySet<string>) => {
      const wanted = named.filter(({ name }) => names.has(name));
      return (row: ThisRow): Shown => showFields(wanted, row) as Shown;
    },

    /** The columns of a new row that callers have given. */
    rowGiven: (input: Given<F>) => rowGiven(given, input) as Pick<ThisRow, GivenColumns<F> & keyof ThisRow>,
    /** A new row: these values, and the initial ones. */
    newRow: (values: Omit<ThisRow, InitialColumns<F, Stored>>) => ({ ...initials, ...values }) as ThisRow,
    /** The columns of new rows, and SQL of their values from an input of `insertColumns`. */
    inserted: {
      columns: all.map(({ column }) => column).join(', '),
      values: all.map(insertedValue).join(', '),
      /** The same, with other SQL for some columns that have an initial value. */
      valuesWith: (others: { readonly [Column in InitialColumns<F, Stored>]?: string }) =>
        all.map((one) => (others as Record<string, string>)[one.column] ?? insertedValue(one)).join(', '),
    },
    /** The input columns of new rows, which are made from the items of a batch. */
    insertColumns: <Item>(rowOf: (item: Item) => ThisRow) =>
      sent.map((column) => inputColumn(column, rowOf as (item: Item) => object)),

    /** Filters of lists by a field: one value, the least, the highest. `shape` is the query parameter. */
    equals: <Shape extends TSchema>(name: keyof F & string, shape: Shape) => compare(name, '=', shape),
    atLeast: <Shape extends TSchema>(name: keyof F & string, shape: Shape) => compare(name, '>=', shape),
    atMost: <Shape extends TSchema>(name: keyof F & string, shape: Shape) => compare(name, '<=', shape),
  };
}

interface AnyColumn extends StoredColumn {
  column: string;
  select?: string;
}

type NamedField = NamedStoredField | (DerivedField & { name: string });
type NamedStoredField = StoredField & { name: string };

function selected({ column, sql, select }: AnyColumn, alias: string, jsonIf: string | undefined): string {
  if (select !== undefined) return `${select} as ${column}`;
  const value = `${alias}.${column}`;
  return sql === 'json' && jsonIf !== undefined ? `case when ${jsonIf} then ${value} end as ${column}` : value;
}

/** A loop: 20 fields take it half a microsecond. */
function showFields(fields: readonly NamedField[], row: object): object {
  const shown: Record<string, unknown> = {};
  for (const field of fields) {
    const { name } = field;
    if (field.column === undefined) {
      shown[name] = field.derived(row as never);
      continue;
    }
    const { column, shown: show } = field;
    const value = (row as Readonly<Record<string, never>>)[column] as never;
    shown[name] = show === undefined ? value : show(value);
  }
  return shown;
}

function rowGiven(fields: readonly NamedStoredField[], input: object): object {
  const row: Record<string, unknown> = {};
  for (const { name, column } of fields) row[column] = (input as Readonly<Record<string, unknown>>)[name] ?? null;
  return row;
}

/** Arrays have no JSON and no times: JSON is sent as text, a time in ms. */
function inputColumn<Item>({ column, sql }: AnyColumn, rowOf: (item: Item) => object): Column<Item> {
  const valueIn = (item: Item) => (rowOf(item) as Readonly<Record<string, never>>)[column] as never;
  switch (sql) {
    case 'json':
      return [column, 'text', (item: Item) => jsonOrNull(valueIn(item))];
    case 'timestamptz':
      return [inMs(column), 'float8', (item: Item) => msOrNull(valueIn(item))];
    default:
      return [column, sql, valueIn];
  }
}

const jsonOrNull = (value: unknown) => (value === null ? null : JSON.stringify(value));

const msOrNull = (time: string | null) => (time === null ? null : Date.parse(time));

const inMs = (column: string) => column.replace(/_at$/, '_ms');

function insertedValue({ column, sql, initial }: AnyColumn): string {
  if (initial !== undefined) return `${typeof initial === 'string' ? `'${initial}'` : initial}::${sql}`;
  if (sql === 'json') return `${column}::json`;
  return sql === 'timestamptz' ? `to_timestamp(${inMs(column)} / 1000)` : column;
}
