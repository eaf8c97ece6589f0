import type { Database } from '../../../platform/postgres/database.ts';
import { countedAccount } from '../sessions/account.ts';
import type { LoginFailures } from '../sessions/login-failures.ts';
import { type PasswordDeps, verifyPassword } from '../sessions/verify-password.ts';
import { findPasswordHash } from './statements.ts';

export interface VerifyPasswordDeps extends PasswordDeps {
  database: Database;
  loginFailures: LoginFailures;
}

interface OwnPassword {
  userId: number;
  userName: string;
  password: string;
  address: string;
}

/**
 * The hash of a caller's own password, or undefined if the password is wrong. A wrong one counts as a failed login, so that a
 * stolen session cannot be used to guess it.
 */
export async function verifyOwnPassword(
  { userId, userName, password, address }: OwnPassword,
  deps: VerifyPasswordDeps,
): Promise<string | undefined> {
  const attempt = await deps.loginFailures.reserve(countedAccount({ id: userId }, userName), address);
  const find = async () => (await deps.database.run(findPasswordHash, [userId]))[0];
  let hash: string | undefined;
  try {
    hash = (await verifyPassword(await find(), find, password, attempt.caller, deps))?.password_hash ?? undefined;
  } catch (error) {
    attempt.release(); // Overload or an unreachable database says nothing about the password.
    throw error;
  }
  if (hash === undefined) attempt.fail();
  else attempt.release();
  return hash;
}
