import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call, cancelOf, chargeOf, refundOf, webhookSecret } from '../../../../tests/support/payments/sandbox.ts';
import type { Provider } from './provider.ts';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('../../../../../', import.meta.url));

let folder: string;
let file: string;
let line: string;
let acme: Server;
let provider: Provider;
/** Acme's answer to the next request. */
let answer: { status: number; state?: string };
let lastRequest: { method: string; path: string; body: string };

beforeAll(async () => {
  const page = await readFile(join(root, 'docs', 'guides', 'providers.md'), 'utf8');
  const [example = '', factory = ''] = [...page.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, code]) => code);
  line = factory.trim();
  folder = await mkdtemp(join(tmpdir(), 'florin-provider-'));
  file = join(folder, 'acme.mts'); // The folder has no package.json that would make .ts files modules.
  // Unchanged except for the paths of its imports.
  await writeFile(
    file,
    example.replaceAll(/ from '(\.[^']+)'/g, (_all, path: string) => ` from '${join(here, path)}'`),
  );
  acme = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const { method = '', url = '' } = request;
      lastRequest = { method, path: url, body };
      const { status, state } = answer;
      response.writeHead(status).end(JSON.stringify({ id: 'acme_1', name: url.split('/')[2], state }));
    });
  });
  await new Promise<void>((listening) => acme.listen(0, '127.0.0.1', listening));
  const { AcmeProvider } = await import(/* @vite-ignore */ pathToFileURL(file).href);
  provider = new AcmeProvider(`http://127.0.0.1:${(acme.address() as AddressInfo).port}`);
});

afterAll(async () => {
  acme.closeAllConnections();
  acme.close();
  await rm(folder, { recursive: true, force: true });
});

test("the provider in docs/guides/providers.md compiles with the project's compiler options", async () => {
  const config = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: { typeRoots: [join(root, 'node_modules', '@types')] },
    include: [file],
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const { stdout } = await promisify(execFile)(process.execPath, [tsc, '-p', folder]).catch((error) => error);
  expect(stdout).toBe('');
});

test("the page's line for the directory has the form of the lines there", async () => {
  const directory = await readFile(join(here, 'directory.ts'), 'utf8');
  const shape = /^(\w+): async \((?:\{[^)]*\}|context)?\) => new \(await import\('\.\/[\w/]+\.ts'\)\)\.\w+\(.*\),$/;
  expect(line).toMatch(shape);
  const factories = /const factories = \{\n([\s\S]*?)\n\}/.exec(directory)?.[1]?.split('\n') ?? [];
  expect(factories.length).toBeGreaterThan(2);
  for (const factory of factories) expect(factory.trim()).toMatch(shape);
});

test.each([
  [
    { status: 200, state: 'done' },
    { kind: 'succeeded', reference: 'acme_1' },
  ],
  [
    { status: 200, state: 'refused' },
    { kind: 'failed', failure: { code: 'card_declined', providerCode: 'refused' } },
  ],
  [{ status: 200, state: 'open' }, { kind: 'pending' }],
  [{ status: 401 }, { kind: 'failed', failure: { code: 'credentials_refused' } }],
  [{ status: 422 }, { kind: 'failed', failure: { code: 'invalid_operation' } }],
  [{ status: 404 }, { kind: 'unknown' }],
  [{ status: 503 }, { kind: 'unknown' }],
])('Acme answers a charge or a refund with %j: the outcome matches', async (given, outcome) => {
  answer = given;
  const charge = chargeOf({ paymentMethod: 'card_1' });
  expect(await provider.charge(charge, call())).toMatchObject(outcome);
  const sent = { amount: 1999, currency: 'USD', card: 'card_1' };
  expect(lastRequest).toEqual({ method: 'PUT', path: `/payments/${charge.key}`, body: JSON.stringify(sent) });
  const refund = refundOf(charge);
  expect(await provider.refund(refund, call())).toMatchObject(outcome);
  expect(lastRequest.path).toBe(`/refunds/${refund.key}`);
});

test('a look-up starts nothing, and only a 404 means absent', async () => {
  const charge = chargeOf();
  const cases = [
    [{ status: 404 }, 'absent', 'absent', 'absent'],
    [{ status: 401 }, 'unknown', 'unknown', 'unknown'],
    [{ status: 422 }, 'unknown', 'unknown', 'unknown'],
    [{ status: 503 }, 'unknown', 'unknown', 'unknown'],
    [{ status: 200, state: 'open' }, 'pending', 'pending', 'absent'],
    [{ status: 200, state: 'done' }, 'succeeded', 'succeeded', 'failed'],
    [{ status: 200, state: 'void' }, 'cancelled', 'cancelled', 'cancelled'],
  ] as const;
  for (const [given, ...kinds] of cases) {
    answer = given;
    const found = [];
    for (const operation of [charge, refundOf(charge), cancelOf(charge)]) {
      found.push((await provider.lookUp(operation, call())).kind);
      expect(lastRequest).toMatchObject({ method: 'GET', body: '' });
    }
    expect({ given, found }).toEqual({ given, found: kinds });
  }
});

test('a cancellation that comes too late fails', async () => {
  const charge = chargeOf();
  answer = { status: 200, state: 'done' };
  expect(await provider.cancel(cancelOf(charge), call())).toMatchObject({ kind: 'failed' });
  answer = { status: 200, state: 'void' };
  expect(await provider.cancel(cancelOf(charge), call())).toMatchObject({ kind: 'cancelled' });
  expect(lastRequest.path).toBe(`/payments/${charge.key}/void`);
  answer = { status: 500 };
  expect(await provider.cancel(cancelOf(charge), call())).toMatchObject({ kind: 'unknown' });
});

test('a callback is accepted with the right signature and refused with any other', () => {
  const record = { id: 'acme_1', name: 'txn_1-1', state: 'done' };
  const body = Buffer.from(JSON.stringify({ message: 'msg_1', record }));
  const signature = createHmac('sha256', webhookSecret).update(body).digest('hex');
  const read = (headers: Record<string, string>, secret: string | null = webhookSecret) =>
    provider.readCallback(
      { headers, body, query: {}, receivedMs: 0 },
      { apiKey: null, apiSecret: null, webhookSecret: secret },
    );
  expect(read({ 'acme-signature': signature })).toEqual({
    eventId: 'msg_1',
    notice: { key: 'txn_1-1', reference: 'acme_1', outcome: { kind: 'succeeded', reference: 'acme_1' } },
  });
  const invalid = expect.objectContaining({ type: 'callback_invalid' });
  expect(() => read({})).toThrow(invalid);
  expect(() => read({ 'acme-signature': signature.replace(/^./, 'x') })).toThrow(invalid);
  const unsigned = createHmac('sha256', '').update(body).digest('hex');
  expect(() => read({ 'acme-signature': unsigned }, null)).toThrow(invalid);
});
