import { defineConfig } from 'vitest/config';
import tests from './vitest.config.ts';

/**
 * What starts, stops and kills programs: the start of the service, its processes, the embedded PostgreSQL, and the commands of operators.
 * `npm run processes`.
 */
export default defineConfig({
  test: { ...tests.test, include: ['server/src/**/*.process.ts', 'cli/tests/*.process.ts'] },
});
