import { expect, test } from 'vitest';
import { chargeScenario } from '../../../../../tests/support/payments/charge-scenario.ts';
import { eventually } from '../../../../../tests/support/postgres/database.ts';
import { type FailureCode, failure } from '../../providers/failures.ts';

const scenario = chargeScenario();
const { pay, endOfPayment, principal } = scenario;

async function failedWith(code: FailureCode, channelId = 21): Promise<string> {
  scenario.node.provider.answer = (_verb, { key }) =>
    key.endsWith('-1') ? { kind: 'failed', failure: failure(code, 'a_code') } : { kind: 'succeeded', reference: key };
  const id = await pay(channelId);
  scenario.node.dispatcher.start();
  await endOfPayment(id);
  return id;
}

test.each(['credentials_refused', 'invalid_operation'] as const)(
  '%s warns an operator with the name of the channel and what to do',
  async (code) => {
    const transactionId = await failedWith(code);
    expect(scenario.node.warnings).toEqual([
      {
        channelId: 21,
        channel: (await scenario.node.channels.find(21))?.name,
        provider: 'sandbox',
        failureCode: code,
        providerCode: 'a_code',
        transactionId,
        operation: 1,
        remedy: expect.stringMatching(/^\w.*\.$/),
      },
    ]);
  },
);

test('a decline warns nobody', async () => {
  await failedWith('insufficient_funds');
  expect(scenario.node.warnings).toEqual([]);
});

test('a refused key warns an operator even though a fallback channel has taken the money', async () => {
  const id = await failedWith('credentials_refused', 11);
  expect((await scenario.node.find(id, principal)).status).toBe('SUCCESS');
  expect(scenario.node.warnings).toHaveLength(1);
});

test('a wrong request of ours goes to no fallback channel', async () => {
  const id = await failedWith('invalid_operation', 11);
  expect(await scenario.node.find(id, principal)).toMatchObject({
    status: 'FAILED',
    failure_code: 'invalid_operation',
  });
});

test('a key that fails many payments is logged once a minute', async () => {
  await failedWith('credentials_refused');
  await failedWith('credentials_refused');
  expect(scenario.node.warnings).toHaveLength(1);
  scenario.nowMs += 60_000;
  await failedWith('credentials_refused');
  // It is logged after the payment has ended.
  await eventually('a second warning is logged', async () => scenario.node.warnings.length === 2);
});
