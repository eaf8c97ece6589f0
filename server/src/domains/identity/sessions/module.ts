import { minuteMs } from '../../../core/clock.ts';
import { Passwords } from '../../../platform/crypto/passwords.ts';
import { Tokens } from '../../../platform/crypto/tokens.ts';
import { FailureLimiter } from '../../../platform/http/limits/rate-limiter.ts';
import { defineModule } from '../../../platform/module.ts';
import type { NodeWith } from '../../../platform/node.ts';
import { deleteInBatches } from '../../../platform/postgres/delete-in-batches.ts';
import { type SettingsOf, setting } from '../../../platform/settings/declare.ts';
import { durationOfAtLeast, oneOf } from '../../../platform/settings/kinds.ts';
import type { RefusedRequests } from '../audit/refused-requests.ts';
import { failureWindowMs, LoginFailures } from './login-failures.ts';
import { sessionRoutes } from './routes.ts';
import {
  loginInput,
  loginResult,
  logoutInput,
  refreshed,
  refreshInput,
  revokeSessionInput,
  sessionRecord,
  tokenPair,
} from './schema.ts';
import { SessionAuthenticator } from './session-authenticator.ts';
import { SessionCookie } from './session-cookie.ts';
import { deleteExpiredChallenges, deleteExpiredSessions } from './statements.ts';
import type { RenewPasswordHash } from './verify-password.ts';

const settings = {
  'app.jwt.access-token-expire': setting(durationOfAtLeast(1000, '1s'), {
    default: '24h',
    description: 'Lifetime of an access token.',
  }),
  'app.jwt.refresh-token-expire': setting(durationOfAtLeast(1000, '1s'), {
    default: '7d',
    description: 'Maximum lifetime of a session and of its refresh token.',
  }),
  'app.security.step-up-lifetime': setting(durationOfAtLeast(1000, '1s'), {
    default: '10m',
    description: 'How long a session counts as stepped up after a code of the second factor.',
  }),
  'app.security.session-idle-timeout': setting(durationOfAtLeast(minuteMs, '1m'), {
    default: '7d',
    description:
      'A session ends when it is not used for this long, accurate to one minute. 30m suits consoles on shared desks.',
  }),
  'app.security.profile': setting(oneOf('standard', 'strict'), {
    default: 'standard',
    description:
      '`strict` is level 2 of ASVS 5.0 (docs/concepts/security.md, "The strict profile"): it changes the defaults of further settings, refuses weaker values, and departs from the API where ASVS asks for more.',
  }),
  'app.security.platform-second-factor': setting(oneOf('optional', 'required'), {
    default: 'optional',
    description: "`required`: sessions of the platform's own users without a second factor may only enrol one.",
  }),
};

type Needs = NodeWith<SettingsOf<typeof settings>>;
type Provided = ReturnType<typeof provide>;

/** Login, logout, tokens, and the authentication of requests that carry an access token. */
export const sessions = defineModule({
  name: 'sessions',
  tables: ['session', 'login_challenge'],
  settings,
  auditActions: {
    'session.login': 'A user logged in.',
    'session.login_refused': 'A login was refused.',
    'session.logout': 'A user logged out.',
    'session.end_after_reuse': 'A refresh token was used again after it had been replaced, so its session ended.',
    'session.revoke': 'A user ended one or all of their own sessions.',
  },
  reference: [{ name: 'Users', description: 'Login, sessions, passwords and user accounts.' }],
  resources: { 'login result': loginResult },
  schemas: {
    LoginInput: loginInput,
    LoginResult: loginResult,
    TokenPair: tokenPair,
    RefreshInput: refreshInput,
    RefreshResult: refreshed,
    LogoutInput: logoutInput,
    Session: sessionRecord,
    SessionRevokeInput: revokeSessionInput,
  },
  provide,
  routes: (context: Needs & Provided & { refusedRequests: RefusedRequests; renewPasswordHash: RenewPasswordHash }) =>
    sessionRoutes({
      ...context,
      refreshFailures: context.makeFailureLimiter('failed refreshes'),
    }),
  retention: ({ database }: Needs) => [
    { name: 'sessions', sweep: (nowMs) => deleteInBatches(database, deleteExpiredSessions, [new Date(nowMs)]) },
    {
      name: 'login challenges',
      sweep: (nowMs) => deleteInBatches(database, deleteExpiredChallenges, [new Date(nowMs)]),
    },
  ],
});

function provide(needs: Needs) {
  const { signingKeys, clock, database, caches, passwordCost, failuresPerAddress, logError, lifecycle } = needs;
  const { settings, siblings } = needs;
  const isStrict = settings['app.security.profile'] === 'strict';
  const platformSecondFactorRequired = settings['app.security.platform-second-factor'] === 'required';
  const lifetimes = {
    accessTokenSeconds: settings['app.jwt.access-token-expire'] / 1000,
    sessionSeconds: settings['app.jwt.refresh-token-expire'] / 1000,
    idleMs: settings['app.security.session-idle-timeout'],
  };
  const tokens = new Tokens({ keys: signingKeys, issuer: 'florin', audience: 'florin', clock });
  const sessions = new SessionAuthenticator({
    database,
    caches,
    tokens,
    clock,
    logError,
    platformSecondFactorRequired,
    isStrict,
    lifetimes,
  });
  lifecycle.add('last uses of sessions', () => sessions.settled());
  return {
    tokens,
    sessions,
    sessionCookie: new SessionCookie(needs.publicUrl),
    lifetimes,
    isStrict,
    stepUpMs: settings['app.security.step-up-lifetime'],
    passwords: new Passwords(passwordCost && { cost: passwordCost }),
    loginFailures: new LoginFailures({ clock, failuresPerAddress, siblings }),
    /** Counts the failures of one kind of request per address; each kind needs its own name. */
    makeFailureLimiter: (what: string) =>
      new FailureLimiter({
        max: failuresPerAddress,
        windowMs: failureWindowMs,
        clock,
        shared: siblings.sharedUses(what),
      }),
  };
}
