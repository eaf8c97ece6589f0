import { defineConfig } from 'vitest/config';
import tests from './vitest.config.ts';

/**
 * What follows many parts of the service for seconds: payments, renewals and disputes at the simulators of providers,
 * crowds of callers, faults, upgrades, backups, and the stories that guides tell. `npm run stories`.
 */
export default defineConfig({
  test: { ...tests.test, include: ['{server/src,server/tests,tools}/**/*.story.ts'] },
});
