import type { UserDeps } from './deps.ts';
import { sessionEnded } from './sessions.ts';
import { findLiveSession } from './statements.ts';
import { signAccessToken, type TokenPair } from './token-pair.ts';

/**
 * A new access token for a live session. The refresh token stays the same: the interface promises only a new access
 * token, so a client that keeps the one it has must go on working. The session row caps both.
 */
export async function refresh(refreshToken: string, deps: UserDeps): Promise<TokenPair> {
  const { sessionId } = await deps.tokens.verify('refresh', refreshToken);
  const [user] = await deps.database.run(findLiveSession, [sessionId]);
  const expiresAtMs = user === undefined ? 0 : Date.parse(user.expires_at);
  if (user === undefined || expiresAtMs <= deps.clock()) throw sessionEnded();
  const { accessToken, expiresIn } = await signAccessToken(user, { id: sessionId, expiresAtMs }, deps);
  return { accessToken, refreshToken, expiresIn, tokenType: 'Bearer' };
}
