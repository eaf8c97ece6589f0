import { Refusal } from '../../../../core/errors.ts';
import { rule } from '../../../../core/refusal-rules.ts';
import type { Call } from '../../../../platform/http/route.ts';
import type { IdentityApp } from '../../app.ts';
import type { Actor } from '../../audit/append.ts';
import { countedAccount } from '../../sessions/account.ts';
import { challengeInvalid, findChallenged, tryLoginChallenge, useLoginChallenge } from '../../sessions/challenge.ts';
import { type LoginOrigin, type OpenedLogin, openSession } from '../../sessions/open-session.ts';
import { findChallengedLogin, type LoginRow } from '../../sessions/statements.ts';
import { listPasskeysOfUser } from './statements.ts';
import { type AssertedCredential, requestOptions, verifyPasskey } from './verify.ts';

/** After a password, a passkey is the second factor. Alone it must be two factors: the device verifies its user. */
const secondStepOf = (userId: number) => ({ purpose: 'login', subject: String(userId), userVerified: false }) as const;
const onlyStep = { purpose: 'login', subject: '', userVerified: true } as const;

/**
 * The options with which a browser asks for a passkey: of the user whose password was right, or any passkey of this
 * site.
 */
export async function beginPasskeyLogin(
  { body: { challenge } }: Call<{ challenge?: string }>,
  app: IdentityApp,
): Promise<{ options: Record<string, unknown> }> {
  if (challenge === undefined) return requestOptions([], onlyStep, app);
  const userId = await findChallenged(challenge, app.clock(), app.database);
  return requestOptions(await app.database.run(listPasskeysOfUser, [userId]), secondStepOf(userId), app);
}

/**
 * Starts a session with a passkey: after a password, given the challenge of that login, or alone. Whatever is wrong
 * with the passkey, the refusal is `login_refused`, and counts as a failed login. Failures never keep out a passkey
 * that is right.
 */
export async function loginWithPasskey(
  { challenge, credential, ...origin }: { challenge?: string; credential: AssertedCredential } & LoginOrigin,
  app: IdentityApp,
): Promise<OpenedLogin> {
  const known = challenge === undefined ? undefined : await tryLoginChallenge(challenge, app.clock(), app.database);
  // Failures with one passkey must not keep others from using theirs at the same address.
  const account = countedAccount(known, `passkey ${credential.id.slice(0, 64)}`);
  const opened = await app.loginFailures.attemptUnguessable(account, origin.address, () => open(known));
  if (opened === undefined) throw new Refusal('login_refused', rule('passkey_login'));
  return opened;

  async function open(asked: LoginRow | undefined): Promise<OpenedLogin | undefined> {
    const verified = await verifyPasskey(credential, asked === undefined ? onlyStep : secondStepOf(asked.id), app);
    if (verified instanceof Refusal) {
      if (asked !== undefined) recordRefused(asked, actorOf(asked, origin), app);
      return undefined;
    }
    const { passkey, use } = verified;
    const [user] = await app.database.run(findChallengedLogin, [passkey.user_id]);
    if (user === undefined) return undefined;
    const actor = actorOf(user, origin);
    if (!user.active || (asked !== undefined && asked.id !== user.id)) {
      recordRefused(user, actor, app);
      return undefined;
    }
    const session = await app.database.transaction(async (transaction) => {
      await use(transaction);
      if (challenge !== undefined) await useLoginChallenge(challenge, new Date(app.clock()), transaction);
      const session = await openSession(transaction, user, actor, origin, app, 'passkey');
      if (session === undefined) throw challengeInvalid();
      return session;
    });
    return { user, session };
  }
}

function actorOf(user: LoginRow, { address, requestId }: LoginOrigin): Actor {
  return { by: 'passkey', userId: user.id, userName: user.user_name, address, requestId };
}

function recordRefused({ tenant_id: tenantId }: LoginRow, actor: Actor, { refusedRequests }: IdentityApp): void {
  const route = 'POST /api/user/login/passkey';
  refusedRequests.record({ action: 'session.login_refused', tenantId, actor, type: 'login_refused', route });
}
