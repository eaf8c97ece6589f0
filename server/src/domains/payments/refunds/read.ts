import { notFound } from '../../../core/errors.ts';
import { uuidOfPublicId } from '../../../core/id.ts';
import { seesMode } from '../../../core/livemode.ts';
import type { Principal } from '../../../core/principal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { visibleTenants } from '../../identity/tenants/visible-tenants.ts';
import { type RefundRecord, recordOf } from './record.ts';
import { findRefund } from './statements.ts';

/**
 * The refund with this public id, if the caller may see it. An id that does not exist and the id of another tenant's
 * refund get the same refusal.
 */
export async function readRefund(database: Queryable, publicId: string, principal: Principal): Promise<RefundRecord> {
  const id = uuidOfPublicId('ref', publicId);
  if (id === undefined) throw notFound('refund', publicId);
  const [row] = await database.run(findRefund, [await visibleTenants(database, principal), id]);
  if (row === undefined || !seesMode(principal, row.livemode)) throw notFound('refund', publicId);
  return recordOf(row);
}
