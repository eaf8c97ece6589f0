import type { RegistrationResponseJSON, VerifiedRegistrationResponse } from '@simplewebauthn/server';
import type { Static } from 'typebox';
import { Refusal } from '../../../../core/errors.ts';
import { rule } from '../../../../core/refusal-rules.ts';
import { requireStepUp } from '../../../../core/step-up.ts';
import type { Call } from '../../../../platform/http/route.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import type { IdentityApp } from '../../app.ts';
import { appendAudit } from '../../audit/append.ts';
import { endOtherSessions } from '../../sessions/statements.ts';
import { setHasSecondFactor } from '../../users/statements.ts';
import { verifyOwnPassword } from '../../users/verify-own-password.ts';
import { replaceRecoveryCodes } from '../recovery-codes.ts';
import { isActive } from '../rules.ts';
import { ensureSecondFactor, lockSecondFactor } from '../statements.ts';
import { recordStepUp, type SteppedUp } from '../step-up.ts';
import { challengeLifetimeMs, useUpChallenge } from './challenges.ts';
import { recordOf } from './record.ts';
import { relyingPartyOf } from './relying-party.ts';
import type { registeredPasskey, registerPasskeyInput } from './schema.ts';
import { insertPasskey, listPasskeysOfUser } from './statements.ts';
import { allowed, loadWebAuthn, passkeyWrong, userHandleOf } from './verify.ts';

/** The name that authenticators show for this site. */
const siteName = 'Florin';
/** Per user. Limited because the list is sent to browsers. */
const maxPasskeys = 20;
/** EdDSA, ES256 and RS256 (COSE), which authenticators use. */
const algorithms = [-8, -7, -257];

/**
 * Returns the options with which a browser creates a passkey. Needs the password, and a fresh code or passkey if the
 * user has a second factor, so that a stolen session cannot add one.
 */
export async function beginPasskey(
  { body: { password }, principal, address }: Call<{ password: string }>,
  app: IdentityApp,
): Promise<{ options: Record<string, unknown> }> {
  const { userId, userName, sessionId } = principal;
  requireStepUp(principal, app.clock(), 'Adding a passkey');
  const { id: rpID } = relyingPartyOf(app.publicUrl);
  const hash = await verifyOwnPassword({ userId, userName, password, address }, app);
  if (hash === undefined) throw new Refusal('old_password_wrong', rule('own_password'), { field: 'password' });
  const existing = await app.database.run(listPasskeysOfUser, [userId]);
  requireBelowLimit(existing.length);
  const { generateRegistrationOptions } = await loadWebAuthn();
  const options = await generateRegistrationOptions({
    rpName: siteName,
    rpID,
    userName,
    userDisplayName: userName,
    userID: new Uint8Array(userHandleOf(userId)),
    challenge: app.passkeyChallenges.issue({ purpose: 'register', subject: sessionId as string }),
    timeout: challengeLifetimeMs,
    attestationType: 'none',
    excludeCredentials: existing.map(allowed),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
    supportedAlgorithmIDs: algorithms,
  });
  return { options: { ...options } };
}

/**
 * Stores the passkey that a browser created. If it is the user's first second factor, also creates recovery codes and
 * ends the other sessions, which were started without it. This session counts as stepped up.
 */
export async function registerPasskey(
  { body: { credential, name = 'Passkey' }, principal }: Call<Static<typeof registerPasskeyInput>>,
  app: IdentityApp,
): Promise<{ registered: Static<typeof registeredPasskey>; steppedUp: SteppedUp }> {
  const { userId, tenantId } = principal;
  const sessionId = principal.sessionId as string;
  const { challenge, created } = await verifyCreated(credential, sessionId, app);
  const nowMs = app.clock();
  const result = await app.database.transaction(async (transaction) => {
    await useUpChallenge(challenge, transaction, nowMs);
    await transaction.run(ensureSecondFactor, [userId, new Date(nowMs)]);
    const [factor] = await transaction.run(lockSecondFactor, [userId]);
    requireBelowLimit(factor?.passkeys ?? 0);
    const row = await insert(transaction);
    const isFirst = !isActive(factor);
    if (isFirst) {
      await transaction.run(setHasSecondFactor, [userId, true]);
      await transaction.run(endOtherSessions, [userId, sessionId, new Date(nowMs)]);
    }
    const steppedUp = await recordStepUp(transaction, principal, app);
    const after = recordOf(row);
    await appendAudit(transaction, principal, { action: 'user.add_passkey', tenantId, recordId: userId, after });
    const recoveryCodes = isFirst ? await replaceRecoveryCodes(transaction, userId) : null;
    return { registered: { passkey: after, recoveryCodes }, steppedUp };
  });
  return result;

  async function insert(transaction: Queryable) {
    const [row] = await transaction.run(insertPasskey, [
      app.generateUuid(),
      userId,
      Buffer.from(created.credential.id, 'base64url'),
      Buffer.from(created.credential.publicKey),
      created.credential.counter,
      credential.response.transports ?? [],
      name,
      created.credentialBackedUp,
      new Date(nowMs),
    ]);
    if (row === undefined) throw passkeyWrong();
    return row;
  }
}

async function verifyCreated(
  credential: Static<typeof registerPasskeyInput>['credential'],
  sessionId: string,
  { publicUrl, passkeyChallenges }: IdentityApp,
) {
  const { id, origin } = relyingPartyOf(publicUrl);
  let challenge = '';
  let result: VerifiedRegistrationResponse;
  const { verifyRegistrationResponse } = await loadWebAuthn();
  try {
    result = await verifyRegistrationResponse({
      response: credential as unknown as RegistrationResponseJSON,
      expectedChallenge: (given) => {
        challenge = given;
        return passkeyChallenges.isValid(given, { purpose: 'register', subject: sessionId });
      },
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: false,
      supportedAlgorithmIDs: algorithms,
    });
  } catch (cause) {
    // The library throws a plain `Error` for everything that can be wrong with a response.
    throw passkeyWrong(cause);
  }
  if (!result.verified) throw passkeyWrong();
  return { challenge, created: result.registrationInfo };
}

function requireBelowLimit(passkeys: number): void {
  if (passkeys < maxPasskeys) return;
  throw new Refusal('passkey_limit_reached', rule('passkey_limit', { limit: maxPasskeys }));
}
