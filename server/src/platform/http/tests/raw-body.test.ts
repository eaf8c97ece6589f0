import { connect } from 'node:net';
import fc from 'fast-check';
import { Type } from 'typebox';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aRefusal } from '../../../../tests/support/shapes.ts';
import { Refusal } from '../../../core/errors.ts';
import { rule } from '../../../core/refusal-rules.ts';
import type { Call } from '../route.ts';
import { routesFor } from '../routes-for.ts';
import { addRoute } from '../server/add-route.ts';
import { httpServer } from '../server/server.ts';

const maximumBytes = 256 * 1024;
const authenticate = () => {
  throw new Error('Nobody needs to be known here.');
};
const app = httpServer({ authenticate, onReply: () => {}, onDefect: (error) => defects.push(error) });
const routes = routesFor<undefined>();
const defects: unknown[] = [];
let address: string;
let last: Call<unknown, unknown>;

beforeAll(async () => {
  const common = { data: Type.Boolean(), summary: '' };
  const take = (call: Call<unknown, unknown>) => {
    last = call;
    return Promise.resolve({ data: true });
  };
  const raw = routes.post('/raw/{name}/end', 'nothing', '', { ...common, rawBody: { maximumBytes }, handle: take });
  const json = routes.post('/json', 'nothing', '', {
    ...common,
    body: Type.Object({ a: Type.Integer() }),
    handle: take,
  });
  const streamed = routes.post('/streamed', 'nothing', '', {
    ...common,
    streamsBody: true,
    handle: async (call: Call<unknown, unknown>) => {
      let bytes = 0;
      for await (const chunk of call.bodyStream.iterator({ destroyOnReturn: false })) {
        bytes += chunk.length;
        if (bytes > maximumBytes) throw new Refusal('body_too_large', rule('body_size', { limit: 256 }));
      }
      return { data: bytes === Number(call.headers['content-length'] ?? bytes) };
    },
  });
  for (const route of [raw, json, streamed]) addRoute(app, route, undefined);
  address = await app.listen({ port: 0, host: '127.0.0.1' });
});

afterAll(async () => {
  await app.close();
  expect(defects).toEqual([]);
});

async function post(path: string, body: Uint8Array<ArrayBuffer> | undefined, headers: Record<string, string> = {}) {
  const response = await fetch(address + path, { method: 'POST', headers, ...(body && { body }) });
  return { status: response.status, body: (await response.json()) as { message: string } };
}

test('every body comes as the bytes it is, whatever it is announced as', async () => {
  const types = fc.oneof(
    fc.constantFrom(
      'application/json',
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      'json',
      '',
    ),
    fc.constantFrom(
      'application/octet-stream',
      'application/json; charset=utf-16',
      '*/*',
      'a/b; c="d',
      ';',
      '/',
      'é/ü',
    ),
    fc.string({ unit: fc.constantFrom(...'aZ09/;=" *.+-_'), maxLength: 30 }),
  );
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 2000 }), types, async (bytes, type) => {
      const { status } = await post('/raw/x/end', new Uint8Array(bytes), { 'content-type': type });
      expect(status).toBe(200);
      expect(last.rawBody.equals(bytes)).toBe(true);
      expect(last.headers['content-type'] ?? '').toBe(type.trim());
    }),
    { seed: 3, numRuns: 100 },
  );
});

test('no body is no bytes', async () => {
  expect((await post('/raw/x/end', undefined)).status).toBe(200);
  expect(last.rawBody).toEqual(Buffer.alloc(0));
  expect(last.headers['content-type']).toBeUndefined();
});

test('as many bytes as it says are taken, one more is refused, announced or in pieces', async () => {
  expect((await post('/raw/x/end', new Uint8Array(maximumBytes))).status).toBe(200);
  expect(last.rawBody).toHaveLength(maximumBytes);
  const { status, body } = await post('/raw/x/end', new Uint8Array(maximumBytes + 1));
  expect({ status, body }).toEqual({ status: 413, body: aRefusal(413, { type: 'body_too_large' }) });
  expect(body.message).toContain('256 KiB');
  const piece = `10000\r\n${' '.repeat(0x10000)}\r\n`;
  expect(
    await raw(`POST /raw/x/end HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${piece.repeat(5)}0\r\n\r\n`),
  ).toBe(413);
});

test('other routes take JSON and nothing else, of the size they always did', async () => {
  const json = (text: string) => new Uint8Array(Buffer.from(text));
  expect((await post('/json', json('{"a":1}'), { 'content-type': 'application/json' })).status).toBe(200);
  expect((await post('/json', json('{"a":1}'), { 'content-type': 'application/octet-stream' })).status).toBe(415);
  const large = await post('/json', json(`{"a":1}${' '.repeat(65_536)}`), { 'content-type': 'application/json' });
  expect(large).toEqual({ status: 413, body: aRefusal(413, { type: 'body_too_large' }) });
  expect(large.body.message).toContain('64 KiB');
});

test('a body that is streamed reaches its handler as it arrives, and its handler limits it', async () => {
  expect((await post('/streamed', new Uint8Array(maximumBytes), { 'content-type': 'application/json' })).body).toEqual(
    expect.objectContaining({ data: true }),
  );
  expect((await post('/streamed', undefined)).status).toBe(200);
  const response = await fetch(`${address}/streamed`, { method: 'POST', body: new Uint8Array(2 * maximumBytes) });
  expect(response.status).toBe(413);
  expect(response.headers.get('connection')).toBe('close');
});

test('what stands in the path comes as it was meant', async () => {
  await post('/raw/a%20b%C3%A9/end', undefined);
  expect(last.params).toEqual({ name: 'a bé' });
  expect((await post('/raw/a%zz/end', undefined)).status).toBe(400);
  expect((await post('/raw/a/b/end', undefined)).status).toBe(404);
});

/** Sends bytes as they are; the status of the reply. */
function raw(bytes: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(address).port), '127.0.0.1', () => socket.write(bytes));
    socket.on('error', reject);
    socket.once('data', (chunk) => {
      resolve(Number(chunk.toString().slice(9, 12)));
      socket.destroy();
    });
  });
}
