import { defineConfig } from 'vitest/config';
import tests from './vitest.config.ts';

/** Long campaigns of kills and faults: `npm run drills`. `npm test` never runs them, and this never runs a test. */
export default defineConfig({
  test: {
    ...tests.test,
    include: ['server/{src,tests}/**/*.drill.ts', 'tools/**/*.drill.ts', 'cli/tests/*.drill.ts'],
    testTimeout: 600_000,
    hookTimeout: 120_000,
    // Nothing competes with the processes that a drill starts and kills.
    maxWorkers: 1,
  },
});
