import { Type } from 'typebox';
import { notFound } from '../../../core/errors.ts';
import { defaultPageSize, paginationOf } from '../../../core/page.ts';
import { seesAllTenants, tenantOnWire } from '../../../core/principal.ts';
import { administrator, type Route } from '../../../platform/http/route.ts';
import { routesFor } from '../../../platform/http/routes-for.ts';
import type { IdentityApp } from '../app.ts';
import { generateKey } from './generate.ts';
import { revokeAnyKey, revokeOwnKey } from './revoke.ts';
import { rotateKey } from './rotate.ts';
import {
  administeredKey,
  currentKey,
  generatedKey,
  generateInput,
  keyListQuery,
  listedKey,
  revokeInput,
  rotateInput,
} from './schema.ts';
import { countKeys, findKey, type KeyRow, listKeys, listKeysOfUser, type OwnedKeyRow } from './statements.ts';

const { get, post } = routesFor<IdentityApp>();

export const developerKeyRoutes: readonly Route<IdentityApp>[] = [
  post('/api/developer/mine/generate', 'session', 'Developer keys', {
    operationId: 'generateDeveloperKey',
    summary: 'Generate a developer key',
    description:
      'The key acts as its owner, the caller: it can do what its scope and the permissions of its owner both allow. ' +
      'Scopes that the caller does not hold cannot be granted (403). ' +
      'A user has at most `app.developer-key.max-per-user` keys, ' +
      'including revoked ones. The body is optional.',
    body: generateInput,
    refuses: ['key_limit_reached', 'role_missing', 'scope_missing', 'step_up_required'],
    data: generatedKey,
    handle: async (call, app) => {
      const { key, row } = await generateKey(call, app);
      return {
        message: 'Key generated. Keep it now: it is not shown again',
        data: generatedOf(key, row),
      };
    },
  }),

  get('/api/developer/mine', 'session', 'Developer keys', {
    operationId: 'listMyDeveloperKeys',
    summary: 'List my developer keys',
    description: 'Newest first, including revoked keys.',
    data: Type.Array(listedKey),
    handle: async ({ principal }, app) => ({
      data: (await app.database.run(listKeysOfUser, [principal.userId])).map(listedOf),
    }),
  }),

  post('/api/developer/mine/revoke', 'session', 'Developer keys', {
    operationId: 'revokeMyDeveloperKey',
    summary: 'Revoke one of my developer keys',
    description: 'Takes effect immediately and cannot be undone. Revoking a key again is not an error.',
    body: revokeInput,
    data: listedKey,
    message: 'Key revoked',
    handle: async (call, app) => ({ data: listedOf(await revokeOwnKey(call, app)) }),
  }),

  post('/api/developer/mine/rotate', 'session', 'Developer keys', {
    operationId: 'rotateMyDeveloperKey',
    summary: 'Replace one of my developer keys',
    description:
      'Returns a new key with the same scope, name, mode and allowed addresses. The old key keeps working for ' +
      '`overlapSeconds`. A key that is revoked, has expired or was replaced before cannot be rotated (409).',
    body: rotateInput,
    refuses: ['key_inactive', 'key_limit_reached', 'role_missing', 'scope_missing', 'step_up_required'],
    data: generatedKey,
    handle: async (call, app) => {
      const { key, row } = await rotateKey(call, app);
      return {
        message: 'Key rotated. Keep the new one now: it is not shown again',
        data: generatedOf(key, row),
      };
    },
  }),

  get('/api/developer/current', 'key', 'Developer keys', {
    operationId: 'getCurrentDeveloperKey',
    summary: 'Get the developer key of this request',
    description: 'The key that the request is sent with: its owner, what it may do, and when it expires.',
    data: currentKey,
    handle: async ({ principal: { keyId, userId, userName, tenantId, scopes } }, app) => {
      const [row] = await app.database.run(findKey, [keyId]);
      if (row === undefined) throw notFound('developer key', keyId as number);
      return { data: { ...listedOf(row), userId, userName, tenantId: tenantOnWire(tenantId), scopes: [...scopes] } };
    },
  }),

  get('/api/developer/list', administrator('session'), 'Developer keys', {
    operationId: 'listDeveloperKeys',
    summary: 'List developer keys of all users',
    description:
      "Newest first, including revoked keys: those of the caller's tenant, or of every tenant for a " +
      'PLATFORM_ADMIN. A MERCHANT_ADMIN does not see keys of PLATFORM_ADMINs.',
    query: keyListQuery,
    data: Type.Array(administeredKey),
    paged: true,
    handle: async ({ query, principal }, app) => {
      const { page = 1, pageSize = defaultPageSize, userId = null } = query;
      const tenantId = seesAllTenants(principal) ? null : principal.tenantId;
      const [keys, [count]] = await Promise.all([
        app.database.run(listKeys, [tenantId, userId, pageSize, (page - 1) * pageSize]),
        app.database.run(countKeys, [tenantId, userId]),
      ]);
      return { data: keys.map(administeredOf), pagination: paginationOf({ page, pageSize }, count?.total ?? 0) };
    },
  }),

  post('/api/developer/revoke', administrator('session'), 'Developer keys', {
    operationId: 'revokeDeveloperKey',
    summary: 'Revoke a developer key of any user',
    description:
      "Of the caller's tenant, or of any for a PLATFORM_ADMIN. " +
      'Takes effect immediately and cannot be undone. Revoking a key ' +
      'again is not an error.',
    body: revokeInput,
    data: administeredKey,
    message: 'Key revoked',
    handle: async (call, app) => ({ data: administeredOf(await revokeAnyKey(call, app)) }),
  }),
];

/** A new key, which is shown once. */
export function generatedOf(key: string, row: KeyRow) {
  return { id: row.id, sk: key, ...recordOf(row) };
}

function listedOf(row: KeyRow) {
  return { id: row.id, skMasked: row.masked, ...recordOf(row) };
}

function administeredOf(row: OwnedKeyRow) {
  return {
    ...listedOf(row),
    userId: row.user_id,
    userName: row.user_name,
    tenantId: tenantOnWire(row.tenant_id),
  };
}

function recordOf(row: KeyRow) {
  return {
    livemode: row.livemode,
    scope: row.scope,
    state: row.state,
    name: row.name,
    createdTime: row.created_at,
    updatedTime: row.updated_at,
    expiresTime: row.expires_at,
    lastUsedTime: row.last_used_at,
    lastUsedAddress: row.last_used_address,
    allowedAddresses: row.allowed_addresses,
    replacedBy: row.replaced_by,
  };
}
