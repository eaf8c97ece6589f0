import { createHash, randomBytes } from 'node:crypto';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { deleteRecoveryCodes, insertRecoveryCodes } from './statements.ts';
import { base32 } from './totp.ts';

const codesPerUser = 10;
/** 120 bits, 24 letters: enough for a plain hash (ASVS 5.0, 6.5.2). */
const codeBytes = 15;

/** Replaces the recovery codes of a user and returns them. Only their hashes are stored. */
export async function replaceRecoveryCodes(transaction: Queryable, userId: number): Promise<string[]> {
  const codes = Array.from({ length: codesPerUser }, () => base32(randomBytes(codeBytes)));
  await transaction.run(deleteRecoveryCodes, [userId]);
  await transaction.run(insertRecoveryCodes, [userId, codes.map(hashOfRecoveryCode)]);
  return codes.map((code) => (code.match(/.{4}/g) as string[]).join('-'));
}

/** Ignores case, spaces and hyphens. */
export function hashOfRecoveryCode(code: string): Buffer {
  return createHash('sha256').update(code.replaceAll(/[\s-]/g, '').toUpperCase()).digest();
}
