import { Type } from 'typebox';
import { get, post, type Route } from '../../../platform/http/route.ts';
import { generateKey, type KeyDeps } from './generate.ts';
import { revokeOwnKey } from './revoke.ts';
import { generatedKey, generateInput, listedKey, revokeInput } from './schema.ts';
import { type KeyRow, listKeysOfUser } from './statements.ts';

export function developerKeyRoutes(deps: KeyDeps): Route[] {
  return [
    post('/api/developer/mine/generate', 'session', 'Developer keys', {
      summary: 'Generate a developer key',
      description:
        'The key acts as its owner, the caller: it can do what its scope and the permissions of its owner both allow. ' +
        'Scopes that the caller does not hold cannot be granted (403). The body is optional.',
      body: generateInput,
      data: generatedKey,
      handle: async ({ body, principal }) => {
        const { key, row } = await generateKey(body, principal, deps);
        return {
          message: 'Key generated. Keep it now: it is not shown again',
          data: { id: row.id, sk: key, ...recordOf(row) },
        };
      },
    }),

    get('/api/developer/mine', 'session', 'Developer keys', {
      summary: 'List my developer keys',
      description: 'Newest first, including revoked keys.',
      data: Type.Array(listedKey),
      handle: async ({ principal }) => ({
        data: (await deps.database.run(listKeysOfUser, [principal.userId])).map(listedOf),
      }),
    }),

    post('/api/developer/mine/revoke', 'session', 'Developer keys', {
      summary: 'Revoke one of my developer keys',
      description: 'Takes effect immediately and cannot be undone. Revoking a key again is not an error.',
      body: revokeInput,
      data: listedKey,
      handle: async ({ body, principal }) => ({
        message: 'Key revoked',
        data: listedOf(await revokeOwnKey(body.id, principal, deps)),
      }),
    }),
  ];
}

function listedOf(row: KeyRow) {
  return { id: row.id, skMasked: row.masked, ...recordOf(row) };
}

function recordOf(row: KeyRow) {
  return {
    scope: row.scope,
    state: row.state,
    name: row.name,
    createdTime: row.created_at,
    updatedTime: row.updated_at,
    expiresTime: row.expires_at,
    lastUsedTime: row.last_used_at,
  };
}
