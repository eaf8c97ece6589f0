import { Refusal } from '../../../../core/errors.ts';
import type { Principal } from '../../../../core/principal.ts';
import { rule } from '../../../../core/refusal-rules.ts';
import type { Call } from '../../../../platform/http/route.ts';
import type { IdentityApp } from '../../app.ts';
import { secondFactorAbsent } from '../rules.ts';
import { markSteppedUp, type SteppedUp } from '../step-up.ts';
import { listPasskeysOfUser } from './statements.ts';
import { type AssertedCredential, passkeyWrong, requestOptions, verifyPasskey } from './verify.ts';

const expectedOf = ({ sessionId }: Principal) =>
  ({ purpose: 'step-up', subject: sessionId as string, userVerified: false }) as const;

export async function beginPasskeyStepUp(
  { principal }: Call,
  app: IdentityApp,
): Promise<{ options: Record<string, unknown> }> {
  const passkeys = await app.database.run(listPasskeysOfUser, [principal.userId]);
  if (passkeys.length === 0) throw secondFactorAbsent(rule('no_passkey'));
  return requestOptions(passkeys, expectedOf(principal), app);
}

/** Marks the session as stepped up for `app.security.step-up-lifetime`. */
export async function stepUpWithPasskey(
  { body: { credential }, principal }: Call<{ credential: AssertedCredential }>,
  app: IdentityApp,
): Promise<SteppedUp> {
  const verified = await verifyPasskey(credential, expectedOf(principal), app);
  if (verified instanceof Refusal) throw verified;
  const { passkey, use } = verified;
  if (passkey.user_id !== principal.userId) throw passkeyWrong();
  return app.database.transaction(async (transaction) => {
    await use(transaction);
    return markSteppedUp(transaction, principal, 'passkey', app);
  });
}
