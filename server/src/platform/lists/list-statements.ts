import { type Statement, statement } from '../postgres/statement.ts';
import type { FilterSql } from './filters.ts';

/** How the rows of a list are found. */
export interface RowSource {
  /** The table with its alias: `refund r`; with joins, if filters need them. */
  from: string;
  /** Joins that only the columns need: they are made for the rows of the page. */
  joins?: string;
  /** The alias of the rows. */
  alias: string;
  /** SQL type of the key by which the list is ordered, newest first. */
  key: 'uuid' | 'bigint';
  /** Divides the range of a tenant, for an index that has further columns before the key. Reads a relation `range`. */
  groups?: string;
  /** A condition besides tenant and key, for the index by which the rows are found. */
  condition?: string;
}

/** Values before those of the filters: tenants, and for each the first key and the key after the last. */
export const firstFilter = 4;

/**
 * UUID keys contain the time, so that limits of time are ranges of keys. Integer keys always have the whole range,
 * which is no condition here: PostgreSQL estimated it at a two-hundredth of the rows, and read a million rows by the
 * unique index of ids instead of 10,000 by the index of a filter.
 */
const inRange = (alias: string, key: RowSource['key']) =>
  key === 'uuid' ? `and ${alias}.id >= source.from_key and ${alias}.id < source.to_key` : '';

export type ReadRow<Row> = Partial<Row> & { bound: string | number | null };

const rangesOf = (key: string) =>
  `select row_number() over () as number, * from unnest($1::bigint[], $2::${key}[], $3::${key}[])
       as row (tenant_id, from_key, to_key)`;

/**
 * Reads a page, newest first. From each tenant, or each of its groups, up to `scan` rows are read in the order of an
 * index, and those that pass the filters are returned. `bound` is the key down to which the page is complete, or null
 * when every row was read; each row repeats it, and an empty page is one row without an id.
 *
 * Values: those of `firstFilter`, the filters, and then `scan` and how many rows to return.
 */
export function readStatement<Row>(
  name: string,
  { from, joins = '', alias, key, groups, condition }: RowSource,
  columns: string,
  filters: FilterSql,
): Statement<ReadRow<Row>> {
  const [scan, take] = [0, 1].map((i) => `$${firstFilter + filters.size + i}::bigint`);
  return statement<ReadRow<Row>>(
    name,
    `with range as (${rangesOf(key)}),
     source as materialized (${groups ?? 'select * from range'}),
     scanned as materialized (
       select source.number, near.*
         from source
        cross join lateral (
          select ${alias}.tenant_id, ${alias}.id, (${filters.condition(firstFilter)}) as passes
            from ${from}
           where ${alias}.tenant_id = source.tenant_id and ${alias}.id >= source.from_key
               and ${alias}.id < source.to_key
             ${condition === undefined ? '' : `and ${condition}`}
           order by ${alias}.id desc limit ${scan}
        ) as near
     ),
     bound as (
       select max(lowest)::${key} as bound
         from (select min(${key === 'uuid' ? 'id::text' : 'id'}) as lowest from scanned
             group by number having count(*) = ${scan}) as cut_off
     ),
     page as materialized (
       select tenant_id, id from scanned cross join bound
        where passes and (bound is null or id >= bound)
        order by id desc limit ${take}
     )
     select row.*, bound
       from bound
       left join (
         select ${columns} from page join ${from} on ${alias}.tenant_id = page.tenant_id
             and ${alias}.id = page.id ${joins}
       ) as row on true
      order by row.id desc`,
  );
}

/**
 * Reads a page by its number, newest first: each tenant contributes the keys that may precede the page's end, and only
 * the page's rows are read. Values: those of `firstFilter`, the filters, and then how many rows to skip and how many to
 * return.
 */
function pageStatement<Row>(
  name: string,
  { from, joins = '', alias, key, condition }: RowSource,
  columns: string,
  filters: FilterSql,
): Statement<Row> {
  const [skip, take] = [0, 1].map((i) => `$${firstFilter + filters.size + i}::bigint`);
  return statement<Row>(
    name,
    `with source as (${rangesOf(key)}),
     page as materialized (
       select near.*
         from source
        cross join lateral (
          select ${alias}.tenant_id, ${alias}.id
            from ${from}
           where ${alias}.tenant_id = source.tenant_id ${inRange(alias, key)}
             ${condition === undefined ? '' : `and ${condition}`}
             and ${filters.condition(firstFilter)}
           order by ${alias}.id desc limit ${skip} + ${take}
        ) as near
        order by near.id desc offset ${skip} limit ${take}
     )
     select ${columns} from page join ${from} on ${alias}.tenant_id = page.tenant_id and ${alias}.id = page.id ${joins}
      order by ${alias}.id desc`,
  );
}

/** The number of rows under filters. Values: as `readStatement` up to the filters. */
function countStatement(
  name: string,
  { from, alias, key, condition }: RowSource,
  filters: FilterSql,
): Statement<{ total: number }> {
  return statement<{ total: number }>(
    name,
    `with source as (${rangesOf(key)})
     select coalesce(sum(counted.total), 0)::bigint as total
       from source
      cross join lateral (
        select count(*) as total
          from ${from}
         where ${alias}.tenant_id = source.tenant_id ${inRange(alias, key)}
           ${condition === undefined ? '' : `and ${condition}`}
           and ${filters.condition(firstFilter)}
      ) as counted`,
  );
}

/** The statements of a list that find its rows by one index. */
export interface ListStatements<Row> {
  read: Statement<ReadRow<Row>>;
  page: Statement<Row>;
  count: Statement<{ total: number }>;
}

/**
 * The statements of a list, by the filter whose index finds the rows; without one of these filters, `all`. `conditions`
 * replaces the condition of a filter, and may refer to `source.tenant_id`.
 */
export function listStatements<Row, Indexed extends string = never>(
  name: string,
  source: RowSource,
  columns: string,
  filters: FilterSql,
  indexed: readonly Indexed[] = [],
  conditions: Partial<Record<Indexed, string>> = {},
): Record<Indexed | 'all', ListStatements<Row>> {
  const sources: [string, RowSource][] = indexed.map((filter) => [
    filter,
    { ...source, condition: conditions[filter] ?? filters.conditionOf(filter, firstFilter) },
  ]);
  const statements = [['all', source] as const, ...sources].map(([index, rows]) => [
    index,
    {
      read: readStatement<Row>(`${name}.read_${index}`, rows, columns, filters),
      page: pageStatement<Row>(`${name}.page_${index}`, rows, columns, filters),
      count: countStatement(`${name}.count_${index}`, rows, filters),
    },
  ]);
  return Object.fromEntries(statements) as Record<Indexed | 'all', ListStatements<Row>>;
}
