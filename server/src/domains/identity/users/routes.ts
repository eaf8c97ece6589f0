import { Type } from 'typebox';
import { notFound } from '../../../core/errors.ts';
import { defaultPageSize, paginationOf } from '../../../core/page.ts';
import { seesAllTenants } from '../../../core/principal.ts';
import { networkOf } from '../../../platform/http/limits/network-of.ts';
import type { Route } from '../../../platform/http/route.ts';
import { routesFor, savedMessage } from '../../../platform/http/routes-for.ts';
import type { IdentityApp } from '../app.ts';
import { filteredTenant } from '../tenants/visible-tenants.ts';
import { changePassword } from './change-password.ts';
import { modifyUser } from './modify.ts';
import { recordOf } from './record.ts';
import { resetPassword } from './reset-password.ts';
import {
  changePasswordInput,
  currentUser,
  forgotPasswordInput,
  resetPasswordInput,
  userInput,
  userListQuery,
  userQuery,
  userRecord,
} from './schema.ts';
import { countUsers, findUser, listUsers } from './statements.ts';

const { get, post, postOnce } = routesFor<IdentityApp>();

export const userRoutes: readonly Route<IdentityApp>[] = [
  post('/api/user/forgot-password', 'nothing', 'Users', {
    operationId: 'forgotPassword',
    summary: 'Request a password reset',
    description:
      'Sends an e-mail with a reset token that is valid for 30 minutes. The answer is the same for any address. At ' +
      'most `app.rate-limit.failures-per-address` requests from one address in 15 minutes.',
    body: forgotPasswordInput,
    refuses: ['too_many_attempts'],
    data: Type.Null(),
    handle: async ({ body, address, requestId }, app) => {
      const caller = networkOf(address);
      app.resetRequests.count(caller);
      app.resetMailer.request(body.email, caller, { address, requestId });
      return { message: 'If the address is known, an e-mail is on its way', data: null };
    },
  }),

  post('/api/user/reset-password', 'nothing', 'Users', {
    operationId: 'resetPassword',
    summary: 'Reset the password',
    description:
      'Takes the token received by e-mail, for a reset or with an invitation, which works once. Every session of the ' +
      'user ends.',
    body: resetPasswordInput,
    refuses: ['reset_token_invalid', 'password_too_weak', 'too_many_attempts'],
    data: Type.Null(),
    handle: async ({ body, address, requestId }, app) => {
      const reset = () => resetPassword({ ...body, address, requestId }, app);
      await app.resetFailures.attempt(networkOf(address), reset);
      return { message: 'Password reset', data: null };
    },
  }),

  post('/api/user/change-password', 'session', 'Users', {
    operationId: 'changePassword',
    summary: 'Change my password',
    description:
      'Needs the present password; a wrong one (400) counts as a failed login. ' +
      'Ends the other sessions of the caller and voids every mailed token.',
    body: changePasswordInput,
    refuses: ['old_password_wrong', 'password_too_weak', 'too_many_attempts'],
    data: Type.Null(),
    handle: async ({ body, address, principal }, app) => {
      await changePassword({ ...body, address }, principal, app);
      return { message: 'Password changed', data: null };
    },
  }),

  get('/api/user/info', 'enrolment', 'Users', {
    operationId: 'getCurrentUser',
    summary: 'Get the current user',
    data: currentUser,
    handle: async ({ principal }, app) => {
      const [user] = await app.database.run(findUser, [principal.userId]);
      if (user === undefined) throw notFound('user', principal.userId);
      const { id, state, invited, updatedTime, ...shown } = recordOf(user);
      return { data: { userId: id, ...shown, scopes: [...principal.scopes] } };
    },
  }),

  get('/api/user/detail', 'user_read', 'Users', {
    summary: 'Get a user',
    description: "A user of the caller's tenant. A platform administrator finds those of every tenant.",
    query: userQuery,
    data: userRecord,
    handle: async ({ query: { id }, principal }, app) => {
      const [user] = await app.database.run(findUser, [id]);
      const mayBeSeen = user !== undefined && (seesAllTenants(principal) || user.tenant_id === principal.tenantId);
      if (!mayBeSeen) throw notFound('user', id);
      return { data: recordOf(user) };
    },
  }),

  get('/api/user/list', 'user_read', 'Users', {
    summary: 'List users',
    description: 'Newest first. A platform administrator sees the users of every tenant, others those of their own.',
    query: userListQuery,
    data: Type.Array(userRecord),
    paged: true,
    handle: async ({ query, principal }, app) => {
      const { page = 1, pageSize = defaultPageSize } = query;
      const tenantId = filteredTenant(principal, query.tenantId);
      const [users, [count]] = await Promise.all([
        app.database.run(listUsers, [tenantId, pageSize, (page - 1) * pageSize]),
        app.database.run(countUsers, [tenantId]),
      ]);
      return { data: users.map(recordOf), pagination: paginationOf({ page, pageSize }, count?.total ?? 0) };
    },
  }),

  postOnce('/api/user/modify', 'user_write', 'Users', {
    summary: 'Create or update a user',
    description:
      'Without `id`, creates a user; with `id`, updates that user. ' +
      'A new user without `password` is invited by mail to choose one, within 7 days. ' +
      'Callers cannot create or update a user who has a permission that they do not have themselves, ' +
      'and a key can set neither a password nor the e-mail address of an existing user (403). ' +
      'A new password, another address and `state` false end the sessions of the user and void every mailed ' +
      'token; `state` false also revokes the keys. The last active PLATFORM_ADMIN can be neither disabled nor ' +
      'demoted (409). Callers change their own password at `/api/user/change-password`, ' +
      'and their own address with `oldPassword`. A test key changes no users (409).',
    body: userInput,
    refuses: [
      'account_taken',
      'password_too_weak',
      'old_password_wrong',
      'too_many_attempts',
      'livemode_mismatch',
      'last_administrator',
      'role_missing',
      'scope_missing',
      'session_required',
      'step_up_required',
    ],
    data: userRecord,
    message: savedMessage('User'),
    handle: modifyUser,
  }),
];
