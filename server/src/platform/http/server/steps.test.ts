import { Type } from 'typebox';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { Refusal } from '../../../core/errors.ts';
import type { Principal } from '../../../core/principal.ts';
import { routesFor } from '../routes-for.ts';
import { addRoute } from './add-route.ts';
import { httpServer } from './server.ts';

const steps: string[] = [];
/** The step that refuses. */
let refusing = '';
const caller = { by: 'key', tenantId: 1, userId: 1, scopes: new Set(['transaction_write']) } as unknown as Principal;

function take(step: string): void {
  steps.push(step);
  if (step === refusing) throw new Refusal('too_many_requests', 'Enough.');
}

const app = httpServer({
  authenticate: async () => {
    take('authentication');
    return caller;
  },
  rateLimits: { ofAddress: () => take('rate limit of the address'), ofCaller: () => take('rate limit of the caller') },
  admit: async () => take('admission'),
  onReply: ({ status }) => steps.push(`log of ${status}`),
  onDefect: () => {},
});
const create = routesFor<undefined>().post('/create', 'transaction_write', '', {
  summary: '',
  events: 1,
  body: Type.Object({ a: Type.Integer() }),
  data: Type.Boolean(),
  handle: async () => {
    take('handler');
    return { data: true };
  },
});
addRoute(app, create, undefined);
let address: string;

beforeAll(async () => {
  address = await app.listen({ port: 0, host: '127.0.0.1' });
});
beforeEach(() => {
  steps.length = 0;
});
afterAll(() => app.close());

const inOrder = [
  'rate limit of the address',
  'authentication',
  'rate limit of the caller',
  'admission',
  'handler',
] as const;
/** The status of the answer, when it has been logged. */
async function post(body: object): Promise<number> {
  const headers = { 'content-type': 'application/json' };
  const { status } = await fetch(`${address}/create`, { method: 'POST', headers, body: JSON.stringify(body) });
  await vi.waitUntil(() => steps.at(-1) === `log of ${status}`);
  return status;
}

test('a request takes its steps in order', async () => {
  refusing = '';
  expect(await post({ a: 1 })).toBe(200);
  expect(steps).toEqual([...inOrder, 'log of 200']);
});

test.each(inOrder.map((step, index) => [step, index] as const))(
  'a request that the %s refuses takes no further step',
  async (step, index) => {
    refusing = step;
    expect(await post({ a: 1 })).toBe(429);
    expect(steps).toEqual([...inOrder.slice(0, index + 1), 'log of 429']);
  },
);

test('a body is read only of a request that may begin', async () => {
  refusing = 'admission';
  expect(await post({ b: 'wrong' })).toBe(429);
  refusing = '';
  expect(await post({ b: 'wrong' })).toBe(400);
});
