import { notFound } from '../../../core/errors.ts';
import { publicId, uuidOfPublicId } from '../../../core/id.ts';
import type { Principal } from '../../../core/principal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { readVisible } from '../../identity/tenants/read-visible.ts';
import type { MethodRow } from './record.ts';
import { findMethod, lockMethod } from './statements.ts';

/**
 * The method with this public id, if the caller may see it. An id that does not exist and the id of a method of another
 * tenant or mode get the same refusal, which names `field`.
 */
export async function readMethod(
  database: Queryable,
  idOnWire: string,
  principal: Principal,
  field = 'id',
): Promise<MethodRow> {
  const key = uuidOfPublicId('mtd', idOnWire);
  if (key === undefined) throw notFound('payment method', idOnWire, field);
  return readVisible(database, findMethod, { noun: 'payment method', id: idOnWire, key, field }, principal);
}

/** The method with this public id, if it is one of this customer. */
export async function findMethodOfCustomer(
  database: Queryable,
  idOnWire: string,
  { tenantId, customerId }: { tenantId: number; customerId: number },
): Promise<MethodRow | undefined> {
  const key = uuidOfPublicId('mtd', idOnWire);
  const [row] = key === undefined ? [] : await database.run(findMethod, [[tenantId], key]);
  return row?.customer_id === customerId ? row : undefined;
}

/** Reads a method that was found before, and locks it for the rest of the transaction. */
export async function lockedMethod(
  transaction: Queryable,
  { tenant_id, id }: Pick<MethodRow, 'tenant_id' | 'id'>,
): Promise<MethodRow> {
  const [row] = await transaction.run(lockMethod, [tenant_id, id]);
  if (row === undefined) throw new Error(`There is no payment method ${publicId('mtd', id)}.`);
  return row;
}
