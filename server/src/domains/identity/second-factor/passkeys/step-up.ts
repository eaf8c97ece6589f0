import { Refusal } from '../../../../core/errors.ts';
import type { Principal } from '../../../../core/principal.ts';
import { secondFactorAbsent } from '../rules.ts';
import { type MarkSteppedUpDeps, markSteppedUp, type SteppedUp } from '../step-up.ts';
import { listPasskeysOfUser } from './statements.ts';
import { type AssertedCredential, type PasskeyDeps, passkeyWrong, requestOptions, verifyPasskey } from './verify.ts';

export interface PasskeyStepUpDeps extends PasskeyDeps, MarkSteppedUpDeps {}

const expectedOf = ({ sessionId }: Principal) =>
  ({ purpose: 'step-up', subject: sessionId as string, userVerified: false }) as const;

export async function beginPasskeyStepUp(
  principal: Principal,
  deps: PasskeyStepUpDeps,
): Promise<{ options: Record<string, unknown> }> {
  const passkeys = await deps.database.run(listPasskeysOfUser, [principal.userId]);
  if (passkeys.length === 0) throw secondFactorAbsent('You have no passkey.');
  return requestOptions(passkeys, expectedOf(principal), deps);
}

/** Marks the session as stepped up for `app.security.step-up-lifetime`. */
export async function stepUpWithPasskey(
  credential: AssertedCredential,
  principal: Principal,
  deps: PasskeyStepUpDeps,
): Promise<SteppedUp> {
  const verified = await verifyPasskey(credential, expectedOf(principal), deps);
  if (verified instanceof Refusal) throw verified;
  const { passkey, use } = verified;
  if (passkey.user_id !== principal.userId) throw passkeyWrong();
  return deps.database.transaction(async (transaction) => {
    await use(transaction);
    return markSteppedUp(transaction, principal, 'passkey', deps);
  });
}
