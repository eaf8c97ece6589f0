import { Refusal } from '../../../core/errors.ts';
import { rule } from '../../../core/refusal-rules.ts';
import type { VerifiedToken } from '../../../platform/crypto/tokens.ts';
import type { IdentityApp } from '../app.ts';
import { type Actor, appendAudit, type RequestOrigin } from '../audit/append.ts';
import { tokenReplaced } from './session-authenticator.ts';
import { endSession, endSessionsOfUser, type LiveSessionRow } from './statements.ts';

/**
 * Ends the session of an access token, or with `everywhere` every session of its user. Checks only the token itself,
 * not whether its session is live, so that logging out twice is not an error. The token of an ended session ends no
 * other session, and a token that was replaced ends none at all: somebody else may have kept it.
 */
export async function logout(
  authorization: string | undefined,
  everywhere: boolean,
  origin: RequestOrigin,
  app: IdentityApp,
): Promise<void> {
  await logoutSession(await app.tokens.verify('access', bearerTokenOf(authorization)), everywhere, origin, app);
}

/** Refuses with `credentials_invalid` a token or cookie that was replaced. */
export async function logoutSession(
  { sessionId, generation }: VerifiedToken,
  everywhere: boolean,
  origin: RequestOrigin,
  app: IdentityApp,
): Promise<void> {
  const { database, clock } = app;
  const now = new Date(clock());
  await database.transaction(async (transaction) => {
    const [ended] = await transaction.run(endSession, [sessionId, now]);
    if (ended === undefined) return;
    if (ended.generation !== generation) throw tokenReplaced();
    if (everywhere) requireFreshSession(ended, now.getTime(), app);
    const actor: Actor = { by: 'session', userId: ended.user_id, userName: ended.user_name, ...origin };
    await appendAudit(transaction, actor, {
      action: 'session.logout',
      tenantId: ended.tenant_id,
      recordId: sessionId,
      details: { everywhere },
    });
    if (everywhere) await transaction.run(endSessionsOfUser, [ended.user_id, now]);
  });
}

/**
 * In the strict profile, ending the other sessions of a user needs a recent login or step-up (ASVS 7.5.2), because the
 * session may have been left open on a desk.
 */
export function requireFreshSession(
  { created_at, stepped_up_until }: Pick<LiveSessionRow, 'created_at' | 'stepped_up_until'>,
  nowMs: number,
  { isStrict, stepUpMs }: IdentityApp,
): void {
  if (!isStrict || Date.parse(created_at) + stepUpMs > nowMs) return;
  if (stepped_up_until !== null && Date.parse(stepped_up_until) > nowMs) return;
  throw new Refusal('step_up_required', rule('step_up_sessions'));
}

function bearerTokenOf(authorization: string | undefined): string {
  if (authorization === undefined) {
    throw new Refusal('credentials_missing', rule('bearer_missing'));
  }
  const [, token] = /^bearer +(\S+)$/i.exec(authorization) ?? [];
  if (token === undefined) throw new Refusal('credentials_invalid', rule('bearer_form'));
  return token;
}
