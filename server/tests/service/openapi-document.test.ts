import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { allRoutes } from '../../src/app/routes.ts';
import { databaseFromTemplate, type TestDatabase } from '../support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../support/service/florin.ts';

let folder: string;
let db: TestDatabase;
let florin: TestFlorin;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'florin-openapi-'));
  db = await databaseFromTemplate();
  florin = await florinOn(db);
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
  await rm(folder, { recursive: true, force: true });
});

test('an independent validator accepts the OpenAPI document', async () => {
  const file = join(folder, 'openapi.json');
  await writeFile(file, JSON.stringify((await florin.get('/openapi.json')).body));
  const judge = join(dirname(createRequire(import.meta.url).resolve('@redocly/cli/package.json')), 'bin', 'cli.js');
  // Fields that are required only to create a record are in a condition of their own, where this rule does not know
  // their names.
  const rules = ['--skip-rule=no-required-schema-properties-undefined'];
  const words = [judge, 'lint', '--format=json', ...rules, file];
  const { PATH = '', HOME = '/' } = process.env;
  const env = { PATH, HOME, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  // A document with problems makes it fail; the error has the output as well.
  const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: folder, env }).catch((error) => error);
  const { totals, problems } = JSON.parse(stdout.slice(stdout.indexOf('{')));
  expect({ totals, problems }).toEqual({ totals: { errors: 0, warnings: 0, ignored: 0 }, problems: [] });
});

test('the document contains every route with the permission it needs', async () => {
  const { paths } = (await florin.get('/openapi.json')).body;
  for (const { method, path, needs } of allRoutes) {
    const operation = paths[path]?.[method.toLowerCase()];
    expect(operation, `${method} ${path}`).toBeDefined();
    expect(operation.security.length > 0).toBe(needs !== 'nothing' || path === '/api/user/logout');
  }
  expect(Object.keys(paths)).toEqual(expect.arrayContaining(['/health/live', '/health/ready']));
});

test('the document marks bodies as optional where they are', async () => {
  const { paths } = (await florin.get('/openapi.json')).body;
  const optional = Object.entries(paths as Record<string, { post?: { requestBody?: { required: boolean } } }>)
    .filter(([, { post }]) => post?.requestBody?.required === false)
    .map(([path]) => path);
  expect(optional.toSorted()).toEqual([
    '/api/console/session/end',
    '/api/developer/mine/generate',
    '/api/inbox/create',
    '/api/user/logout',
    '/api/user/step-up/passkey/begin',
  ]);
});
