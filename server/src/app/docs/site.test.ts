import { expect, test } from 'vitest';
import { operationsRoutes } from '../http/operations.ts';
import { openApiOf } from '../openapi/document.ts';
import { allRoutes } from '../routes.ts';
import { Site } from './site.ts';

/** How often other work could go on while `work` was done. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns++;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  await work();
  isDone = true;
  return turns;
}

const routes = [...operationsRoutes, ...allRoutes];
const newSite = () => new Site(() => openApiOf(routes, 'http://127.0.0.1'), '');

test.each([
  ['OpenAPI document', (site: Site) => site.openApi()],
  ['index for language models', (site: Site) => site.llmsTxt()],
])('payments go on while the %s is made for the first time', async (_what, ask) => {
  const site = newSite();
  expect(await turnsDuring(() => ask(site))).toBeGreaterThan(routes.length / 2);
  // Made once for all readers.
  expect(await turnsDuring(() => ask(site))).toBeLessThan(3);
});
