import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type StripeSimulator, startStripeSimulator } from '../../../../../tests/support/simulators/stripe.ts';
import { newEndpoint } from '../../../../../tests/support/simulators/stripe-endpoints.ts';
import { callWith } from './fixture/operations.ts';
import { StripeProvider } from './stripe.ts';
import { neededEvents } from './webhook-endpoints.ts';

let simulator: StripeSimulator;
let stripe: StripeProvider;

beforeAll(async () => {
  simulator = await startStripeSimulator();
  stripe = new StripeProvider(simulator.url);
});
afterAll(() => simulator.close());

const url = 'https://pay.example.com/api/callback/7/token';
const unsent = () => stripe.unsentEvents(url, callWith());

test('all events are unsent until an endpoint has the callback address, with or without its token', async () => {
  simulator.account.endpoints.push(newEndpoint({ url: 'https://other.example.com', enabled_events: ['*'] }));
  simulator.account.endpoints.push(newEndpoint({ url, status: 'disabled', enabled_events: ['*'] }));
  expect(await unsent()).toEqual(neededEvents);
  simulator.account.endpoints.push(newEndpoint({ url, enabled_events: neededEvents.slice(2) }));
  expect(await unsent()).toEqual(neededEvents.slice(0, 2));
  const older = url.replace('/token', '');
  simulator.account.endpoints.push(newEndpoint({ url: older, enabled_events: neededEvents.slice(1, 2) }));
  expect(await unsent()).toEqual(neededEvents.slice(0, 1));
  simulator.account.endpoints.push(newEndpoint({ url, enabled_events: ['*'] }));
  expect(await unsent()).toEqual([]);
});

test('a key that may not read endpoints tells nothing', async () => {
  simulator.mayNotReadEndpoints = true;
  expect(await unsent()).toBeUndefined();
});

test('the guide names the events that an endpoint should send, and no other', () => {
  const guide = readFileSync(new URL('../../../../../../docs/guides/providers.md', import.meta.url), 'utf8');
  const table = /with these events:\n\n([\s\S]*?)\n\n/.exec(guide)?.[1] ?? '';
  const named = [...table.matchAll(/`([a-z_.]+)`/g)].map(([, type]) => type as string);
  expect(named.sort()).toEqual([...neededEvents].sort());
});
