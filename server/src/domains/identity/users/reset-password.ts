import type { Static } from 'typebox';
import { Refusal } from '../../../core/errors.ts';
import { networkOf } from '../../../platform/http/limits/network-of.ts';
import type { IdentityApp } from '../app.ts';
import { appendAudit, type RequestOrigin } from '../audit/append.ts';
import { countedAccount, normalizedAccount } from '../sessions/account.ts';
import { endSessionsOfUser } from '../sessions/statements.ts';
import { hashOfPasswordToken } from './password-tokens.ts';
import { refuseOwnName, requireStrongPassword } from './rules.ts';
import type { resetPasswordInput } from './schema.ts';
import {
  claimProvenAddress,
  findOpenReset,
  findUser,
  lockActiveUser,
  setPassword,
  type UserRow,
  useReset,
  voidResetsOfUser,
} from './statements.ts';

/**
 * Sets a new password with a mailed token of a reset or an invitation, which works once. The token also proves that the
 * user receives mail at the address, so the user can log in with it unless another user has proven that before. Ends
 * every session of the user, voids the user's other tokens, and clears the user's failed logins from the caller's
 * address.
 */
export async function resetPassword(
  { token, newPassword, ...origin }: Static<typeof resetPasswordInput> & { address: string; requestId: string },
  app: IdentityApp,
): Promise<void> {
  await requireStrongPassword(newPassword, app.passwordMinLength, 'newPassword');
  const tokenHash = hashOfPasswordToken(token);
  // Checked before the password is hashed, so that a made-up token costs no hash.
  const [open] = await app.database.run(findOpenReset, [tokenHash, new Date(app.clock())]);
  if (open === undefined) throw resetTokenInvalid();
  const [owner] = await app.database.run(findUser, [open.user_id]);
  if (owner !== undefined) refuseOwnName(newPassword, { userName: owner.user_name, email: owner.email }, 'newPassword');
  const passwordHash = await app.passwords.hash(newPassword, networkOf(origin.address));
  const user = await consumeToken(tokenHash, open.user_id, passwordHash, origin, app);
  app.loginFailures.clear(countedAccount(user, user.user_name), origin.address);
}

function consumeToken(
  tokenHash: Buffer,
  userId: number,
  passwordHash: string,
  origin: RequestOrigin,
  { database, clock }: IdentityApp,
): Promise<UserRow> {
  const now = new Date(clock());
  return database.transaction(async (transaction) => {
    // Locks the user before the token, so that resets with two tokens of one user cannot deadlock.
    const [locked] = await transaction.run(lockActiveUser, [userId]);
    const [used] = await transaction.run(useReset, [tokenHash, now]);
    if (locked === undefined || used === undefined) throw resetTokenInvalid();
    await transaction.run(setPassword, [userId, passwordHash, now]);
    await transaction.run(voidResetsOfUser, [userId, now]);
    await transaction.run(endSessionsOfUser, [userId, now]);
    await transaction.run(claimProvenAddress, [normalizedAccount(locked.email), userId]);
    await appendAudit(
      transaction,
      { by: 'reset_token', userId, userName: locked.user_name, ...origin },
      { action: 'user.reset_password', tenantId: locked.tenant_id, recordId: userId, secrets: { password: 'set' } },
    );
    return locked;
  });
}

function resetTokenInvalid(): Refusal {
  return new Refusal(
    'reset_token_invalid',
    'The reset token is not valid, was used, or has expired. Ask for another.',
    { field: 'token' },
  );
}
