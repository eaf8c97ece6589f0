import type { IdentityApp } from '../app.ts';
import { countedAccount } from '../sessions/account.ts';
import { verifyPassword } from '../sessions/verify-password.ts';
import { findPasswordHash } from './statements.ts';

interface OwnPassword {
  userId: number;
  userName: string;
  password: string;
  address: string;
}

/**
 * The hash of a caller's own password, or undefined if the password is wrong. A wrong one counts as a failed login, so
 * that a stolen session cannot be used to guess it.
 */
export async function verifyOwnPassword(
  { userId, userName, password, address }: OwnPassword,
  app: IdentityApp,
): Promise<string | undefined> {
  const attempt = await app.loginFailures.reserve(countedAccount({ id: userId }, userName), address);
  const find = async () => (await app.database.run(findPasswordHash, [userId]))[0];
  let hash: string | undefined;
  try {
    hash = (await verifyPassword(await find(), find, password, attempt.caller, app))?.password_hash ?? undefined;
  } catch (error) {
    attempt.release(); // Overload or an unreachable database says nothing about the password.
    throw error;
  }
  if (hash === undefined) attempt.fail();
  else attempt.release();
  return hash;
}
