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

/** What most readers look for. Other groups follow in the order of the modules. */
const firstGroups = [
  ...['Transactions', 'Refunds', 'Channels', 'Customers', 'Invoices', 'Plans', 'Subscriptions', 'Checkouts'],
  ...['Webhooks', 'Events', 'Developer keys', 'Users'],
];
const rankOf = ({ name }: ReferenceGroup) =>
  firstGroups.includes(name) ? firstGroups.indexOf(name) : firstGroups.length;

/** The groups of the API reference, in order. */
export const groups: readonly ReferenceGroup[] = [
  ...(modules as readonly AnyModule[])
    .flatMap(({ reference = [] }) => reference)
    .toSorted((one, other) => rankOf(one) - rankOf(other)),
  { name: 'Operations', description: 'Health checks for operators.' },
];
