import { Type } from 'typebox';
import { defineModule } from '../../../platform/module.ts';
import type { NodeWith } from '../../../platform/node.ts';
import { type SettingsOf, setting } from '../../../platform/settings/declare.ts';
import { integer } from '../../../platform/settings/kinds.ts';
import type { UserMailComposers } from '../mails/user-mails.ts';
import type { SessionAuthenticator } from '../sessions/session-authenticator.ts';
import type { SessionCookie } from '../sessions/session-cookie.ts';
import { authenticator } from './authenticate.ts';
import { expiryNotice, queueExpiryNotices } from './expiry-notices.ts';
import { keyChecks } from './integrity.ts';
import { KeyAuthenticator } from './key-authenticator.ts';
import { developerKeyRoutes } from './routes.ts';
import {
  administeredKey,
  currentKey,
  generatedKey,
  generateInput,
  listedKey,
  revokeInput,
  rotateInput,
} from './schema.ts';

const settings = {
  'app.developer-key.max-per-user': setting(integer(1, 100_000), {
    default: '1000',
    description:
      'How many developer keys a user may have, including revoked ones, which the list of a user also shows. Further ones are refused; existing ones stay.',
  }),
};

type Node = NodeWith<SettingsOf<typeof settings>>;

/** Secret keys for server-to-server calls, and the authentication of requests by key or by access token. */
export const developerKeys = defineModule({
  name: 'developer-keys',
  tables: ['developer_key'],
  integrity: keyChecks,
  settings,
  auditActions: {
    'key.create': 'A developer key was generated and shown once.',
    'key.rotate': 'A developer key was replaced by a new one, which was shown once.',
    'key.revoke': 'A developer key was revoked.',
  },
  reference: [{ name: 'Developer keys', description: 'Secret keys for server-to-server calls.' }],
  resources: { 'developer key': Type.Object({ ...generatedKey.properties, ...listedKey.properties }) },
  schemas: {
    DeveloperKeyGenerateInput: generateInput,
    DeveloperKeyRevokeInput: revokeInput,
    DeveloperKeyRotateInput: rotateInput,
    DeveloperKey: listedKey,
    GeneratedDeveloperKey: generatedKey,
    OwnedDeveloperKey: administeredKey,
    CurrentDeveloperKey: currentKey,
  },
  provide,
  routes: (context: Node & { maxKeys: number }) => developerKeyRoutes(context),
  retention: ({ database }: Node) => [
    { name: 'notices of expiring keys', sweep: (nowMs) => queueExpiryNotices(database, nowMs) },
  ],
});

interface Earlier {
  sessions: SessionAuthenticator;
  sessionCookie: SessionCookie;
  userMailComposers: UserMailComposers;
}

function provide(node: Node & Earlier) {
  const { workerDatabase, clock } = node;
  node.userMailComposers.register('KEY_EXPIRING', (queued) =>
    expiryNotice(queued, { database: workerDatabase, clock }),
  );
  const keys = new KeyAuthenticator(node);
  node.lifecycle.add('last uses of keys', () => keys.settled());
  const maxKeys = node.settings['app.developer-key.max-per-user'];
  return { keys, maxKeys, authenticate: authenticator({ ...node, keys }) };
}
