import { defineConfig } from 'vitest/config';
import tests from './vitest.config.ts';

/** What needs a browser: every page of the console, the documentation and payers. `npm run browser`; `npm test` does without. */
export default defineConfig({
  test: {
    ...tests.test,
    include: ['server/{src,tests}/**/*.browser.ts', 'cli/tests/*.browser.ts', 'console/tests/*.browser.ts'],
  },
});
