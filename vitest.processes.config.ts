import { defineConfig } from 'vitest/config';
import tests from './vitest.config.ts';

/**
 * What starts, stops and kills programs: the service, its processes, the embedded PostgreSQL, the commands of operators
 * and of the command line, the bundle, the installation, and the package of the SDK. `npm run processes`.
 */
export default defineConfig({
  test: { ...tests.test, include: ['{packages,server/src,server/tests,cli,sdk,tools}/**/*.process.ts'] },
});
