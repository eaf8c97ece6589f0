import { Type } from 'typebox';
import { endpoint } from '../../platform/http/route.ts';
import { generateKey, type KeyDeps } from './generate.ts';
import { revoke } from './revoke.ts';
import { generatedKey, generateInput, listedKey, revokeInput } from './schema.ts';
import { type KeyRow, listKeysOfUser } from './sql.ts';

export function developerKeyEndpoints(deps: KeyDeps) {
  return {
    generate: endpoint({
      summary: 'Generate a developer key',
      description:
        'A key acts as the user who made it, within its scope and never beyond what that user may do. Scopes you do ' +
        'not hold cannot be granted (403). The body may be left out.',
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

    list: endpoint({
      summary: 'List my developer keys',
      description: 'Newest first, the revoked ones too.',
      data: Type.Array(listedKey),
      handle: async ({ principal }) => ({
        data: (await deps.database.run(listKeysOfUser, [principal.userId])).map(listedOf),
      }),
    }),

    revoke: endpoint({
      summary: 'Revoke one of my developer keys',
      description: 'At once and for good. Revoking it again is no error.',
      body: revokeInput,
      data: listedKey,
      handle: async ({ body, principal }) => ({
        message: 'Key revoked',
        data: listedOf(await revoke(body.id, principal, deps)),
      }),
    }),
  };
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
