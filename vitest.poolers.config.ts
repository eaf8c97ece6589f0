import { defineConfig } from 'vitest/config';
import tests from './vitest.config.ts';

/**
 * Tests of the service whose nodes use the database through pgbouncer in transaction mode (`npm run poolers`): every
 * endpoint, two nodes, deliveries, and payments, renewals and disputes at providers. `tools/pgbouncer/install.sh`
 * fetches it.
 */
export default defineConfig({
  test: {
    ...tests.test,
    include: [
      'server/tests/contract/contract.test.ts',
      'server/tests/service/{two-nodes,invalidations,refund-reversal}.test.ts',
      'server/tests/service/{renewals,disputes}-at-providers.story.ts',
      'server/src/domains/webhooks/deliveries/worker.test.ts',
      'server/src/domains/payments/{refunds,captures}/**/*.{test,story}.ts',
    ],
  },
});
