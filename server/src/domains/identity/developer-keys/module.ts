import { Type } from 'typebox';
import { defineModule } from '../../../platform/module.ts';
import type { Node } from '../../../platform/node.ts';
import type { Sessions } from '../users/sessions.ts';
import { authenticator } from './authenticate.ts';
import { DeveloperKeys } from './keys.ts';
import { developerKeyRoutes } from './routes.ts';
import { generatedKey, listedKey } from './schema.ts';

/** Secret keys for server-to-server calls, and the authentication of both kinds of callers. */
export const developerKeys = defineModule({
  name: 'developer-keys',
  tables: ['developer_key'],
  reference: [{ name: 'Developer keys', description: 'Secret keys for server-to-server calls.' }],
  resources: { 'developer key': Type.Object({ ...generatedKey.properties, ...listedKey.properties }) },
  provide: ({ database, notifications, clock, logError, lifecycle, sessions }: Node & { sessions: Sessions }) => {
    const keys = new DeveloperKeys({ database, notifications, clock, logError });
    lifecycle.add('last uses of keys', () => keys.settled());
    return { keys, authenticate: authenticator({ keys, sessions }) };
  },
  routes: (node: Node) => developerKeyRoutes(node),
});
