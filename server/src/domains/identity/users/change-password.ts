import type { Static } from 'typebox';
import { Refusal } from '../../../core/errors.ts';
import type { Principal } from '../../../core/principal.ts';
import { rule } from '../../../core/refusal-rules.ts';
import { networkOf } from '../../../platform/http/limits/network-of.ts';
import type { IdentityApp } from '../app.ts';
import { appendAudit } from '../audit/append.ts';
import { endOtherSessions } from '../sessions/statements.ts';
import { refuseOwnName, requireStrongPassword } from './rules.ts';
import type { changePasswordInput } from './schema.ts';
import { findUser, replacePassword, voidResetsOfUser } from './statements.ts';
import { verifyOwnPassword } from './verify-own-password.ts';

/**
 * Changes the caller's own password, given the present one. Ends the caller's other sessions and voids every mailed
 * token. A wrong present password counts as a failed login, so that a stolen session cannot be used to guess it.
 */
export async function changePassword(
  { oldPassword, newPassword, address }: Static<typeof changePasswordInput> & { address: string },
  principal: Principal,
  app: IdentityApp,
): Promise<void> {
  const { userId, userName, tenantId, sessionId } = principal;
  await requireStrongPassword(newPassword, app.passwordMinLength, 'newPassword');
  const [user] = await app.database.run(findUser, [userId]);
  if (user !== undefined) refuseOwnName(newPassword, { userName, email: user.email }, 'newPassword');
  const oldHash = await verifyOwnPassword({ userId, userName, password: oldPassword, address }, app);
  if (oldHash === undefined) throw wrongPassword();
  const passwordHash = await app.passwords.hash(newPassword, networkOf(address));
  const now = new Date(app.clock());
  await app.database.transaction(async (transaction) => {
    // Fails if the password was changed since it was verified.
    const [changed] = await transaction.run(replacePassword, [userId, oldHash, passwordHash, now]);
    if (changed === undefined) throw wrongPassword();
    await transaction.run(voidResetsOfUser, [userId, now]);
    await transaction.run(endOtherSessions, [userId, sessionId, now]);
    const change = {
      action: 'user.change_password',
      tenantId,
      recordId: userId,
      secrets: { password: 'set' },
    } as const;
    await appendAudit(transaction, principal, change);
  });
}

function wrongPassword(): Refusal {
  return new Refusal('old_password_wrong', rule('old_password'), { field: 'oldPassword' });
}
