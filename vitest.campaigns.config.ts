import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import tests from './vitest.config.ts';

const root = fileURLToPath(new URL('.', import.meta.url));
const campaigns = globSync('server/{src,tests}/**/*.{test,story}.ts', { cwd: root }).filter((path) =>
  readFileSync(`${root}${path}`, 'utf8').includes('/support/campaign.ts'),
);

/**
 * The tests that try thousands of cases, with all of them; `npm test` tries a part. `npm run campaigns` selects them by
 * their tag.
 */
export default defineConfig({
  test: { ...tests.test, include: campaigns, provide: { isCampaign: true }, testTimeout: 300_000 },
});
