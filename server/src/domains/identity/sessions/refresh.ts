import type { IdentityApp } from '../app.ts';
import { appendAudit, type RequestOrigin } from '../audit/append.ts';
import { expiryMs, idleSince, lastUseMs, sessionEnded, tokenReplaced } from './session-authenticator.ts';
import { advanceGeneration, endSession, findLiveSession, type LiveSessionRow } from './statements.ts';
import { type OpenedSession, signAccessToken, signTokenPair, type TokenPair } from './token-pair.ts';

/**
 * Issues a new access token for a live session. The refresh token stays the same: the API promises only a new access
 * token, so clients may keep their refresh token. In the strict profile all tokens of the session are replaced, and a
 * refresh token that was replaced before ends the session, because somebody else has used it (ASVS 10.4.5).
 */
export async function refresh(refreshToken: string, origin: RequestOrigin, app: IdentityApp): Promise<TokenPair> {
  const { sessionId, generation } = await app.tokens.verify('refresh', refreshToken);
  const [row] = await app.database.run(findLiveSession, [sessionId]);
  const expiresAtMs = row === undefined ? 0 : expiryMs(row, app.lifetimes);
  if (row === undefined || expiresAtMs <= app.clock()) throw sessionEnded();
  if (lastUseMs(row) < idleSince(app.clock(), app.lifetimes.idleMs).getTime()) throw sessionEnded();
  const session = { id: sessionId, expiresAtMs, generation };
  if (app.isStrict) return replaceTokens(row, session, origin, app);
  if (row.generation !== generation) throw tokenReplaced();
  const { accessToken, expiresIn } = await signAccessToken(row, session, app);
  return { accessToken, refreshToken, expiresIn, tokenType: 'Bearer' };
}

async function replaceTokens(
  user: LiveSessionRow,
  session: OpenedSession,
  origin: RequestOrigin,
  app: IdentityApp,
): Promise<TokenPair> {
  const { database, clock } = app;
  const { id } = session;
  const advanced = await database.transaction(async (transaction) => {
    const [row] = await transaction.run(advanceGeneration, [id, session.generation]);
    if (row === undefined && (await transaction.run(endSession, [id, new Date(clock())])).length > 0) {
      const actor = { by: 'session', userId: user.id, userName: user.user_name, ...origin } as const;
      const change = { action: 'session.end_after_reuse', tenantId: user.tenant_id, recordId: id } as const;
      await appendAudit(transaction, actor, change);
    }
    return row;
  });
  if (advanced === undefined) throw sessionEnded();
  return signTokenPair(user, { ...session, generation: advanced.generation }, app);
}
