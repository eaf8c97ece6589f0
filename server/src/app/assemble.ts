import { assembleModules, type Intersection, type Uses } from '../platform/module.ts';
import type { Secrets } from './config/secrets.ts';
import { modules } from './modules.ts';
import { makeNode, type Surroundings } from './node.ts';
import type { OpenDatabase } from './open-database.ts';

/** A node with the services of all modules. */
export type Context = ReturnType<typeof assemble>;

/** Makes a node with the services of all modules. Nothing is started; the lifecycle stops what is. */
export function assemble(
  opened: Pick<OpenDatabase, 'connection' | 'direct' | 'isOursAlone'>,
  secrets: Pick<Secrets, 'jwtKeys' | 'encryptionKeys'>,
  surroundings: Surroundings,
) {
  const context = assembleModules(modules, {
    ...makeNode(opened, secrets, surroundings),
  });
  return context satisfies Intersection<Uses<(typeof modules)[number]>>;
}
