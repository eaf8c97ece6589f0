import { defineConfig } from 'vitest/config';
import tests from './vitest.config.ts';

/**
 * Tests of the service whose nodes use the database through pgbouncer in transaction mode (`npm run poolers`): payments,
 * deliveries, billing, two nodes, and every endpoint. `tools/pgbouncer/install.sh` fetches it.
 */
export default defineConfig({
  test: {
    ...tests.test,
    include: [
      'server/tests/contract/contract.test.ts',
      'server/tests/service/{two-nodes,invalidations,renewals-at-providers,disputes-at-providers,refund-reversal}.test.ts',
      'server/src/domains/webhooks/deliveries/**/*.test.ts',
      'server/src/domains/payments/{transactions,refunds,captures}/**/*.test.ts',
      'server/src/domains/billing/{invoices,subscriptions}/**/*.test.ts',
    ],
  },
});
