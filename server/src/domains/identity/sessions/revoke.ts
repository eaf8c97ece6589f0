import type { Static } from 'typebox';
import { invalid, notFound } from '../../../core/errors.ts';
import { rule } from '../../../core/refusal-rules.ts';
import type { Call } from '../../../platform/http/route.ts';
import type { IdentityApp } from '../app.ts';
import { appendAudit } from '../audit/append.ts';
import { requireFreshSession } from './logout.ts';
import type { revokeSessionInput } from './schema.ts';
import { sessionEnded } from './session-authenticator.ts';
import { endSessionOfUser, endSessionsOfUser, findLiveSession } from './statements.ts';

/**
 * Ends one session of the caller, or with `all` every one, this one included. Ending a session again is not an error.
 */
export async function revokeSessions(
  { body: { id, all }, principal }: Call<Static<typeof revokeSessionInput>>,
  app: IdentityApp,
): Promise<void> {
  if ((id === undefined) === (all !== true)) throw invalid('id', rule('one_session'));
  const { database, clock } = app;
  const { userId, tenantId } = principal;
  const sessionId = principal.sessionId as string;
  const now = new Date(clock());
  await database.transaction(async (transaction) => {
    const [own] = await transaction.run(findLiveSession, [sessionId]);
    if (own === undefined) throw sessionEnded();
    if (id !== sessionId) requireFreshSession(own, now.getTime(), app);
    if (id === undefined) await transaction.run(endSessionsOfUser, [userId, now]);
    else if ((await transaction.run(endSessionOfUser, [userId, id, now])).length === 0) throw notFound('session', id);
    await appendAudit(transaction, principal, { action: 'session.revoke', tenantId, recordId: id });
  });
}
