import { Refusal } from '../../../core/errors.ts';
import { principalsTopic } from '../tenants/notifications.ts';
import type { UserDeps } from './deps.ts';
import { hashOfResetToken } from './forgot-password.ts';
import { refuseWeakPassword } from './rules.ts';
import {
  endSessionsOfUser,
  findOpenReset,
  lockActiveUser,
  setPassword,
  type UserRow,
  useAllResetsOfUser,
  useReset,
} from './statements.ts';

export interface Reset {
  token: string;
  newPassword: string;
  /** Where it comes from: failed logins from there are forgiven. */
  address: string;
}

/**
 * Sets a new password by a mailed token: once, within its 30 minutes, whatever races. Every session of the user ends,
 * and every other token of theirs is void.
 */
export async function resetPassword({ token, newPassword, address }: Reset, deps: UserDeps): Promise<void> {
  refuseWeakPassword(newPassword, deps.settings.passwordMinLength, 'newPassword');
  const tokenHash = hashOfResetToken(token);
  // A first look, so that a made-up token costs no password hash.
  const [open] = await deps.database.run(findOpenReset, [tokenHash, new Date(deps.clock())]);
  if (open === undefined) throw tokenInvalid();
  const passwordHash = await deps.passwords.hash(newPassword);
  const user = await apply(tokenHash, open.user_id, passwordHash, deps);
  deps.failures.forgive(user.user_name, address);
  deps.failures.forgive(user.email, address);
}

async function apply(
  tokenHash: Buffer,
  userId: number,
  passwordHash: string,
  { database, notifications, clock }: UserDeps,
): Promise<UserRow> {
  const now = new Date(clock());
  const user = await database.transaction(async (transaction) => {
    // The user's row first: two tokens of one user then take turns instead of waiting for each other.
    const [locked] = await transaction.run(lockActiveUser, [userId]);
    const [used] = await transaction.run(useReset, [tokenHash, now]);
    if (locked === undefined || used === undefined) throw tokenInvalid();
    await transaction.run(setPassword, [userId, passwordHash, now]);
    await transaction.run(useAllResetsOfUser, [userId, now]);
    await transaction.run(endSessionsOfUser, [userId, now]);
    await notifications.publish(transaction, principalsTopic);
    return locked;
  });
  notifications.applied(principalsTopic);
  return user;
}

function tokenInvalid(): Refusal {
  return new Refusal(
    'reset_token_invalid',
    'The reset token is not valid, was used, or has expired. Ask for another.',
    {
      field: 'token',
    },
  );
}
