import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseFromTemplate, type TestDatabase } from '../../testing/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../testing/service/florin.ts';
import { declaredRoutes } from '../routes.ts';
import { billingSteps } from './fixture/billing-steps.ts';
import { converse } from './fixture/converse.ts';
import { identitySteps } from './fixture/identity-steps.ts';
import { paymentSteps } from './fixture/payment-steps.ts';
import { webhookSteps } from './fixture/webhook-steps.ts';

const steps = [...identitySteps, ...paymentSteps, ...billingSteps, ...webhookSteps];
let db: TestDatabase;
let florin: TestFlorin;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db);
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

test('every answer is as recorded: status, headers and body', async () => {
  // A deliberate change is recorded by `npm run record`, and reviewed like code.
  await expect(await converse(florin.address, steps)).toMatchFileSnapshot('contract.recorded');
});

test('every endpoint is in the recording', () => {
  const calls = steps.map(({ call }) => call.replace(/\?.*/, ''));
  const missing = declaredRoutes().filter(({ method, path }) => {
    const pattern = new RegExp(`^${method} ${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
    return !calls.some((call) => pattern.test(call));
  });
  expect(missing.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
});
