import { defineConfig } from 'vitest/config';
import tests from './vitest.config.ts';

/**
 * What the chart of `deploy/helm` renders, compared with the definitions of Kubernetes and of others (`npm run helm`).
 * `tools/helm/install.ts` builds helm and fetches them.
 */
export default defineConfig({
  test: { ...tests.test, globalSetup: [], include: ['tools/helm/*.check.ts'] },
});
