import type { Database } from '../../../platform/postgres/database.ts';
import { idleSince, lastUseMs, sessionEnded } from './session-authenticator.ts';
import { findLiveSession } from './statements.ts';
import { signAccessToken, type TokenDeps, type TokenPair } from './token-pair.ts';

/**
 * Issues a new access token for a live session. The refresh token stays the same: the interface promises only a new
 * access token, so clients that keep their refresh token must go on working.
 */
export async function refresh(refreshToken: string, deps: TokenDeps & { database: Database }): Promise<TokenPair> {
  const { sessionId } = await deps.tokens.verify('refresh', refreshToken);
  const [row] = await deps.database.run(findLiveSession, [sessionId]);
  const expiresAtMs = row === undefined ? 0 : Date.parse(row.expires_at);
  if (row === undefined || expiresAtMs <= deps.clock()) throw sessionEnded();
  if (lastUseMs(row) < idleSince(deps.clock(), deps.lifetimes.idleMs).getTime()) throw sessionEnded();
  const { accessToken, expiresIn } = await signAccessToken(row, { id: sessionId, expiresAtMs }, deps);
  return { accessToken, refreshToken, expiresIn, tokenType: 'Bearer' };
}
