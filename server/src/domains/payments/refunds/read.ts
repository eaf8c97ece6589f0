import { notFound } from '../../../core/errors.ts';
import { uuidOfPublicId } from '../../../core/id.ts';
import type { Principal } from '../../../core/principal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { readVisible } from '../../identity/tenants/read-visible.ts';
import { type RefundRecord, recordOf } from './record.ts';
import { findRefund } from './statements.ts';

/**
 * The refund with this public id, if the caller may see it. An id that does not exist and the id of another tenant's
 * refund get the same refusal.
 */
export async function readRefund(database: Queryable, publicId: string, principal: Principal): Promise<RefundRecord> {
  const key = uuidOfPublicId('ref', publicId);
  if (key === undefined) throw notFound('refund', publicId);
  return recordOf(await readVisible(database, findRefund, { noun: 'refund', id: publicId, key }, principal));
}
