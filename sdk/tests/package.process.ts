import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { databaseFromTemplate, type TestDatabase } from '@florin/server/tests/postgres/database.ts';
import { administratorPassword, florinOn, type TestFlorin } from '@florin/server/tests/service/florin.ts';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { Florin } from '../src/index.ts';
import { accepted, cut, type Fault, type FaultServer, startFaultServer } from './fault-server.ts';
import { link, type PackedSdk, packedSdk, root } from './packed.ts';
import { frameworks, writeShops } from './shops.ts';

const run = promisify(execFile);
let packed: PackedSdk;
let server: FaultServer;
let database: TestDatabase;
let florin: TestFlorin;
let blocks: string[];
let programs: string[];

beforeAll(async () => {
  [packed, server, database] = await Promise.all([packedSdk(), startFaultServer(), databaseFromTemplate()]);
  florin = await florinOn(database);
  const readme = await readFile(join(root, 'sdk/README.md'), 'utf8');
  blocks = [...readme.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, block]) => block as string);
  await writeProject();
});

afterAll(async () => {
  await florin?.stop();
  await server?.stop();
  await database?.drop();
  await packed?.remove();
});

/** The types of Express that are used here, because Express has none of its own. */
const expressTypes = `declare module 'express' {
  type Handler = (request: any, response: any) => unknown;
  interface App {
    use(handler: unknown): void;
    post(path: string, handler: Handler): void;
    get: App['post'];
    listen: any;
  }
  const express: { (): App; json(): unknown };
  export default express;
}
`;

/** A project with the SDK installed, the blocks of the README as modules, and code that must and must not compile. */
async function writeProject(): Promise<void> {
  const write = (path: string, text: string) => writeFile(join(packed.folder, path), text);
  await write('package.json', '{"type":"module"}');
  await link(packed.folder, ['@types/node', 'undici-types', 'fastify', 'express', 'hono', '@hono/node-server']);
  await write('express.d.ts', expressTypes);
  await cp(join(root, 'sdk/tests/fixture'), packed.folder, { recursive: true });
  for (const [i, block] of blocks.entries()) await write(`block-${i + 1}.ts`, block);
  await write('all-blocks.ts', blocks.map((_, i) => `await import('./block-${i + 1}.ts');`).join('\n'));
  programs = await writeShops(packed.folder);
}

/** Programs that run the smoke test where they are installed; SDK_RUNTIMES names further ones by their paths. */
const runtimes = [
  process.execPath,
  ...['node20', 'bun', 'deno'].flatMap((name) =>
    (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name)),
  ),
  ...(process.env.SDK_RUNTIMES ?? '').split(delimiter),
].filter((program) => program !== '' && existsSync(program));

/** Compilers of TypeScript 5: later releases dropped node10. SDK_COMPILERS names them by their paths. */
const compilers = (process.env.SDK_COMPILERS ?? '').split(delimiter).filter((path) => path !== '' && existsSync(path));

test.each(runtimes)('the package runs on %s', async (program) => {
  const list: Fault = (response) => response.end('{"code":200,"data":[{"id":1},{"id":2}]}');
  server.answer(cut, accepted, list);
  const words = program.endsWith('deno') ? ['run', '--allow-all'] : [];
  const entry = pathToFileURL(join(packed.folder, 'node_modules/@florin/sdk/dist/index.js')).href;
  const { stdout } = await run(program, [...words, join(root, 'sdk/tests/smoke.mjs'), entry, server.address]);
  expect(stdout).toContain('every step passed');
});

test.each(runtimes)('the package runs on %s by require, with its receivers', async (program) => {
  const words = program.endsWith('deno') ? ['run', '--allow-all'] : [];
  const { stdout } = await run(program, [...words, 'required.cjs', server.address], { cwd: packed.folder });
  expect(stdout).toContain('every step passed');
});

test.skipIf(compilers.length === 0).each(compilers)(
  'the package compiles under moduleResolution node10 and node16, from CommonJS, by %s',
  async (compiler) => {
    for (const resolution of [
      ['--module', 'commonjs', '--moduleResolution', 'node10'],
      ['--module', 'node16', '--moduleResolution', 'node16'],
    ]) {
      const words = [
        '--noEmit',
        '--strict',
        '--esModuleInterop',
        '--target',
        'es2022',
        '--types',
        'node',
        ...resolution,
      ];
      const compiling = run(process.execPath, [compiler, ...words, 'required.cts'], { cwd: packed.folder });
      expect(
        await compiling.then(
          () => '',
          ({ stdout }: { stdout: string }) => stdout,
        ),
      ).toBe('');
    }
  },
);

