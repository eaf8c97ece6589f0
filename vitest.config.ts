import { fileURLToPath } from 'node:url';
import { makeMemoryFolder, removeMemoryFolder } from '@florin/server/tests/memory-folder.ts';
import { defineConfig } from 'vitest/config';

// Before anything asks for the folder of temporary files; the processes of the tests inherit it.
const memoryFolder = process.env.TMPDIR === undefined ? makeMemoryFolder() : undefined;
if (memoryFolder !== undefined) {
  process.env.TMPDIR = memoryFolder;
  process.once('exit', () => removeMemoryFolder(memoryFolder));
}

export default defineConfig({
  test: {
    include: [
      'packages/**/*.test.ts',
      'server/{src,tests}/**/*.test.ts',
      'sdk/tests/**/*.test.ts',
      'cli/tests/**/*.test.ts',
      'console/tests/**/*.test.ts',
      'tools/**/*.test.ts',
    ],
    globalSetup: ['server/tests/support/postgres/postgres-setup.ts'],
    reporters: ['default', './tools/vitest/closing-line-reporter.ts'],
    // Tests of thousands of cases try a part of them (server/tests/support/campaign.ts).
    provide: { isCampaign: false },
    tags: [
      { name: 'campaign', description: 'Tries thousands of cases in `npm run campaigns`, and a part of them here.' },
    ],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // On two cores: each waits half of its time for events. Three leave the cores idle for a seventh of the run.
    maxWorkers: 4,
    // One process reads the code once for all its files: a third of the run (docs/decisions/tests-and-drills.md).
    isolate: false,
    // For the services that tests start, as `npm start` has it.
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url)) },
  },
});
