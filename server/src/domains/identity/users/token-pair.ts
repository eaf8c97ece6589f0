import { tenantOnWire } from '../../../core/principal.ts';
import type { TokenContent } from '../../../platform/crypto/tokens.ts';
import type { UserDeps } from './deps.ts';
import type { UserRow } from './statements.ts';

/** The interface's login result, `token`. */
export interface TokenPair {
  accessToken: string;
  refreshToken: string;
  /** How long the access token lives, in seconds. */
  expiresIn: number;
  tokenType: 'Bearer';
}

type SigningDeps = Pick<UserDeps, 'tokens' | 'clock' | 'settings'>;

/** A fresh access token; it never outlives its session. */
export async function signAccessToken(
  user: UserRow,
  session: { id: string; expiresAtMs: number },
  { tokens, clock, settings }: SigningDeps,
): Promise<Pick<TokenPair, 'accessToken' | 'expiresIn'>> {
  const remainingSeconds = Math.max(1, Math.floor((session.expiresAtMs - clock()) / 1000));
  const expiresIn = Math.min(settings.accessTokenSeconds, remainingSeconds);
  return { accessToken: await tokens.sign('access', contentOf(user, session.id, expiresIn)), expiresIn };
}

export function signRefreshToken(user: UserRow, sessionId: string, { tokens, settings }: SigningDeps): Promise<string> {
  return tokens.sign('refresh', contentOf(user, sessionId, settings.refreshTokenSeconds));
}

/** The interface's JWT claims. */
function contentOf(user: UserRow, sessionId: string, lifetimeSeconds: number): TokenContent {
  return {
    subject: String(user.id),
    sessionId,
    claims: {
      username: user.user_name,
      roles: user.roles,
      tenantId: tenantOnWire(user.tenant_id),
      userType: user.user_type,
    },
    lifetimeSeconds,
  };
}
