import { defineConfig } from 'vitest/config';
import tests from './vitest.config.ts';

/** What needs a browser: every page of the console, the documentation and payers. Run by `npm run browser`. */
export default defineConfig({
  test: {
    ...tests.test,
    include: ['server/{src,tests}/**/*.browser.ts', 'cli/tests/*.browser.ts', 'console/tests/*.browser.ts'],
  },
});
