import type { Queryable } from '../../../platform/postgres/database.ts';
import { setHasSecondFactor } from '../users/statements.ts';
import { deletePasskeysOfUser } from './passkeys/statements.ts';
import { deleteRecoveryCodes, deleteSecondFactor } from './statements.ts';

/** Removes everything with which the user proves a second factor, so that logins need only the password. */
export async function withdrawSecondFactor(transaction: Queryable, userId: number): Promise<void> {
  await transaction.run(deleteSecondFactor, [userId]);
  await transaction.run(deletePasskeysOfUser, [userId]);
  await transaction.run(deleteRecoveryCodes, [userId]);
  await transaction.run(setHasSecondFactor, [userId, false]);
}
