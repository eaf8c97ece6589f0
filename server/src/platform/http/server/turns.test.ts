import { setImmediate as nextTurn } from 'node:timers/promises';
import { Type } from 'typebox';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Principal } from '../../../core/principal.ts';
import { routesFor } from '../routes-for.ts';
import { addRoute } from './add-route.ts';
import { httpServer } from './server.ts';
import type { AuthenticatedRequest } from './steps.ts';

const caller = {
  by: 'key',
  tenantId: 1,
  userId: 1,
  userType: 'MERCHANT_ADMIN',
  scopes: new Set(),
} as unknown as Principal;
/** Handlers and authentications in progress, by path: each ends when its function is called. */
const inProgress = new Map<string, (() => void)[]>();
const hold = (path: string) =>
  new Promise<void>((resolve) => {
    inProgress.set(path, [...(inProgress.get(path) ?? []), resolve]);
  });
const countOf = (path: string) => inProgress.get(path)?.length ?? 0;

const authenticate = async () => {
  await hold('unknown');
  return caller;
};
authenticate.cached = ({ headers }: AuthenticatedRequest) =>
  headers.authorization === 'ApiKey known' ? caller : undefined;

const app = httpServer({ authenticate, onReply: () => {}, onDefect: () => {}, trustProxy: ['127.0.0.1'] });
let address: string;

beforeAll(async () => {
  app.get('/page', async () => {
    await hold('/page');
    return 'page';
  });
  const answering = (path: string, needs: 'nothing' | 'caller') =>
    routesFor<undefined>().get(path, needs, '', {
      summary: '',
      data: Type.Boolean(),
      handle: async () => {
        if (needs === 'nothing' && path !== '/health/live') await hold(path);
        return { data: true };
      },
    });
  for (const route of [
    answering('/open', 'nothing'),
    answering('/health/live', 'nothing'),
    answering('/own', 'caller'),
  ])
    addRoute(app, route, undefined);
  address = await app.listen({ port: 0, host: '127.0.0.1' });
});

afterAll(() => app.close());

const ask = (path: string, from: string, headers: Record<string, string> = {}) =>
  fetch(address + path, { headers: { 'x-forwarded-for': from, ...headers } }).then(({ status }) => status);

/** Resolves when so many are in progress. */
async function until(path: string, count: number): Promise<void> {
  while (countOf(path) < count) await nextTurn();
}

/** Lets those in progress end, and those that follow them, until all requests are answered. */
async function finish(path: string, requests: Promise<number>[]): Promise<number[]> {
  let isDone = false;
  const all = Promise.all(requests).finally(() => {
    isDone = true;
  });
  while (!isDone) {
    for (const end of inProgress.get(path)?.splice(0) ?? []) end();
    await nextTurn();
  }
  return all;
}

test.each(['/page', '/open'])(
  'beside a flood on %s from one address, other addresses, callers with credentials and health checks are served',
  async (path) => {
    const flood = Array.from({ length: 100 }, () => ask(path, '203.0.113.1'));
    await until(path, 16);
    expect(await ask('/own', '203.0.113.1', { authorization: 'ApiKey known' })).toBe(200);
    expect(await ask('/health/live', '203.0.113.1')).toBe(200);
    expect(countOf(path)).toBe(16);
    const other = ask(path, '203.0.113.2');
    await until(path, 17);
    expect(countOf(path)).toBe(17);
    expect(await finish(path, [...flood, other])).toEqual(Array(101).fill(200));
  },
);

test('many addresses together have 64 open requests in progress', async () => {
  const flood = Array.from({ length: 100 }, (_, i) => ask('/page', `203.0.113.${i}`));
  await until('/page', 64);
  expect(await ask('/own', '203.0.113.1', { authorization: 'ApiKey known' })).toBe(200);
  expect(countOf('/page')).toBe(64);
  expect(await finish('/page', flood)).toEqual(Array(100).fill(200));
});

test('credentials that are not known in memory are looked up for 32 requests of an address at once', async () => {
  const flood = Array.from({ length: 100 }, () => ask('/own', '203.0.113.1', { authorization: 'ApiKey made up' }));
  await until('unknown', 32);
  expect(await ask('/own', '203.0.113.1', { authorization: 'ApiKey known' })).toBe(200);
  expect(countOf('unknown')).toBe(32);
  expect(await finish('unknown', flood)).toEqual(Array(100).fill(200));
});
