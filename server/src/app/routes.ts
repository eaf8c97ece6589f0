import type { BillingApp } from '../domains/billing/app.ts';
import type { Route } from '../platform/http/route.ts';
import type { ReferenceGroup } from '../platform/module.ts';
import { modules } from './modules.ts';

/** The routes of all modules. They are values: only calling their handlers needs a running node. */
export const allRoutes: readonly Route<BillingApp>[] = modules.flatMap(({ routes = [] }) => routes);

/** What most readers look for. Other groups follow in the order of the modules. */
const firstGroups = [
  ...['Transactions', 'Refunds', 'Channels', 'Customers', 'Invoices', 'Plans', 'Subscriptions', 'Checkouts'],
  ...['Webhooks', 'Events', 'Developer keys', 'Users'],
];
const rankOf = ({ name }: ReferenceGroup) =>
  firstGroups.includes(name) ? firstGroups.indexOf(name) : firstGroups.length;

/** The groups of the API reference, in order. */
export const groups: readonly ReferenceGroup[] = [
  ...modules.flatMap(({ reference = [] }) => reference).toSorted((one, other) => rankOf(one) - rankOf(other)),
  { name: 'Operations', description: 'Health checks for operators.' },
];
