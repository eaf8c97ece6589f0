import { expect, test } from 'vitest';
import { chargeScenario } from '../../../../../tests/support/payments/charge-scenario.ts';
import { eventually } from '../../../../../tests/support/postgres/database.ts';
import type { Outcome } from '../../providers/outcome.ts';

const scenario = chargeScenario();
const { pay, endOfPayment, operationInState } = scenario;

test('a channel that cannot be read while its breaker is open fails the claim, not the process', async () => {
  scenario.node.provider.answer = () => ({ kind: 'unknown', cause: 'silence' });
  scenario.node.dispatcher.start();
  for (let i = 0; i < 5; i++) await operationInState(await pay(), 'UNKNOWN');
  let reads = 0;
  const find = scenario.node.channels.find.bind(scenario.node.channels);
  scenario.node.channels.find = () => {
    reads++;
    return Promise.reject(new Error('The database is unavailable.'));
  };
  while (reads === 0) {
    scenario.node.dispatcher.wake();
    // Node reports an unhandled rejection before this resolves.
    await new Promise((resolve) => setImmediate(resolve));
  }
  scenario.node.channels.find = find;
  scenario.nowMs += 31_000;
  scenario.node.provider.answer = (_verb, { key }) => ({ kind: 'succeeded', reference: key });
  expect((await endOfPayment(await pay())).status).toBe('SUCCESS');
  // The claim failed, and reported it.
  expect(scenario.node.errors.splice(0)).toEqual([new Error('The database is unavailable.')]);
});

test('a channel whose provider hangs does not delay other channels, however many payments it has', async () => {
  let hanging = 0;
  scenario.node.provider.answer = (_verb, operation) => {
    if (operation.kind !== 'CHARGE' || !operation.callbackUrl.includes('/callback/11/'))
      return { kind: 'succeeded', reference: 'r' };
    hanging++;
    return new Promise<Outcome>((resolve) => release.push(() => resolve({ kind: 'succeeded', reference: 'r' })));
  };
  const release: (() => void)[] = [];
  const stuck = await Promise.all(Array.from({ length: 700 }, () => pay(11)));
  scenario.node.dispatcher.start();
  await eventually('500 charges hang', () => hanging >= 500);
  expect((await endOfPayment(await pay(21))).status).toBe('SUCCESS');
  expect(hanging).toBe(500);
  scenario.node.provider.answer = () => ({ kind: 'succeeded', reference: 'r' });
  for (const go of release) go();
  await eventually('the last of them ends', async () => {
    // As the poller does, which this node does not have.
    scenario.node.dispatcher.wake();
    return (await scenario.node.find(stuck.at(-1) as string, scenario.principal)).status === 'SUCCESS';
  });
});

const unknown = (): Outcome => ({ kind: 'unknown', cause: new Error('cut') });

test('while the breaker is open a charge waits, unless a fallback channel accepts it', async () => {
  // The fallback channel of 21 is inactive; that of 11 accepts the payment.
  await scenario.db.query(`update channel set fallback_channel_ids = '{31}' where id = 21`);
  scenario.node.provider.answer = (_verb, { key }) =>
    key.endsWith('-2') ? { kind: 'succeeded', reference: key } : unknown();
  scenario.node.dispatcher.start();
  for (let i = 0; i < 5; i++) for (const channelId of [11, 21]) await operationInState(await pay(channelId), 'UNKNOWN');
  expect(await endOfPayment(await pay(11))).toMatchObject({
    status: 'SUCCESS',
    provider_reference: expect.stringMatching(/-2$/),
  });
  const id = await pay(21);
  const dueMs = async () =>
    (
      await scenario.db.query<{ due_ms: number }>(
        `select (extract(epoch from due_at) * 1000)::float8 as due_ms from provider_operation
          where state = 'READY' and channel_id = 21`,
      )
    )[0]?.due_ms ?? 0;
  await eventually('the charge waits', async () => {
    scenario.node.dispatcher.wake();
    return (await dueMs()) > scenario.nowMs;
  });
  expect(await scenario.node.operationsOf(1, id)).toMatchObject([{ state: 'READY' }]);
  scenario.node.provider.answer = (_verb, { key }) => ({ kind: 'succeeded', reference: key });
  scenario.nowMs += 31_000;
  scenario.node.dispatcher.wake();
  expect((await endOfPayment(id)).status).toBe('SUCCESS');
  await scenario.db.query(`update channel set fallback_channel_ids = '{}' where id = 21`);
});
