import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { refusalOfStart } from '../support/service/refusal-of-start.ts';
import type { ServiceOptions } from '../support/service/service-process.ts';
import { clusterKeys, StartFolder } from '../support/service/start-folder.ts';

/** A start that fails prints the reason in one line, and ends with 1. */
let folder: StartFolder;

beforeAll(async () => {
  folder = await StartFolder.open();
});

afterAll(() => folder.close());

const refusedStart = (options: ServiceOptions) => refusalOfStart({ cwd: folder.path, ...options });

// settings.test.ts tests every kind of invalid value.
const wrong: [string, Record<string, string>, RegExp][] = [
  ['an unknown name', { APP_SERVER_PROT: '9000' }, /APP_SERVER_PROT is not a setting/],
  ['a port that is no number', { PORT: 'http' }, /PORT must be an integer from 0 to 65535, not "http"/],
  ['CLUSTER without keys', { APP_DEPLOYMENT_MODE: 'CLUSTER' }, /app\.jwt\.keys must be given in CLUSTER mode/],
  ['a database given, so CLUSTER, without keys', { DATABASE_URL: 'postgres://localhost/x' }, /app\.jwt\.keys must be/],
  ['a direct URL without a URL', { APP_DATABASE_DIRECT_URL: 'postgres://localhost/x' }, /needs app\.database\.url/],
  [
    'a certificate that is not there',
    { ...clusterKeys(), DATABASE_URL: 'postgres://localhost/x?sslmode=verify-full&sslrootcert=/nowhere' },
    /app\.database\.url cannot be used: .*\/nowhere/,
  ],
  ['a host that is none', { DATABASE_URL: 'postgres://localhost:port/x' }, /DATABASE_URL must name its hosts/],
];

test.each(wrong)('%s', async (_what, environment, line) => {
  expect(await refusedStart({ environment: { APP_DATA_DIR: join(folder.path, 'unused'), ...environment } })).toMatch(
    line,
  );
  expect(existsSync(join(folder.path, 'unused', 'postgres'))).toBe(false);
});

test('an invalid secret is not repeated', async () => {
  for (const name of ['APP_JWT_KEYS', 'APP_ENCRYPTION_KEYS']) {
    const line = await refusedStart({ environment: { ...clusterKeys(), [name]: 'one:c2VjcmV0LWNhbmFyeQ==' } });
    expect(line).toMatch(/key 1 \(one\) must be 32 bytes/i);
    expect(line).not.toContain('c2VjcmV0');
  }
  const line = await refusedStart({ environment: { DATABASE_URL: 'mysql://florin:secret-canary@localhost/x' } });
  expect(line).not.toContain('canary');
});

test('a port that is taken, before anything is created', async () => {
  const taken = createServer((_request, response) => response.end('hello')).listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  expect(await refusedStart({ environment: folder.onDatabase({ PORT: String(port) }) })).toContain(`port ${port}`);
  const APP_DATA_DIR = join(folder.path, 'port-taken');
  const line = await refusedStart({ environment: { PORT: String(port), APP_DATA_DIR } });
  expect(line).toContain(`port ${port} on 127.0.0.1 is taken by another program; stop it, or set PORT to a free one`);
  expect(existsSync(APP_DATA_DIR)).toBe(false);
  taken.close();
});

test('a first password that is too short, or cannot be stored', async () => {
  const APP_DATA_DIR = join(folder.path, 'no-password');
  await mkdir(join(APP_DATA_DIR, 'admin-password'), { recursive: true });
  const environment = folder.onDatabase({ APP_DATA_DIR, APP_ADMIN_PASSWORD: 'abc' });
  expect(await refusedStart({ environment })).toContain('app.admin.password must have at least 6 characters');
  const line = await refusedStart({ environment: { ...environment, APP_ADMIN_PASSWORD: '' } });
  expect(line).toContain(`${join(APP_DATA_DIR, 'admin-password')} (EISDIR); it is a folder`);
});

test('an address of another machine', async () => {
  expect(await refusedStart({ environment: folder.onDatabase({ HOST: '192.0.2.1' }) })).toContain('192.0.2.1');
});

test('a data folder that is a file', async () => {
  const file = join(folder.path, 'a-file');
  await writeFile(file, '');
  expect(await refusedStart({ environment: { PORT: '0', APP_DATA_DIR: file } })).toContain(file);
});

const wrongFiles: [string, string, RegExp][] = [
  ['an unknown name', 'app:\n  server:\n    prot: 1\n', /florin\.yaml: app\.server\.prot is not a setting/],
  ['no YAML', 'app: [1, 2\nserver: }', /florin\.yaml is not valid YAML/],
  ['a tab', 'app:\n\tserver: 1\n', /florin\.yaml is not valid YAML at line 2/],
  ['a value that YAML misreads, and is not repeated', 'app:\n  mail:\n    url: *word\n', /YAML \([A-Z_]+\)\.$/],
];

test.each(wrongFiles)('florin.yaml with %s', async (_what, text, line) => {
  const cwd = await folder.withYaml(text);
  expect(await refusedStart({ environment: { APP_DATA_DIR: join(folder.path, 'unused') }, cwd })).toMatch(line);
});
