import { Type } from 'typebox';
import { notFound } from '../../../core/errors.ts';
import { defaultPageSize, paginationOf } from '../../../core/page.ts';
import { seesAllTenants, tenantOnWire } from '../../../core/principal.ts';
import { get, post, type Route } from '../../../platform/http/route.ts';
import type { UserDeps } from './deps.ts';
import type { ForgottenPasswords } from './forgot-password.ts';
import { login } from './login.ts';
import { logout } from './logout.ts';
import { saveUser } from './modify.ts';
import { refresh } from './refresh.ts';
import { resetPassword } from './reset-password.ts';
import {
  currentUser,
  forgotPasswordInput,
  loginInput,
  loginResult,
  logoutInput,
  refreshed,
  refreshInput,
  resetPasswordInput,
  userInput,
  userListQuery,
  userRecord,
} from './schema.ts';
import { countUsers, findUser, listUsers, type UserRow } from './statements.ts';
import type { TokenPair } from './token-pair.ts';

export function userRoutes(deps: UserDeps & { forgottenPasswords: ForgottenPasswords }): Route[] {
  return [
    post('/api/user/login', 'nothing', 'Users', {
      summary: 'Log in',
      description:
        'A wrong password, an unknown account and one switched off are refused alike (401). After 10 failures in 15 ' +
        'minutes an account is refused from that address (429, with Retry-After).',
      body: loginInput,
      data: loginResult,
      handle: async ({ body, address }) => ({
        message: 'Login successful',
        data: await login({ ...body, address }, deps),
      }),
    }),

    post('/api/user/refresh', 'nothing', 'Users', {
      summary: 'Get a new access token',
      description: 'The refresh token stays the same until the session ends.',
      body: refreshInput,
      data: refreshed,
      handle: async ({ body }) => ({
        message: 'Token refreshed',
        data: repeated(await refresh(body.refreshToken, deps)),
      }),
    }),

    post('/api/user/logout', 'token', 'Users', {
      summary: 'Log out',
      description:
        'Needs a Bearer access token. Both tokens of the session are dead at once; with `all`, those of every session ' +
        'of the user. Logging out twice is no error. The body may be left out.',
      body: logoutInput,
      data: Type.Null(),
      handle: async ({ body, headers }) => {
        await logout(headers.authorization, body?.all === true, deps);
        return { message: 'Logged out', data: null };
      },
    }),

    post('/api/user/forgot-password', 'nothing', 'Users', {
      summary: 'Ask for a password reset',
      description: 'A token comes by e-mail and is good for 30 minutes. The answer is the same for any address.',
      body: forgotPasswordInput,
      data: Type.Null(),
      handle: async ({ body }) => {
        await deps.forgottenPasswords.forgot(body.email);
        return { message: 'If the address is known, an e-mail is on its way', data: null };
      },
    }),

    post('/api/user/reset-password', 'nothing', 'Users', {
      summary: 'Reset the password',
      description: 'With the token received by e-mail, which works once. Every session of the user ends.',
      body: resetPasswordInput,
      data: Type.Null(),
      handle: async ({ body, address }) => {
        await resetPassword({ ...body, address }, deps);
        return { message: 'Password reset', data: null };
      },
    }),

    get('/api/user/info', 'session', 'Users', {
      summary: 'Who am I',
      data: currentUser,
      handle: async ({ principal }) => {
        const [user] = await deps.database.run(findUser, [principal.userId]);
        if (user === undefined) throw notFound('user', principal.userId);
        const { id, state, updatedTime, ...shown } = userOf(user);
        return { data: { userId: id, ...shown, scopes: [...principal.scopes] } };
      },
    }),

    get('/api/user/list', 'user_read', 'Users', {
      summary: 'List users',
      description: "Newest first. A platform administrator sees every tenant's, everyone else their own tenant's.",
      query: userListQuery,
      data: Type.Array(userRecord),
      paged: true,
      handle: async ({ query, principal }) => {
        const { page = 1, pageSize = defaultPageSize } = query;
        const tenantId = seesAllTenants(principal) ? null : principal.tenantId;
        const [users, [count]] = await Promise.all([
          deps.database.run(listUsers, [tenantId, pageSize, (page - 1) * pageSize]),
          deps.database.run(countUsers, [tenantId]),
        ]);
        return { data: users.map(userOf), pagination: paginationOf({ page, pageSize }, count?.total ?? 0) };
      },
    }),

    post('/api/user/modify', 'user_write', 'Users', {
      summary: 'Create or update a user',
      description:
        'Without `id` a user is created (and `password` is required), with it that one is updated. Nobody can make or ' +
        'change a user who may do more than they may themselves. A new password or `state` false ends the sessions of ' +
        'the user. The last active PLATFORM_ADMIN can be neither switched off nor demoted (409).',
      body: userInput,
      data: userRecord,
      handle: async ({ body, principal }) => ({
        message: body.id === undefined ? 'User created' : 'User updated',
        data: userOf(await saveUser(body, principal, deps)),
      }),
    }),
  ];
}

/** A client may read what refresh answers as the token object itself, or under `token`, as login has it. */
const repeated = (token: TokenPair) => ({ ...token, token });

function userOf(user: UserRow) {
  return {
    id: user.id,
    userName: user.user_name,
    email: user.email,
    userType: user.user_type,
    tenantId: tenantOnWire(user.tenant_id),
    roles: user.roles,
    state: user.state,
    createdTime: user.created_at,
    updatedTime: user.updated_at,
  };
}
