import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseFromTemplate, type TestDatabase } from '../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../../tests/support/service/florin.ts';
import { version } from '../cli/version.ts';

const run = promisify(execFile);
const { builtSdk } = (await import(new URL('../../../../tools/packaging/build-sdk.mjs', import.meta.url).href)) as {
  builtSdk: { build: () => boolean };
};

let db: TestDatabase;
let florin: TestFlorin;
let shop: string;

beforeAll(async () => {
  expect(builtSdk.build()).toBe(true);
  shop = mkdtempSync(join(tmpdir(), 'florin-shop-'));
  db = await databaseFromTemplate();
  florin = await florinOn(db);
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
  rmSync(shop, { recursive: true, force: true });
});

test('a shop installs the SDK of its node from the node, for import and require, with types', async () => {
  writeFileSync(join(shop, 'package.json'), '{"name":"shop","type":"module","private":true}');
  await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', `${florin.address}/sdk.tgz`], {
    cwd: shop,
  });
  const program = `
    import { createRequire } from 'node:module';
    import { Florin } from '@florin/sdk';
    const required = createRequire(import.meta.url)('@florin/sdk');
    const manifest = createRequire(import.meta.url)('@florin/sdk/package.json');
    console.log(typeof Florin, typeof required.Florin, manifest.version);`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], { cwd: shop });
  expect(stdout.trim()).toBe(`function function ${version}`);
  const head = await fetch(`${florin.address}/sdk.tgz`);
  expect(head.headers.get('content-disposition')).toBe(`attachment; filename="florin-sdk-${version}.tgz"`);
  const headers = { 'if-none-match': head.headers.get('etag') as string };
  expect((await fetch(`${florin.address}/sdk.tgz`, { headers })).status).toBe(304);
});