test('the package holds code, types, README and LICENSE, and nothing else', () => {
  const others = packed.files.filter((path) => !/^dist\/.+\.(js|d\.ts)$/.test(path));
  expect(others.toSorted()).toEqual(['LICENSE', 'README.md', 'dist/cjs/package.json', 'package.json']);
});

test('the code of the package is at most 12 KB compressed, in either format', async () => {
  const code = packed.files.filter((path) => path.endsWith('.js') && !path.startsWith('dist/cjs/'));
  const folder = join(packed.folder, 'node_modules/@florin/sdk');
  const all = Buffer.concat(await Promise.all(code.map((path) => readFile(join(folder, path)))));
  expect(gzipSync(all).length).toBeLessThan(12_000);
});

test('the README, the shops of the guides and valid calls compile; misspelt ones do not', async () => {
  const options = [
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--module',
    'nodenext',
    '--target',
    'es2022',
    '--types',
    'node',
    '--allowImportingTsExtensions',
  ];
  const files = ['express.d.ts', 'right.ts', 'wrong.ts', ...blocks.map((_, i) => `block-${i + 1}.ts`), ...programs];
  const compiling = run(join(root, 'node_modules/.bin/tsc'), [...options, ...files], { cwd: packed.folder });
  const complaints = await compiling.then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );
  expect(complaints.match(/error TS/g), complaints).toHaveLength(2);
  expect(complaints).toMatch(/wrong\.ts.*amonut/);
  expect(complaints).toMatch(/wrong\.ts.*DONE/);
});

test('every block of the README runs as printed', async () => {
  const admin = new Florin({ baseUrl: florin.address });
  await admin.login({ account: 'admin', password: administratorPassword });
  const channel = { name: 'Sandbox', code: 'sandbox', currency: 'USD', country: 'US', state: true };
  await admin.channels.modify({ ...channel, type: 'ONLINE', provider: 'sandbox' });
  const { sk } = await admin.keys.generate({ scope: '*', livemode: false });
  expect(blocks.length).toBeGreaterThan(9);
  const { stdout } = await run(process.execPath, ['all-blocks.ts'], {
    cwd: packed.folder,
    env: {
      ...process.env,
      FLORIN_URL: florin.address,
      FLORIN_API_KEY: sk,
      FLORIN_PASSWORD: administratorPassword,
      WEBHOOK_SECRET: 'whsec_DemonstrationSecret1',
    },
  });
  for (const printed of ['PENDING', 'live 200', 'SUCCESS', 'record_not_found', 'Card declined', 'sk_test_']) {
    expect(stdout).toContain(printed);
  }
});

test('the shop of every framework guide takes a payment once, and receives a verified webhook', async () => {
  const shops = spawn(process.execPath, ['shops/start.ts'], {
    cwd: packed.folder,
    env: { ...process.env, FLORIN_URL: florin.address, FLORIN_PASSWORD: administratorPassword },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    const [line] = (await once(createInterface({ input: shops.stdout }), 'line')) as [string];
    const addresses = Object.entries(JSON.parse(line) as Record<string, string>);
    expect(addresses.map(([name]) => name)).toEqual(frameworks);
    await Promise.all(addresses.map(([name, address]) => tryShop(name, address)));
  } finally {
    shops.kill();
  }
});

async function tryShop(name: string, address: string): Promise<void> {
  const post = async (path: string, body: object) => {
    const options = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const response = await fetch(address + path, options);
    return { status: response.status, body: (await response.json()) as { id?: string; status?: string } };
  };
  const first = await post('/checkout', { order: name, product: 'book' });
  expect(first, name).toMatchObject({ status: 200, body: { status: 'PENDING' } });
  expect((await post('/checkout', { order: name, product: 'book' })).body.id, name).toBe(first.body.id);
  expect((await post('/checkout', { order: name, product: 'constructor' })).status, name).toBe(400);
  expect((await post('/webhooks', { type: 'transaction.failed' })).status, name).toBe(400);
  const known = await vi.waitUntil(
    async () => {
      const order = (await (await fetch(`${address}/orders/${name}`)).json()) as { status: string };
      return order.status === 'PENDING' ? undefined : order;
    },
    { timeout: 20_000 },
  );
  expect(known, name).toMatchObject({ paymentId: first.body.id, status: 'SUCCESS', payAt: null });
  expect((await fetch(`${address}/orders/none`)).status, name).toBe(404);
}
