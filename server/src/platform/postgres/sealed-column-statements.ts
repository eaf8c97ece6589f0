import { columns } from './columns.ts';
import { type Statement, statement } from './statement.ts';

type KeyType = 'bigint' | 'uuid' | 'text';

export interface SealedColumnOptions<Row> {
  /** The records in messages: `channels`. */
  noun: string;
  table: string;
  /** `bytea`: the first byte is the length of the id of the key that follows it (`crypto/seal.ts`). */
  column: string;
  /** Where older versions stored the value in clear, if they did. */
  plainColumn?: string;
  /** The primary key, in its order. */
  key: readonly (readonly [name: keyof Row & string, type: KeyType])[];
  /** Further columns that the associated data names. */
  further?: readonly (keyof Row & string)[];
  /** The associated data of the seal: where the value is stored. */
  associatedData: (row: Row) => string;
  /** Values that are sealed again in one statement, where they are large. */
  batchRows?: number;
}

/** The values of one column by key. `key_id` is null for values in clear. */
export interface SealedCount {
  key_id: string | null;
  count: number;
}

/** A row of the table, by its key and the further columns. */
export type SealedRow = Record<string, string | number> & {
  /** Sealed with another key than the current one; null: there is nothing to replace. */
  sealed: Buffer | null;
  /** In clear, and newer than `sealed`: a node of the older version has written it. */
  plain: string | null;
};

export interface Resealed {
  row: SealedRow;
  sealed: Buffer;
}

/** A column of secrets, declared by the module that owns the table. The keys that seal it can be changed. */
export interface SealedColumn {
  noun: string;
  table: string;
  column: string;
  batchRows: number | undefined;
  associatedData: (row: SealedRow) => string;
  /** Counts all values, however many there are. */
  count: Statement<SealedCount>;
  /** Rows with a value, after a row in the order of the key. Values: id of the current key, limit, key of the row. */
  page: Statement<SealedRow>;
  /** The key of a row, and the key before all rows. */
  keyOf: (row: SealedRow) => (string | number)[];
  beforeAll: (string | number)[];
  /** Replaces values that are still what `page` found. */
  replace: Statement<{ replaced: number }>;
  valuesOf: (resealed: readonly Resealed[]) => (string | Buffer)[];
}

const least = { bigint: '-9223372036854775808', uuid: '00000000-0000-0000-0000-000000000000', text: '' };

export function sealedColumn<Row>(options: SealedColumnOptions<Row>): SealedColumn {
  const { noun, table, column, plainColumn, key, further = [], associatedData, batchRows } = options;
  const names = key.map(([name]) => name);
  const plain = plainColumn ?? 'null::text';
  const name = `sealed.${table}.${column}`;
  const keyId = (head: string) => `encode(substring(${head} from 2 for get_byte(${head}, 0)), 'escape')`;
  const input = columns<Resealed>([
    ...key.map(([part, type]) => [part, type, ({ row }: Resealed) => row[part]] as never),
    ['sealed', 'bytea', ({ row }) => row.sealed],
    ['plain', 'text', ({ row }) => row.plain],
    ['resealed', 'bytea', ({ sealed }) => sealed],
  ]);
  return {
    noun,
    table,
    column,
    batchRows,
    associatedData: associatedData as unknown as (row: SealedRow) => string,
    count: statement(
      `${name}.count`,
      `select case when head is not null then ${keyId('head')} end as key_id, count(*) as count
         from (select substring(${column} from 1 for 33) as head from ${table}
                where ${column} is not null or ${plain} is not null) as value
        group by 1 order by 1`,
    ),
    page: statement(
      `${name}.page`,
      `select ${[...names, ...further].join(', ')}, plain, case when plain is not null
           or ${keyId('head')} <> $1 then sealed end as sealed
         from (select ${[...names, ...further].join(', ')}, ${plain} as plain, ${column} as sealed,
                      substring(${column} from 1 for 33) as head
                 from ${table}
                where (${names.join(', ')}) > (${key.map(([, type], i) => `$${i + 3}::${type}`).join(', ')})
                  and (${column} is not null or ${plain} is not null)
                order by ${names.join(', ')} limit $2::int) as page
        order by ${names.join(', ')}`,
    ),
    keyOf: (row) => names.map((part) => row[part] as string | number),
    beforeAll: key.map(([, type]) => least[type]),
    replace: statement(
      `${name}.replace`,
      `with input as (${input.relation()}), replaced as (
         update ${table} as t
            set ${column} = input.resealed${plainColumn === undefined ? '' : `, ${plainColumn} = null`}
           from input
          where ${names.map((part) => `t.${part} = input.${part}`).join(' and ')}
            and t.${column} is not distinct from input.sealed
            ${plainColumn === undefined ? '' : `and t.${plainColumn} is not distinct from input.plain`}
         returning 1
       )
       select count(*) as replaced from replaced`,
    ),
    valuesOf: (resealed) => input.parametersOf(resealed),
  };
}
