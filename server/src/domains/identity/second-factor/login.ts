import { Refusal } from '../../../core/errors.ts';
import type { Actor } from '../audit/append.ts';
import type { RefusedRequests } from '../audit/refused-requests.ts';
import { challengeInvalid, tryLoginChallenge, useLoginChallenge } from '../sessions/challenge.ts';
import { type LoginOrigin, type OpenedLogin, type OpenSessionDeps, openSession } from '../sessions/open-session.ts';
import { type CodeDeps, withCode } from './verify.ts';

export interface SecondLoginDeps extends CodeDeps, OpenSessionDeps {
  refusedRequests: Pick<RefusedRequests, 'record'>;
}

/**
 * Starts the session of a login whose password was right, given the challenge and a code. Challenge and code are used up
 * together with the start, in one transaction.
 */
export async function loginWithSecondFactor(
  { challenge, code, ...origin }: { challenge: string; code: string } & LoginOrigin,
  deps: SecondLoginDeps,
): Promise<OpenedLogin> {
  const user = await tryLoginChallenge(challenge, deps.clock(), deps.database);
  const { address, requestId } = origin;
  const actor: Actor = { by: 'password', userId: user.id, userName: user.user_name, address, requestId };
  const owner = { userId: user.id, userName: user.user_name, address };
  try {
    const session = await withCode(code, owner, deps, async (transaction, method) => {
      await useLoginChallenge(challenge, new Date(deps.clock()), transaction);
      const opened = await openSession(transaction, user, actor, origin, deps, method);
      if (opened === undefined) throw challengeInvalid();
      return opened;
    });
    return { user, session };
  } catch (error) {
    if (error instanceof Refusal && error.type === 'code_wrong') {
      const route = 'POST /api/user/login/second-factor';
      const { tenant_id: tenantId } = user;
      deps.refusedRequests.record({ action: 'session.login_refused', tenantId, actor, type: error.type, route });
    }
    throw error;
  }
}
