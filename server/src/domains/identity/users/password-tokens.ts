import { hash, randomBytes } from 'node:crypto';

export interface PasswordToken {
  /** What the user gets, as text in a URL. */
  token: string;
  /** What is stored, so that read access to the database is not enough to choose a password. */
  tokenHash: Buffer;
}

/** A token with which a user chooses a password once: to reset it, or to accept an invitation. */
export function newPasswordToken(): PasswordToken {
  const token = randomBytes(32).toString('base64url');
  return { token, tokenHash: hashOfPasswordToken(token) };
}

export function hashOfPasswordToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

/** The page on which a password is chosen with a token. */
export function choosePasswordUrl(token: string, publicUrl: string): string {
  return `${publicUrl}/reset-password?token=${token}`;
}

/** The lines of a mail that say how to use its token. */
export function waysToUse(token: string, publicUrl: string): string[] {
  return [choosePasswordUrl(token, publicUrl), '', 'or send this token to POST /api/user/reset-password:', '', token];
}
