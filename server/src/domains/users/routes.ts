import { Type } from 'typebox';
import { endpoint } from '../../platform/http/route.ts';
import { notFound } from '../../vocabulary/errors.ts';
import { defaultPageSize, paginationOf } from '../../vocabulary/page.ts';
import { seesAllTenants, tenantOnWire } from '../../vocabulary/principal.ts';
import type { UserDeps } from './deps.ts';
import type { ForgottenPasswords } from './forgot-password.ts';
import { login } from './login.ts';
import { logout } from './logout.ts';
import { refresh } from './refresh.ts';
import { resetPassword } from './reset-password.ts';
import { saveUser } from './save.ts';
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
import { countUsers, findUser, listUsers, type UserRow } from './sql.ts';
import type { TokenPair } from './token-pair.ts';

export function userEndpoints(deps: UserDeps & { forgottenPasswords: ForgottenPasswords }) {
  return {
    login: endpoint({
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

    refresh: endpoint({
      summary: 'Get a new access token',
      description: 'The refresh token stays the same until the session ends.',
      body: refreshInput,
      data: refreshed,
      handle: async ({ body }) => ({
        message: 'Token refreshed',
        data: repeated(await refresh(body.refreshToken, deps)),
      }),
    }),

    logout: endpoint({
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

    forgotPassword: endpoint({
      summary: 'Ask for a password reset',
      description: 'A token comes by e-mail and is good for 30 minutes. The answer is the same for any address.',
      body: forgotPasswordInput,
      data: Type.Null(),
      handle: async ({ body }) => {
        await deps.forgottenPasswords.forgot(body.email);
        return { message: 'If the address is known, an e-mail is on its way', data: null };
      },
    }),

    resetPassword: endpoint({
      summary: 'Reset the password',
      description: 'With the token received by e-mail, which works once. Every session of the user ends.',
      body: resetPasswordInput,
      data: Type.Null(),
      handle: async ({ body, address }) => {
        await resetPassword({ ...body, address }, deps);
        return { message: 'Password reset', data: null };
      },
    }),

    info: endpoint({
      summary: 'Who am I',
      data: currentUser,
      handle: async ({ principal }) => {
        const [user] = await deps.database.run(findUser, [principal.userId]);
        if (user === undefined) throw notFound('user', principal.userId);
        const { id, state, updatedTime, ...shown } = userOf(user);
        return { data: { userId: id, ...shown, scopes: [...principal.scopes] } };
      },
    }),

    list: endpoint({
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

    modify: endpoint({
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
  };
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
