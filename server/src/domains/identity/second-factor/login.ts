import { Refusal } from '../../../core/errors.ts';
import type { IdentityApp } from '../app.ts';
import type { Actor } from '../audit/append.ts';
import { challengeInvalid, tryLoginChallenge, useLoginChallenge } from '../sessions/challenge.ts';
import { type LoginOrigin, type OpenedLogin, openSession } from '../sessions/open-session.ts';
import { withCode } from './verify.ts';

/**
 * Starts the session of a login whose password was right, given the challenge and a code. Challenge and code are used
 * up together with the start, in one transaction.
 */
export async function loginWithSecondFactor(
  { challenge, code, ...origin }: { challenge: string; code: string } & LoginOrigin,
  app: IdentityApp,
): Promise<OpenedLogin> {
  const user = await tryLoginChallenge(challenge, app.clock(), app.database);
  const { address, requestId } = origin;
  const actor: Actor = { by: 'password', userId: user.id, userName: user.user_name, address, requestId };
  const owner = { userId: user.id, userName: user.user_name, address };
  try {
    const session = await withCode(code, owner, app, async (transaction, method) => {
      await useLoginChallenge(challenge, new Date(app.clock()), transaction);
      const opened = await openSession(transaction, user, actor, origin, app, method);
      if (opened === undefined) throw challengeInvalid();
      return opened;
    });
    return { user, session };
  } catch (error) {
    if (error instanceof Refusal && error.type === 'code_wrong') {
      const route = 'POST /api/user/login/second-factor';
      const { tenant_id: tenantId } = user;
      app.refusedRequests.record({ action: 'session.login_refused', tenantId, actor, type: error.type, route });
    }
    throw error;
  }
}
