import type { Static } from 'typebox';
import type { Clock } from '../../../core/clock.ts';
import { tenantOnWire } from '../../../core/principal.ts';
import type { TokenContent } from '../../../platform/crypto/tokens.ts';
import type { IdentityApp } from '../app.ts';
import type { AccountRow } from './account.ts';
import type { tokenPair } from './schema.ts';
import type { SessionCookie } from './session-cookie.ts';

export type TokenPair = Static<typeof tokenPair>;

/** A session that was just started or found live. */
export interface OpenedSession {
  id: string;
  expiresAtMs: number;
  /** The generation of its tokens. */
  generation: number;
}

/** A new access token; it never outlives its session. */
export async function signAccessToken(
  user: AccountRow,
  session: OpenedSession,
  { tokens, clock, lifetimes }: IdentityApp,
): Promise<Pick<TokenPair, 'accessToken' | 'expiresIn'>> {
  const expiresIn = Math.min(lifetimes.accessTokenSeconds, remainingSeconds(session, clock));
  return { accessToken: await tokens.sign('access', contentOf(user, session, expiresIn)), expiresIn };
}

export async function signTokenPair(user: AccountRow, session: OpenedSession, app: IdentityApp): Promise<TokenPair> {
  const refreshToken = await signRefreshToken(user, session, app);
  const { accessToken, expiresIn } = await signAccessToken(user, session, app);
  return { accessToken, refreshToken, expiresIn, tokenType: 'Bearer' };
}

function signRefreshToken(
  user: AccountRow,
  session: OpenedSession,
  { tokens, lifetimes }: IdentityApp,
): Promise<string> {
  return tokens.sign('refresh', contentOf(user, session, lifetimes.sessionSeconds));
}

/** The Set-Cookie header with which the console keeps a session until it ends. */
export async function signedCookie(
  user: AccountRow,
  session: OpenedSession,
  { tokens, clock, sessionCookie }: IdentityApp & { sessionCookie: SessionCookie },
): Promise<string> {
  const lifetimeSeconds = remainingSeconds(session, clock);
  const { id: sessionId, generation } = session;
  const content = { subject: String(user.id), sessionId, generation, claims: {}, lifetimeSeconds };
  return sessionCookie.set(await tokens.sign('cookie', content), lifetimeSeconds);
}

function remainingSeconds({ expiresAtMs }: OpenedSession, clock: Clock): number {
  return Math.max(1, Math.floor((expiresAtMs - clock()) / 1000));
}

function contentOf(
  user: AccountRow,
  { id: sessionId, generation }: OpenedSession,
  lifetimeSeconds: number,
): TokenContent {
  return {
    subject: String(user.id),
    sessionId,
    generation,
    claims: {
      username: user.user_name,
      roles: user.roles,
      tenantId: tenantOnWire(user.tenant_id),
      userType: user.user_type,
    },
    lifetimeSeconds,
  };
}
