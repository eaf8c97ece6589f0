import type { Module } from '../../../platform/module.ts';
import { deleteInBatches } from '../../../platform/postgres/delete-in-batches.ts';
import type { IdentityApp } from '../app.ts';
import { userChecks } from './integrity.ts';
import { userRoutes } from './routes.ts';
import { currentUser, userRecord } from './schema.ts';
import { settings } from './settings.ts';
import { deleteExpiredResets } from './statements.ts';

/** User accounts and their passwords. */
export const users = {
  name: 'users',
  tables: ['app_user', 'login_name', 'account_name', 'password_reset'],
  settings,
  integrity: userChecks,
  auditActions: {
    'user.create': 'A user was created.',
    'user.update': 'A user was changed, enabled or disabled.',
    'user.request_password_reset': 'A password reset was requested and its token mailed.',
    'user.reset_password': 'A password was reset with a mailed token.',
    'user.change_password': 'A user changed their own password.',
  },
  errors: {
    password_too_weak: 'invalid',
    reset_token_invalid: 'invalid',
    old_password_wrong: 'invalid',
    session_required: 'forbidden',
    account_taken: 'conflict',
    last_administrator: 'conflict',
  },
  resources: { 'current user': currentUser, user: userRecord },
  routes: userRoutes,
  retention: ({ database, mailer }) => [
    { name: 'password resets', sweep: (nowMs) => deleteInBatches(database, deleteExpiredResets, [new Date(nowMs)]) },
    { name: 'stored mail', sweep: (nowMs) => mailer.removeExpired(nowMs) },
  ],
} satisfies Module<IdentityApp>;
