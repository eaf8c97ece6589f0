import type { Route } from '../platform/http/route.ts';
import type { AnyModule, ReferenceGroup } from '../platform/module.ts';
import type { Context } from './assemble.ts';
import { modules } from './modules.ts';

/** The routes of all modules. */
export function routesOf(context: Context): Route[] {
  return (modules as readonly AnyModule[]).flatMap(({ routes }) => routes?.(context) ?? []);
}

/** The same routes without a running node, for the docs and their tests. Their handlers must not be called. */
export function declaredRoutes(): Route[] {
  const standIn: unknown = new Proxy(() => {}, {
    get: (_, name) => (name === Symbol.toPrimitive ? () => 0 : standIn),
    apply: () => standIn,
  });
  return routesOf(standIn as Context);
}

/** The groups of the API reference, in order. */
export const groups: readonly ReferenceGroup[] = [
  ...(modules as readonly AnyModule[]).flatMap(({ reference = [] }) => reference),
  { name: 'Operations', description: 'Health checks for operators.' },
];
