import type { Clock } from '../../../core/clock.ts';
import { Refusal } from '../../../core/errors.ts';
import type { Tokens } from '../../../platform/crypto/tokens.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import type { Notifications } from '../../../platform/postgres/notifications/notifications.ts';
import { type Actor, appendAudit, type RequestOrigin } from '../audit/append.ts';
import { principalsTopic } from '../tenants/notifications.ts';
import { sessionsTopic } from './session-authenticator.ts';
import { endSession, endSessionsOfUser } from './statements.ts';

export interface LogoutDeps {
  database: Database;
  notifications: Notifications;
  tokens: Tokens;
  clock: Clock;
}

/**
 * Ends the session of an access token, or with `everywhere` every session of its user. Checks only the token itself, not
 * whether its session is live, so that logging out twice is not an error. The token of an ended session ends no other
 * session.
 */
export async function logout(
  authorization: string | undefined,
  everywhere: boolean,
  origin: RequestOrigin,
  deps: LogoutDeps,
): Promise<void> {
  const { sessionId } = await deps.tokens.verify('access', bearerTokenOf(authorization));
  await logoutSession(sessionId, everywhere, origin, deps);
}

export async function logoutSession(
  sessionId: string,
  everywhere: boolean,
  origin: RequestOrigin,
  { database, notifications, clock }: LogoutDeps,
): Promise<void> {
  const now = new Date(clock());
  const [topic, key] = everywhere ? [principalsTopic, ''] : [sessionsTopic, sessionId];
  await database.transaction(async (transaction) => {
    const [ended] = await transaction.run(endSession, [sessionId, now]);
    if (ended === undefined) return;
    const actor: Actor = { by: 'session', userId: ended.user_id, userName: ended.user_name, ...origin };
    await appendAudit(transaction, actor, {
      action: 'session.logout',
      tenantId: ended.tenant_id,
      recordId: sessionId,
      details: { everywhere },
    });
    if (everywhere) await transaction.run(endSessionsOfUser, [ended.user_id, now]);
    await notifications.publish(transaction, topic, key);
  });
  notifications.applied(topic, key);
}

function bearerTokenOf(authorization: string | undefined): string {
  if (authorization === undefined) {
    throw new Refusal('credentials_missing', 'This needs an Authorization header with a Bearer access token.');
  }
  const [, token] = /^bearer +(\S+)$/i.exec(authorization) ?? [];
  if (token === undefined) throw new Refusal('credentials_invalid', 'This needs a Bearer access token.');
  return token;
}
