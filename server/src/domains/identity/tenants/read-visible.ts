import { notFound } from '../../../core/errors.ts';
import { seesMode } from '../../../core/livemode.ts';
import type { Principal } from '../../../core/principal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import type { Statement } from '../../../platform/postgres/statement.ts';
import { visibleTenants } from './visible-tenants.ts';

/** A record that a caller names. */
interface NamedRecord {
  /** The word for it in the refusal: `invoice`. */
  noun: string;
  /** As the caller gave it. */
  id: number | string;
  /** The field that names it. Default: `id`. */
  field?: string | undefined;
  /** The id as it is stored, if that differs. */
  key?: string;
}

/**
 * Reads a record that the caller may see. An unknown id and the id of a record of another tenant or mode get the same
 * refusal. The values of the statement are the tenants that the caller may see, and the id.
 *
 * @throws Refusal `record_not_found`
 */
export async function readVisible<Row extends { livemode: boolean }>(
  database: Queryable,
  statement: Statement<Row>,
  { noun, id, field, key }: NamedRecord,
  principal: Principal,
): Promise<Row> {
  const [row] = await database.run(statement, [await visibleTenants(database, principal), key ?? id]);
  if (row === undefined || !seesMode(principal, row.livemode)) throw notFound(noun, id, field);
  return row;
}
