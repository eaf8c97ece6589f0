import { type Column, columns } from '../postgres/columns.ts';
import { statement } from '../postgres/statement.ts';

/** What is needed of a record (`defineRecord`). */
interface StoredRecord<Row> {
  select: () => string;
  inserted: { columns: string; values: string };
  insertColumns: (rowOf: (row: Row) => Row) => readonly Column<Row>[];
}

/**
 * Statements of a table whose rows are written whole, each of them one version after the one that it replaces: with a
 * tenant, an id and a version. `name` begins the names of the statements, `from` is the table and its alias.
 */
export function versionedRows<Row>(name: string, from: string, record: StoredRecord<Row>) {
  const [table, alias] = from.split(' ') as [string, string];
  const selected = record.select();
  /** Whole rows, for `insert` and `update`. */
  const input = columns<Row>(record.insertColumns((row) => row));
  return {
    /** The columns of a row, from `from`. */
    columns: selected,
    input,
    insert: statement(
      `${name}.insert`,
      `insert into ${table} (${record.inserted.columns})
       select ${record.inserted.values} from (${input.relation()}) as row`,
    ),
    /** Returns the rows that it has written: not those of which another version is stored. */
    update: statement<{ id: string }>(
      `${name}.update`,
      `with input as materialized (${input.relation()})
       update ${table} ${alias}
          set (${record.inserted.columns}) =
              (select ${record.inserted.values} from input
                where input.tenant_id = ${alias}.tenant_id and input.id = ${alias}.id)
         from input as written
        where ${alias}.tenant_id = written.tenant_id and ${alias}.id = written.id
          and ${alias}.version = written.version - 1
       returning ${alias}.id`,
    ),
    /** A row in one of these tenants. Values: tenants, id. */
    find: statement<Row>(
      `${name}.find`,
      `select ${selected}
         from unnest($1::bigint[]) as seen (tenant_id)
         join ${from} on ${alias}.tenant_id = seen.tenant_id and ${alias}.id = $2`,
    ),
    /** Locks a row for the rest of the transaction. Values: tenant, id. */
    lock: statement<Row>(
      `${name}.lock`,
      `select ${selected} from ${from} where ${alias}.tenant_id = $1 and ${alias}.id = $2 for update`,
    ),
  };
}
