import { escapeIdentifier } from 'pg';
import { type Statement, statement } from '../../platform/postgres/statement.ts';

export interface TableRow {
  name: string;
  /** Without generated columns, which a copy computes itself. */
  columns: string[];
  /** Other tables that its foreign keys reference. */
  parents: string[];
}

/** The tables of the schema. */
export const listTables = statement<TableRow>(
  'backup.list_tables',
  `select c.relname as name,
          array(select a.attname::text from pg_attribute a
                 where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
                 order by a.attnum) as columns,
          array(select distinct p.relname::text from pg_constraint k join pg_class p on p.oid = k.confrelid
                 where k.conrelid = c.oid and k.contype = 'f' and p.oid <> c.oid
                 order by 1) as parents
     from pg_class c
    where c.relnamespace = current_schema()::text::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    order by c.relname`,
);

/**
 * The sequences of the schema. `value` is null if none was drawn yet, or if the account may not see it; then a restored
 * database would draw numbers that are in use.
 */
export const listSequences = statement<{ name: string; value: string | null; is_visible: boolean }>(
  'backup.list_sequences',
  `select sequencename as name, last_value::text as value,
          has_sequence_privilege(format('%I.%I', schemaname, sequencename), 'USAGE, SELECT') as is_visible
     from pg_sequences where schemaname = current_schema()
    order by sequencename`,
);

export const readServer = statement<{ version: string; taken_at: string }>(
  'backup.read_server',
  `select current_setting('server_version') as version, clock_timestamp() as taken_at`,
);

export const hasTable = statement<{ exists: boolean }>(
  'backup.has_table',
  'select to_regclass($1) is not null as exists',
);

export const hasRows = (table: string): Statement<{ exists: boolean }> => ({
  name: '',
  text: `select exists (select from ${escapeIdentifier(table)}) as exists`,
});

export const emptyTable = (table: string): Statement<never> => ({
  name: '',
  text: `delete from ${escapeIdentifier(table)}`,
});

/** Values: the name of the sequence and the value that was drawn last. */
export const setSequence = statement('backup.set_sequence', 'select setval($1::text::regclass, $2::bigint)');

/**
 * Excludes migrations, which would replace rows that the snapshot still needs, until the end of the transaction.
 * Readers and writers are not excluded.
 */
export const lockTables = (tables: readonly string[]) =>
  `lock table ${tables.map(escapeIdentifier).join(', ')} in access share mode`;

export const copyOut = ({ name, columns }: Pick<TableRow, 'name' | 'columns'>) =>
  `copy ${escapeIdentifier(name)} (${columns.map(escapeIdentifier).join(', ')}) to stdout`;

export const copyIn = ({ name, columns }: Pick<TableRow, 'name' | 'columns'>) =>
  `copy ${escapeIdentifier(name)} (${columns.map(escapeIdentifier).join(', ')}) from stdin`;

export interface IndexRow {
  name: string;
  /** The statement that creates it. */
  definition: string;
}

/** The indexes of the schema but for those of constraints; foreign keys need the index that they reference. */
export const listPlainIndexes = statement<IndexRow>(
  'backup.list_plain_indexes',
  `select format('%I.%I', n.nspname, c.relname) as name, pg_get_indexdef(c.oid) as definition
     from pg_index i
     join pg_class c on c.oid = i.indexrelid
     join pg_namespace n on n.oid = c.relnamespace
    where c.relnamespace = current_schema()::text::regnamespace and c.relkind = 'i' and not c.relispartition
      and not exists (select from pg_constraint k where k.conindid = c.oid and k.contype in ('p', 'u', 'x', 'f'))
    order by c.relname`,
);

export const dropIndexes = (indexes: readonly IndexRow[]) => `drop index ${indexes.map(({ name }) => name).join(', ')}`;

export const createIndexes = (indexes: readonly IndexRow[]) => indexes.map(({ definition }) => definition).join('; ');

/** Until the end of the transaction. PostgreSQL sorts the entries of an index in memory. */
export const useBuildMemory = statement(
  'backup.use_build_memory',
  `select set_config('maintenance_work_mem',
                     greatest(pg_size_bytes(current_setting('maintenance_work_mem')) / 1024, 262144)::text, true)`,
);
