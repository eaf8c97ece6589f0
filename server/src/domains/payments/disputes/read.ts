import { notFound } from '../../../core/errors.ts';
import { publicId, uuidOfPublicId } from '../../../core/id.ts';
import type { Principal } from '../../../core/principal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { readVisible } from '../../identity/tenants/read-visible.ts';
import type { DisputeRow } from './record.ts';
import { findDispute, lockDispute } from './statements.ts';

/**
 * The dispute with this public id, if the caller may see it. An id that does not exist and the id of a dispute of
 * another tenant or mode get the same refusal.
 */
export async function readDispute(database: Queryable, idOnWire: string, principal: Principal): Promise<DisputeRow> {
  const key = uuidOfPublicId('dsp', idOnWire);
  if (key === undefined) throw notFound('dispute', idOnWire);
  return readVisible(database, findDispute, { noun: 'dispute', id: idOnWire, key }, principal);
}

/** Reads a dispute that was found before, and locks it for the rest of the transaction. */
export async function lockedDispute(
  transaction: Queryable,
  { tenant_id, id }: Pick<DisputeRow, 'tenant_id' | 'id'>,
): Promise<DisputeRow> {
  const [row] = await transaction.run(lockDispute, [tenant_id, id]);
  if (row === undefined) throw new Error(`There is no dispute ${publicId('dsp', id)}.`);
  return row;
}
