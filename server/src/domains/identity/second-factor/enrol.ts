import { Refusal } from '../../../core/errors.ts';
import { rule } from '../../../core/refusal-rules.ts';
import { requireStepUp } from '../../../core/step-up.ts';
import type { Call } from '../../../platform/http/route.ts';
import type { IdentityApp } from '../app.ts';
import { appendAudit } from '../audit/append.ts';
import { endOtherSessions } from '../sessions/statements.ts';
import { setHasSecondFactor } from '../users/statements.ts';
import { verifyOwnPassword } from '../users/verify-own-password.ts';
import { replaceRecoveryCodes } from './recovery-codes.ts';
import { beginSecondFactor } from './statements.ts';
import { recordStepUp, type SteppedUp } from './step-up.ts';
import { generateSecret, keyUri } from './totp.ts';
import { secondFactorActive, secretAssociatedData, withCode } from './verify.ts';

/** The issuer that authenticator apps show. */
const issuer = 'Florin';

/**
 * Draws a secret, which is used once a code confirms it. Needs the password, and a fresh passkey if the user has one,
 * so that a stolen session can neither lock its owner out nor add a factor. Beginning again replaces a secret that was
 * not confirmed.
 */
export async function beginEnrolment(
  { body: { password }, principal, address }: Call<{ password: string }>,
  app: IdentityApp,
): Promise<{ secret: string; uri: string }> {
  const { userId, userName } = principal;
  requireStepUp(principal, app.clock(), 'Adding an authenticator app');
  const hash = await verifyOwnPassword({ userId, userName, password, address }, app);
  if (hash === undefined) throw new Refusal('old_password_wrong', rule('own_password'), { field: 'password' });
  const secret = generateSecret();
  const values = [userId, app.seal(secret, secretAssociatedData(userId)), new Date(app.clock())];
  const [begun] = await app.database.run(beginSecondFactor, values);
  if (begun === undefined) throw secondFactorActive();
  return { secret, uri: keyUri(secret, userName, issuer) };
}

/**
 * Activates the second factor and returns the recovery codes. Ends the other sessions of the user, which were started
 * without it; this session is stepped up.
 */
export function confirmEnrolment(
  { body: { code }, principal, address }: Call<{ code: string }>,
  app: IdentityApp,
): Promise<{ recoveryCodes: string[]; steppedUp: SteppedUp }> {
  const { userId, userName, tenantId, sessionId } = principal;
  return withCode(
    code,
    { userId, userName, address },
    app,
    async (transaction) => {
      await transaction.run(setHasSecondFactor, [userId, true]);
      await transaction.run(endOtherSessions, [userId, sessionId, new Date(app.clock())]);
      const steppedUp = await recordStepUp(transaction, principal, app);
      await appendAudit(transaction, principal, { action: 'user.add_second_factor', tenantId, recordId: userId });
      return { recoveryCodes: await replaceRecoveryCodes(transaction, userId), steppedUp };
    },
    { confirming: true },
  );
}

/** Replaces the recovery codes. The old ones stop working. */
export function regenerateRecoveryCodes(
  { body: { code }, principal, address }: Call<{ code: string }>,
  app: IdentityApp,
): Promise<string[]> {
  const { userId, userName, tenantId } = principal;
  return withCode(code, { userId, userName, address }, app, async (transaction, method) => {
    const details = { secondFactor: method };
    const change = { action: 'user.regenerate_recovery_codes', tenantId, recordId: userId, details } as const;
    await appendAudit(transaction, principal, change);
    return replaceRecoveryCodes(transaction, userId);
  });
}
