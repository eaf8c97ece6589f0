import type { AuthenticationResponseJSON, VerifiedAuthenticationResponse } from '@simplewebauthn/server';
import type { Static } from 'typebox';
import { Refusal } from '../../../../core/errors.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import type { IdentityApp } from '../../app.ts';
import { type ChallengeUse, challengeLifetimeMs, useUpChallenge } from './challenges.ts';
import { relyingPartyOf } from './relying-party.ts';
import type { assertedCredential } from './schema.ts';
import { findPasskey, type PasskeyRow, recordPasskeyUse } from './statements.ts';

export type AssertedCredential = Static<typeof assertedCredential>;

/** Loaded at first use, because its certificate parsers are needed only for passkeys. */
export const loadWebAuthn = () => import('@simplewebauthn/server');

/** The id of a user in passkeys, which authenticators return. */
export const userHandleOf = (userId: number) => Buffer.from(String(userId));

interface Expected extends ChallengeUse {
  /** Whether the device must have checked a PIN, a finger or a face, which makes the passkey two factors. */
  userVerified: boolean;
}

/** The options with which a browser asks for one of these passkeys; without any, for every passkey of this site. */
export async function requestOptions(
  passkeys: readonly PasskeyRow[],
  { purpose, subject, userVerified }: Expected,
  { passkeyChallenges, publicUrl }: IdentityApp,
): Promise<{ options: Record<string, unknown> }> {
  const { id: rpID } = relyingPartyOf(publicUrl);
  const { generateAuthenticationOptions } = await loadWebAuthn();
  const options = await generateAuthenticationOptions({
    rpID,
    challenge: passkeyChallenges.issue({ purpose, subject }),
    timeout: challengeLifetimeMs,
    userVerification: userVerified ? 'required' : 'preferred',
    allowCredentials: passkeys.map(allowed),
  });
  return { options: { ...options } };
}

export function allowed({ credential_id, transports }: PasskeyRow): { id: string; transports: string[] } {
  return { id: credential_id.toString('base64url'), transports };
}

/** A passkey that has signed the challenge. */
interface VerifiedPasskey {
  passkey: PasskeyRow;
  /**
   * Records the use, in the transaction of the operation that it authorizes. Challenge and response work once, on all
   * nodes.
   */
  use: (transaction: Queryable) => Promise<void>;
}

/**
 * The passkey, if the credential is its valid response to a challenge of this service; otherwise the refusal
 * `passkey_wrong`.
 */
export async function verifyPasskey(
  credential: AssertedCredential,
  { userVerified, ...use }: Expected,
  { database, passkeyChallenges, publicUrl, clock }: IdentityApp,
): Promise<VerifiedPasskey | Refusal> {
  const { id, origin } = relyingPartyOf(publicUrl);
  const [passkey] = await database.run(findPasskey, [Buffer.from(credential.id, 'base64url')]);
  if (passkey === undefined) return passkeyWrong();
  const { userHandle } = credential.response;
  if (userHandle && !Buffer.from(userHandle, 'base64url').equals(userHandleOf(passkey.user_id))) return passkeyWrong();
  let challenge = '';
  let result: VerifiedAuthenticationResponse;
  const { verifyAuthenticationResponse } = await loadWebAuthn();
  try {
    result = await verifyAuthenticationResponse({
      response: credential as unknown as AuthenticationResponseJSON,
      expectedChallenge: (given) => {
        challenge = given;
        return passkeyChallenges.isValid(given, use);
      },
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: userVerified,
      credential: {
        id: passkey.credential_id.toString('base64url'),
        publicKey: new Uint8Array(passkey.public_key),
        counter: passkey.counter,
      },
    });
  } catch (cause) {
    // The library throws a plain `Error` for everything that can be wrong with a response.
    return passkeyWrong(cause);
  }
  if (!result.verified) return passkeyWrong();
  const { newCounter, credentialBackedUp } = result.authenticationInfo;
  return {
    passkey,
    use: async (transaction) => {
      const nowMs = clock();
      await useUpChallenge(challenge, transaction, nowMs);
      const values = [passkey.id, newCounter, credentialBackedUp, new Date(nowMs)];
      const [used] = await transaction.run(recordPasskeyUse, values);
      if (used === undefined) throw passkeyWrong();
    },
  };
}

/** One text for all reasons, so that it does not reveal whether a passkey is known. */
export function passkeyWrong(cause?: unknown): Refusal {
  const message = 'The passkey is not known here, or its answer is not valid or has expired. Begin again.';
  return new Refusal('passkey_wrong', message, { field: 'credential', cause });
}
