import type { Module } from '../../../platform/module.ts';
import { deleteInBatches } from '../../../platform/postgres/delete-in-batches.ts';
import type { IdentityApp } from '../app.ts';
import { sessionRoutes } from './routes.ts';
import { loginResult } from './schema.ts';
import { settings } from './settings.ts';
import { deleteExpiredChallenges, deleteExpiredSessions } from './statements.ts';

/** Login, logout, tokens, and the authentication of requests that carry an access token. */
export const sessions = {
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
  errors: {
    challenge_invalid: 'invalid',
    login_refused: 'unauthenticated',
    second_factor_challenge: 'unauthenticated',
    origin_not_allowed: 'forbidden',
  },
  reference: [{ name: 'Users', description: 'Login, sessions, passwords and user accounts.' }],
  resources: { 'login result': loginResult },
  routes: sessionRoutes,
  retention: ({ database }) => [
    { name: 'sessions', sweep: (nowMs) => deleteInBatches(database, deleteExpiredSessions, [new Date(nowMs)]) },
    {
      name: 'login challenges',
      sweep: (nowMs) => deleteInBatches(database, deleteExpiredChallenges, [new Date(nowMs)]),
    },
  ],
} satisfies Module<IdentityApp>;
