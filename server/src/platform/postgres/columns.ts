import { type BinaryValue, encoders } from './array-literal.ts';

/** One input column; undefined is written as null. */
export type Column<Row> = {
  [Type in keyof BinaryValue]: readonly [
    name: string,
    type: Type,
    valueFrom: (row: Row) => BinaryValue[Type] | null | undefined,
  ];
}[keyof BinaryValue];

/** The name and type of a column; whatever else declares it is ignored. */
export type NamedType = readonly [name: string, type: string, ...rest: unknown[]];

/** The input columns of a batch statement (`columns`). */
export interface Columns<Row> {
  readonly list: readonly Column<Row>[];
  /**
   * The query whose rows are the input: `select * from unnest($1::bigint[], $2::uuid[], …) as row (tenant_id, id, …)`.
   * Columns of a larger statement (`further`) follow its own, and their arrays follow its own arrays. The first array
   * is the parameter `$first`: 1 unless other values of the statement precede it.
   */
  relation(further?: readonly NamedType[], first?: number): string;
  /** One array for each column, in the order of the columns. */
  parametersOf(rows: readonly Row[]): Buffer[];
}

/**
 * Declares the input of a batch statement: the name, type and value of each column once, so that the SQL and the
 * parameters cannot disagree. The type decides how the array is encoded (`array-literal.ts`): 0.24 ms for 500 payments
 * of 17 columns, as fast as one call per column written by hand.
 *
 *     const input = columns<Draft>([['tenant_id', 'bigint', (draft) => draft.tenantId], …]);
 *     const insert = statement('…', `with input as (${input.relation()}) insert into … select … from input`);
 *     await database.run(insert, input.parametersOf(drafts));
 */
export function columns<Row>(list: readonly Column<Row>[]): Columns<Row> {
  return {
    list,
    relation: (further = [], first = 1) => relationOf([...list, ...further], first),
    parametersOf: (rows) =>
      list.map(([, type, valueFrom]) => encoders[type](rows.map(valueFrom as (row: Row) => never))),
  };
}

function relationOf(list: readonly NamedType[], first: number): string {
  const arrays = list.map(([, type], i) => `$${first + i}::${type}[]`);
  const names = list.map(([name]) => name);
  return `select * from unnest(${arrays.join(', ')}) as row (${names.join(', ')})`;
}
