import { expect, test } from 'vitest';
import { brokenClaims } from '../../../../tests/support/broken-claims.ts';
import { administratorOf, dataOf, makePayment } from '../../../../tests/support/factories.ts';
import { callbackScenario } from '../../../../tests/support/payments/callback-scenario.ts';
import { makeProviderChannel } from '../../../../tests/support/payments/callbacks.ts';
import { eventually } from '../../../../tests/support/postgres/database.ts';
import { untilTaken } from '../../../../tests/support/service/florin.ts';
import { hourMs } from '../../../core/clock.ts';
import type { MessageState } from '../providers/sandbox/messages.ts';

const scenario = callbackScenario();
const { uuidOf, operationsOf, callbackSettled, send, detail } = scenario;

/** A merchant knows the secret of its own channels, and docs/guides/sandbox.md shows how to sign a callback with it. */
const states: MessageState[] = ['SUCCEEDED', 'FAILED', 'CANCELLED'];
const stateWords = ['pending', 'pending:2', 'late', 'late:decline', 'payer', 'silent', 'timeout:before', 'error:after'];

const paid = (id: string) =>
  eventually(`${id} is paid`, async () => ['SUCCESS', 'REFUNDED'].includes((await detail(id)).status));
const hasOperation = (id: string, number: number) =>
  eventually(`operation ${number} of ${id} is sent`, async () =>
    (await operationsOf(id)).some((operation) => operation.number === number && operation.state !== 'READY'),
  );

/** After five calls without an answer the breaker of a channel opens, and would stay open: the clock stands still. */
async function openChannel(): Promise<void> {
  scenario.channelId = await makeProviderChannel(scenario.florin, scenario.admin);
}

/** Hours later: what was late has come, and what was contradicted has been looked up. */
async function later(): Promise<void> {
  scenario.nowMs += 2 * hourMs;
  scenario.admin = await administratorOf(scenario.florin);
  await eventually('every discrepancy has been looked up', async () => {
    const open = await scenario.db.query(`select from discrepancy where state = 'OPEN'`);
    const due = await scenario.db.query(
      `select from sandbox_operation where callback_due_at <= to_timestamp($1::float8 / 1000) and state <> 'UNTAKEN'`,
      [scenario.nowMs],
    );
    return open.length + due.length === 0;
  });
}

test('no callback that a merchant signs itself about a charge or its cancellation breaks a claim', async () => {
  for (const sandbox of stateWords) {
    for (const state of states) {
      await openChannel();
      const { florin, admin, channelId } = scenario;
      const [charged, cancelled] = [
        await makePayment(florin, admin, channelId, { metadata: { sandbox } }),
        await makePayment(florin, admin, channelId, { metadata: { sandbox } }),
      ];
      await hasOperation(charged, 1);
      await callbackSettled(await send(charged, { state }));
      await hasOperation(cancelled, 1);
      const cancel = { id: cancelled, status: 'CANCELLED' };
      dataOf(await untilTaken(() => florin.post('/api/transaction/update', cancel, admin)));
      // A charge whose call has not arrived waits to be sent again, and is cancelled without asking the provider.
      const isAsked = (await operationsOf(cancelled)).length === 2;
      if (isAsked) await callbackSettled(await send(cancelled, { key: `${cancelled}-2`, state }));
    }
  }
  expect(await brokenClaims(scenario.db.database)).toEqual([]);
  await later();
  expect(await brokenClaims(scenario.db.database)).toEqual([]);
}, 120_000);

test('no callback that a merchant signs itself about a refund breaks a claim', async () => {
  await openChannel();
  for (const word of ['succeed', 'refund:late', 'refund:late-fail', 'refund:fail', 'refund:returned']) {
    for (const state of states) {
      const { florin, admin, channelId } = scenario;
      const id = await makePayment(florin, admin, channelId, { metadata: { sandbox: word } });
      await paid(id);
      dataOf(await florin.post('/api/refund/create', { transactionId: id }, admin));
      await hasOperation(id, 2);
      await callbackSettled(await send(id, { key: `${id}-2`, state }));
    }
  }
  expect(await brokenClaims(scenario.db.database)).toEqual([]);
  await later();
  expect(await brokenClaims(scenario.db.database)).toEqual([]);
}, 120_000);

test('a returned refund whose callback is refused after a change of the secret breaks no claim', async () => {
  const { florin, admin, channelId } = scenario;
  const id = await makePayment(florin, admin, channelId, { metadata: { sandbox: 'refund:returned' } });
  await paid(id);
  dataOf(await florin.post('/api/refund/create', { transactionId: id }, admin));
  await eventually('it is refunded', async () => (await detail(id)).status === 'REFUNDED');
  dataOf(await florin.post('/api/channel/modify', { id: channelId, webhookSecret: 'another secret' }, admin));
  scenario.nowMs += hourMs;
  await eventually('the money has come back', async () => {
    const [refund] = await scenario.db.query<{ state: string }>(
      `select state from sandbox_operation where key = 'txn_' || $1 || '-2'`,
      [uuidOf(id)],
    );
    return refund?.state === 'FAILED';
  });
  expect(await brokenClaims(scenario.db.database)).toEqual([]);
});
