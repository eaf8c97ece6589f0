import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { administratorOf, makePayment } from '../../../../tests/support/factories.ts';
import { callbackScenario } from '../../../../tests/support/payments/callback-scenario.ts';
import {
  accepted,
  channelSecret,
  eventIdOf,
  postCallback,
  sandboxReportOf,
} from '../../../../tests/support/payments/callbacks.ts';
import { eventually } from '../../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../../../tests/support/service/florin.ts';
import { secondMs } from '../../../core/clock.ts';
import { referenceOf, signedMessage } from '../providers/sandbox/messages.ts';

const scenario = callbackScenario();
const { storedCallback, callbackSettled, operationWaiting, messagesOf, pending, send, detail, eventsOf, clock, keys } =
  scenario;

describe('a crash', () => {
  test('between the answer and the settlement loses nothing: the next node settles the callback', async () => {
    const [here, there] = [await pending(), await pending()];
    await scenario.florin.stop();
    const taking = await florinOn(scenario.db, { ...keys, APP_ROLE: 'api' }, clock);
    const messages = [here, there].map((id) => signedMessage(sandboxReportOf(id), 1, channelSecret));
    for (const message of messages)
      expect((await postCallback(taking, scenario.channelId, message)).body).toEqual(accepted);
    await taking.stop();
    const [first, second] = messages.map(eventIdOf) as [string, string];
    expect([await storedCallback(first), await storedCallback(second)]).toMatchObject([
      { state: 'RECEIVED' },
      { state: 'RECEIVED' },
    ]);
    // One of them is leased by a node that died.
    const leasedUntil = new Date(scenario.nowMs + 30 * secondMs);
    await scenario.db.query(
      'update provider_callback set lease = gen_random_uuid(), leased_until = $2 where event_id = $1',
      [second, leasedUntil],
    );
    scenario.florin = await florinOn(scenario.db, keys, clock);
    scenario.admin = await administratorOf(scenario.florin);
    await callbackSettled(first);
    expect((await storedCallback(second))?.state).toBe('RECEIVED');
    scenario.nowMs += 30 * secondMs;
    await callbackSettled(second);
    for (const id of [here, there]) {
      expect((await detail(id)).status).toBe('SUCCESS');
      expect(await messagesOf(id)).toHaveLength(1);
    }
  });

  test('between the settlement and its record settles nothing twice', async () => {
    const id = await pending();
    const eventId = await send(id);
    await callbackSettled(eventId);
    const before = await detail(id);
    await scenario.db.query(`update provider_callback set state = 'RECEIVED', settled_at = null where event_id = $1`, [
      eventId,
    ]);
    await callbackSettled(eventId);
    expect(await detail(id)).toEqual(before);
    expect(await messagesOf(id)).toEqual([`${eventId} succeeded`]);
  });
});

describe('two nodes', () => {
  let other: TestFlorin;
  beforeEach(async () => {
    other = await florinOn(scenario.db, keys, clock);
  });
  afterEach(() => other.stop());

  test('that receive the same callback at once settle it once', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => pending()));
    await Promise.all(
      ids.flatMap((id) => {
        const message = signedMessage(sandboxReportOf(id), 1, channelSecret);
        return [scenario.florin, other, scenario.florin, other].map(async (node) =>
          expect((await postCallback(node, scenario.channelId, message)).body).toEqual(accepted),
        );
      }),
    );
    for (const id of ids) {
      const eventId = `${referenceOf(`${id}-1`)}-1`;
      await callbackSettled(eventId);
      expect(await messagesOf(id)).toEqual([`${eventId} succeeded`]);
      expect(await detail(id)).toMatchObject({ status: 'SUCCESS', version: 3 });
      expect((await eventsOf(id)).filter((type) => type === 'transaction.succeeded')).toHaveLength(1);
    }
  });
});

describe("the sandbox's own callbacks", () => {
  test.each(['late', 'callback:twice', 'callback:disorder', 'callback:contradiction'])(
    '%s ends in SUCCESS',
    async (word) => {
      const id = await makePayment(scenario.florin, scenario.admin, scenario.channelId, {
        metadata: { sandbox: word },
      });
      await operationWaiting(id);
      const owed = async () => {
        const [row] = await scenario.db.query<{ owed: number; due: string | null }>(
          `select json_array_length(callbacks) - callback_step as owed, callback_due_at as due
           from sandbox_operation where key = $1`,
          [`${id}-1`],
        );
        return row as { owed: number; due: string | null };
      };
      for (let { owed: left, due } = await owed(); left > 0; { owed: left, due } = await owed()) {
        // No later than the look-up, which would settle the payment as well.
        scenario.nowMs = Math.max(scenario.nowMs, Date.parse(due as string));
        await eventually(`${word}: ${left} to come`, async () => (await owed()).owed < left);
      }
      await eventually('all are settled', async () => {
        const rows = await scenario.db.query<{ state: string }>(
          'select state from provider_callback where event_id like $1 order by event_id',
          [`sbx_${id}%`],
        );
        return rows.length > 0 && rows.every(({ state }) => state === 'SETTLED');
      });
      expect((await detail(id)).status).toBe('SUCCESS');
      expect((await messagesOf(id)).filter((note) => note.startsWith('contradiction'))).toHaveLength(
        word === 'callback:contradiction' ? 1 : 0,
      );
    },
  );
});
