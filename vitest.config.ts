import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['server/src/**/*.test.ts', 'tools/**/*.test.ts'],
    globalSetup: ['server/src/testing/postgres-setup.ts'],
    reporters: ['default', './tools/closing-line-reporter.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
