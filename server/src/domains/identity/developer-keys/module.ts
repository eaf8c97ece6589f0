import { Type } from 'typebox';
import type { Module } from '../../../platform/module.ts';
import type { IdentityApp } from '../app.ts';
import { queueExpiryNotices } from './expiry-notices.ts';
import { keyChecks } from './integrity.ts';
import { developerKeyRoutes } from './routes.ts';
import { generatedKey, listedKey } from './schema.ts';
import { settings } from './settings.ts';

/** Secret keys for server-to-server calls, and the authentication of requests by key or by access token. */
export const developerKeys = {
  name: 'developer-keys',
  tables: ['developer_key'],
  integrity: keyChecks,
  settings,
  auditActions: {
    'key.create': 'A developer key was generated and shown once.',
    'key.rotate': 'A developer key was replaced by a new one, which was shown once.',
    'key.revoke': 'A developer key was revoked.',
  },
  errors: {
    key_limit_reached: 'conflict',
    key_inactive: 'conflict',
  },
  reference: [{ name: 'Developer keys', description: 'Secret keys for server-to-server calls.' }],
  resources: { 'developer key': Type.Object({ ...generatedKey.properties, ...listedKey.properties }) },
  routes: developerKeyRoutes,
  retention: ({ database }) => [
    { name: 'notices of expiring keys', sweep: (nowMs) => queueExpiryNotices(database, nowMs) },
  ],
} satisfies Module<IdentityApp>;
