import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accepted, cut, type Fault, type FaultServer, startFaultServer } from './fault-server.ts';
import { link, type PackedSdk, packedSdk, root } from './packed.ts';

const run = promisify(execFile);
let packed: PackedSdk;
let server: FaultServer;

beforeAll(async () => {
  [packed, server] = await Promise.all([packedSdk(), startFaultServer()]);
});

afterAll(async () => {
  await server?.stop();
  await packed?.remove();
});

/** Programs that run the smoke test where they are installed; SDK_RUNTIMES names further ones, with their paths. */
const runtimes = [
  process.execPath,
  ...['node20', 'bun', 'deno'].flatMap((name) =>
    (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name)),
  ),
  ...(process.env.SDK_RUNTIMES ?? '').split(delimiter),
].filter((program) => program !== '' && existsSync(program));

test.each(runtimes)('the package runs on %s', async (program) => {
  const list: Fault = (response) => response.end('{"code":200,"data":[{"id":1},{"id":2}]}');
  server.answer(cut, accepted, list);
  const words = program.endsWith('deno') ? ['run', '--allow-all'] : [];
  const entry = pathToFileURL(join(packed.folder, 'node_modules/@florin/sdk/dist/index.js')).href;
  const { stdout } = await run(program, [...words, join(root, 'sdk/tests/smoke.mjs'), entry, server.address]);
  expect(stdout).toContain('every step passed');
});

test('the package holds code, types, README and LICENSE, and nothing else', () => {
  const others = packed.files.filter((path) => !/^dist\/.+\.(js|d\.ts)$/.test(path));
  expect(others.toSorted()).toEqual(['LICENSE', 'README.md', 'package.json']);
});

test('the code of the whole client is at most 12 KB compressed', async () => {
  const code = packed.files.filter((path) => path.endsWith('.js'));
  const folder = join(packed.folder, 'node_modules/@florin/sdk');
  const all = Buffer.concat(await Promise.all(code.map((path) => readFile(join(folder, path)))));
  expect(gzipSync(all).length).toBeLessThan(12_000);
});

test('the types admit what the service takes, and refuse a field that is misspelt', async () => {
  await link(packed.folder, ['@types/node', 'undici-types']);
  await writeFile(join(packed.folder, 'package.json'), '{"type":"module"}');
  await writeFile(
    join(packed.folder, 'right.ts'),
    `import { Florin, type FlorinEvent, type TransactionsApi } from '@florin/sdk';
import { florinWebhook } from '@florin/sdk/next';
const florin = new Florin({ apiKey: 'sk' });
export const payment = await florin.transactions.create({ amount: 1, currency: 'USD', channelId: 1 }, { idempotencyKey: 'a' });
export const amount: number = payment.amount;
export const api: TransactionsApi = florin.transactions;
export const state = async () => (await florin.webhooks.deliveries.list({ pageSize: 5 })).data[0]?.state;
export const POST = florinWebhook({ secret: 's', onEvent });
function onEvent(event: FlorinEvent): number {
  if (event.type === 'transaction.succeeded') return event.data.object.amount;
  return event.created;
}
`,
  );
  await writeFile(
    join(packed.folder, 'wrong.ts'),
    `import { Florin } from '@florin/sdk';
await new Florin().transactions.create({ amonut: 1, currency: 'USD', channelId: 1 });
await new Florin().transactions.list({ status: 'DONE' });
`,
  );
  const compile = (file: string) =>
    run(
      join(root, 'node_modules/.bin/tsc'),
      ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--exactOptionalPropertyTypes', file],
      { cwd: packed.folder },
    );
  await compile('right.ts');
  const refused = await compile('wrong.ts').then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );
  expect(refused).toContain('amonut');
  expect(refused).toContain('DONE');
});
