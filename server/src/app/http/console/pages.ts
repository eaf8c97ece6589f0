/**
 * The first segments of the console's own paths: `/payments/txn_…` is answered with the console, which shows that page.
 * In Test the same paths follow `test`.
 */
export const consolePages = [
  'test',
  'welcome',
  'payments',
  'refunds',
  'customers',
  'invoices',
  'subscriptions',
  'plans',
  'ledger',
  'disputes',
  'discrepancies',
  'checkouts',
  'channels',
  'keys',
  'webhooks',
  'deliveries',
  'inboxes',
  'events',
  'requests',
  'team',
  'tenants',
  'seller',
  'account',
  'audit',
  'system',
] as const;
