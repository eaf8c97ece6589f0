import type { Passwords } from '../../../platform/crypto/passwords.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import type { LoginFailures } from '../sessions/login-failures.ts';
import { findPasswordHash } from './statements.ts';

export interface VerifyPasswordDeps {
  database: Database;
  passwords: Passwords;
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
  { database, passwords, loginFailures }: VerifyPasswordDeps,
): Promise<string | undefined> {
  const attempt = await loginFailures.reserve(userName, address);
  let hash: string | undefined;
  let matches: boolean;
  try {
    const [user] = await database.run(findPasswordHash, [userId]);
    hash = user?.password_hash ?? undefined;
    matches = await passwords.verify(hash, password, attempt.caller);
  } catch (error) {
    attempt.release(); // Overload or an unreachable database says nothing about the password.
    throw error;
  }
  if (matches) attempt.release();
  else attempt.fail();
  return matches ? hash : undefined;
}
