import { describe, expect, test } from 'vitest';
import { callbackScenario } from '../../../../tests/support/payments/callback-scenario.ts';
import { eventually } from '../../../../tests/support/postgres/database.ts';
import { secondMs } from '../../../core/clock.ts';
import { failure } from '../providers/failures.ts';

const scenario = callbackScenario();
const {
  uuidOf,
  storedCallback,
  callbackSettled,
  callbackTried,
  messagesOf,
  pending,
  send,
  detail,
  insertCallback,
  dueMs,
} = scenario;

describe('callbacks of one operation are settled in the order in which they were received', () => {
  const contentWith = (id: string, said: 'succeeded' | 'failed', reference = `sbx_${id}-1`) => ({
    key: `${id}-1`,
    reference,
    said,
    outcome: { kind: said, reference, ...(said === 'failed' && { failure: failure('card_declined') }) },
  });
  /** Settles another callback: the worker has by then tried all that were due before it. */
  const settleAnother = async () => callbackSettled(await send(await pending()));

  test.each([
    ['our key and the reference', (content: object) => content],
    ['the reference alone', (content: object) => ({ ...content, key: null })],
  ])('with %s: a later one waits while the first is leased by a dead node', async (_, withIdentifiers) => {
    const id = await pending();
    await insertCallback(`${id}-first`, withIdentifiers(contentWith(id, 'succeeded')), scenario.channelId, {
      leasedUntilMs: scenario.nowMs + 30 * secondMs,
    });
    await insertCallback(`${id}-second`, withIdentifiers(contentWith(id, 'failed')));
    await settleAnother();
    expect(await storedCallback(`${id}-second`)).toMatchObject({ state: 'RECEIVED' });
    expect((await detail(id)).status).toBe('PROCESSING');
    scenario.nowMs += 30 * secondMs;
    await callbackSettled(`${id}-first`);
    await callbackSettled(`${id}-second`);
    expect((await detail(id)).status).toBe('SUCCESS');
    expect(await messagesOf(id)).toContainEqual('contradiction failed');
  });

  test('a later one waits while the first waits for its next try; callbacks of other operations do not', async () => {
    const [id, other] = [await pending(), await pending()];
    // As deferred by a node whose database was unavailable.
    await insertCallback(`${id}-first`, contentWith(id, 'succeeded'), scenario.channelId, {
      dueMs: scenario.nowMs + secondMs,
    });
    await insertCallback(`${id}-second`, contentWith(id, 'failed'));
    await callbackSettled(await send(other));
    expect(await storedCallback(`${id}-second`)).toMatchObject({ state: 'RECEIVED' });
    scenario.nowMs += secondMs;
    await callbackSettled(`${id}-first`);
    await callbackSettled(`${id}-second`);
    expect(await messagesOf(id)).toContainEqual('contradiction failed');
    expect((await detail(id)).status).toBe('SUCCESS');
    expect((await detail(other)).status).toBe('SUCCESS');
  });

  test('a callback whose operation was found late goes before those received after it', async () => {
    const id = await pending();
    const reference = `late-${id}`;
    await insertCallback(`${id}-first`, { ...contentWith(id, 'succeeded', reference), key: null });
    await callbackTried(`${id}-first`, 1);
    await scenario.db.query(
      `update provider_operation set provider_reference = $2, due_at = due_at + interval '1 day'
        where transaction_id = $1`,
      [uuidOf(id), reference],
    );
    await insertCallback(`${id}-second`, { ...contentWith(id, 'failed', reference), key: null });
    // At once, not after its own wait of five seconds.
    await callbackSettled(`${id}-first`);
    await eventually('the second waits', async () => (await dueMs(`${id}-second`)) === scenario.nowMs + secondMs);
    scenario.nowMs += secondMs;
    await callbackSettled(`${id}-second`);
    expect((await detail(id)).status).toBe('SUCCESS');
  });

  test('a callback whose operation is not found delays no other callback', async () => {
    const stranger = 'txn_0198a5b87c1f7000800000000000cafe';
    await insertCallback('stranger-1', contentWith(stranger, 'succeeded'));
    await callbackTried('stranger-1', 1);
    await insertCallback('stranger-2', contentWith(stranger, 'failed'));
    await callbackTried('stranger-2', 1);
    await settleAnother();
  });
});
