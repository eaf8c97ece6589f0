import { describe, expect, test } from 'vitest';
import { administratorOf, dataOf, makeMember, makePayment, makeTenant } from '../../../../tests/support/factories.ts';
import { callbackScenario } from '../../../../tests/support/payments/callback-scenario.ts';
import { makeProviderChannel } from '../../../../tests/support/payments/callbacks.ts';
import { eventually } from '../../../../tests/support/postgres/database.ts';
import { hourMs } from '../../../core/clock.ts';
import { offendersOf } from '../../../platform/postgres/check.ts';
import { operationChecks, operationFindings } from '../operations/integrity.ts';

const scenario = callbackScenario();
const { uuidOf, operationsOf, callbackSettled, operationWaiting, pending, send, detail, insertCallback } = scenario;

describe('a contradiction or a mismatch', () => {
  const discrepanciesOf = (id: string) =>
    scenario.db.query<{ state: string }>('select state, said from discrepancy where transaction_id = $1', [uuidOf(id)]);
  const discrepancyMessages = async (id: string) =>
    (
      await scenario.db.query<{ kind: string; detail: object }>(
        `select kind, detail from timeline_message where transaction_id = $1
            and kind in ('contradiction', 'mismatch', 'looked_up') order by kind`,
        [uuidOf(id)],
      )
    ).map(({ kind, detail }) => ({ kind, ...detail }));
  const named = async (checks: readonly { offenders: string }[]) => {
    const found = await Promise.all(checks.map((check) => offendersOf(scenario.db.database, check, 1_000)));
    return found.flat();
  };
  const offenders = () => named([...operationChecks, ...operationFindings]);

  test('is looked up: if the provider agrees with what is settled, the discrepancy is closed', async () => {
    const id = await makePayment(scenario.florin, scenario.admin, scenario.channelId);
    await eventually('the payment succeeds', async () => (await detail(id)).status === 'SUCCESS');
    await callbackSettled(await send(id, { state: 'FAILED' }, 9));
    await eventually('the discrepancy is closed', async () => (await discrepanciesOf(id))[0]?.state === 'AGREES');
    expect((await detail(id)).status).toBe('SUCCESS');
    expect(await discrepancyMessages(id)).toMatchObject([
      { kind: 'contradiction', said: 'failed' },
      { kind: 'looked_up', said: 'succeeded', agrees: true },
    ]);
    expect(await offenders()).not.toContain(`${id}-1`);
    const metrics = (await scenario.florin.get('/metrics')).body;
    expect(metrics).toMatch(/^florin_discrepancies_total\{kind="contradiction"\} [1-9]/m);
    expect(metrics).toMatch(/^florin_discrepancy_lookups_total\{result="agrees"\} [1-9]/m);
  });

  test('if the provider disagrees, the final status stays and verify reports the operation', async () => {
    const id = await makePayment(scenario.florin, scenario.admin, scenario.channelId, {
      metadata: { sandbox: 'decline:card_declined' },
    });
    await eventually('the payment fails', async () => (await detail(id)).status === 'FAILED');
    await scenario.db.query(`update sandbox_operation set state = 'SUCCEEDED', failure_code = null where key = $1`, [
      `${id}-1`,
    ]);
    await callbackSettled(await send(id, { state: 'SUCCEEDED' }, 9));
    await eventually('the operation is looked up', async () => (await discrepanciesOf(id))[0]?.state === 'DISAGREES');
    expect((await detail(id)).status).toBe('FAILED');
    expect(await discrepancyMessages(id)).toMatchObject([
      { kind: 'contradiction', said: 'succeeded' },
      { kind: 'looked_up', said: 'succeeded', agrees: false },
    ]);
    const steps: { type: string; message: string }[] = dataOf(
      await scenario.florin.get(`/api/transaction/timeline?id=${id}`, scenario.admin),
    );
    expect(steps.at(-1)).toMatchObject({ type: 'looked_up', message: expect.stringContaining('disagree') });
    await eventually('the metrics show it', async () =>
      /^florin_discrepancy_lookups_total\{result="disagrees"\} [1-9]/m.test(
        (await scenario.florin.get('/metrics')).body,
      ),
    );
    expect(await named(operationFindings)).toContain(`${id}-1`);
    // The provider corrects its books: a day later it agrees.
    await scenario.db.query(`update sandbox_operation set state = 'FAILED' where key = $1`, [`${id}-1`]);
    scenario.nowMs += 24 * hourMs;
    scenario.admin = await administratorOf(scenario.florin);
    await eventually('the discrepancy is closed', async () => (await discrepanciesOf(id))[0]?.state === 'AGREES');
    expect(await offenders()).not.toContain(`${id}-1`);
  });

  test('a closed discrepancy is not looked up or named by verify, until a different report opens it', async () => {
    const { florin, admin } = scenario;
    const close = (body: object, as = scenario.admin) => florin.post('/api/discrepancy/close', body, as);
    const listed = async (query: string) =>
      dataOf(await florin.get(`/api/discrepancy/list?${query}`, scenario.admin)) as {
        id: string;
        state: string;
        note: string | null;
      }[];
    const id = await makePayment(florin, admin, scenario.channelId, { metadata: { sandbox: 'decline:card_declined' } });
    await eventually('the payment fails', async () => (await detail(id)).status === 'FAILED');
    const unknown = { id: 'dcp_none', note: 'Paid back by bank transfer' };
    expect(await close(unknown)).toMatchObject({ status: 404, body: { error: { field: 'id' } } });
    await scenario.db.query(`update sandbox_operation set state = 'SUCCEEDED', failure_code = null where key = $1`, [
      `${id}-1`,
    ]);
    await callbackSettled(await send(id, { state: 'SUCCEEDED' }, 9));
    await eventually('the operation is looked up', async () => (await discrepanciesOf(id))[0]?.state === 'DISAGREES');
    expect(await listed(`transactionId=${id}`)).toMatchObject([
      { transactionId: id, operation: 1, channelId: scenario.channelId, state: 'DISAGREES', reported: 'succeeded' },
    ]);
    const [open] = await listed(`transactionId=${id}`);
    const closing = { id: open?.id, note: unknown.note };

    const cashier = await makeMember(florin, admin, { userType: 'MERCHANT_USER', tenantId: null, roles: ['cashier'] });
    expect((await close(closing, cashier.as)).status).toBe(403);
    const other = await makeTenant(florin, admin);
    const stranger = await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId: other });
    expect((await close(closing, stranger.as)).status).toBe(404);
    const closed = dataOf(await close(closing));
    expect(closed).toMatchObject({ state: 'CLOSED', note: closing.note, closedBy: expect.any(Number) });
    expect(dataOf(await close({ ...closing, note: 'Again' }))).toEqual(closed);
    const audited = await florin.get(`/api/audit/list?recordType=discrepancy&recordId=${id}`, scenario.admin);
    expect(dataOf(audited)).toMatchObject([
      { action: 'discrepancy.close', details: { operation: 1, note: closing.note } },
    ]);
    expect(await listed(`transactionId=${id}`)).toEqual([]);
    expect(await listed(`transactionId=${id}&state=CLOSED`)).toEqual([closed]);
    expect((await offenders()).filter((offender) => offender === `${id}-1`)).toHaveLength(1);
    const steps: { type: string; message: string }[] = dataOf(
      await florin.get(`/api/transaction/timeline?id=${id}`, admin),
    );
    expect(steps.at(-1)).toMatchObject({ type: 'discrepancy_closed', message: expect.stringContaining(closing.note) });

    await callbackSettled(await send(id, { state: 'SUCCEEDED' }, 10));
    expect((await discrepanciesOf(id))[0]?.state).toBe('CLOSED');
    await callbackSettled(await send(id, { state: 'SUCCEEDED', amount: 5 }, 11));
    await eventually('a different report opens it', async () => (await discrepanciesOf(id))[0]?.state !== 'CLOSED');
    expect(await listed(`transactionId=${id}`)).toMatchObject([{ amount: 5, closedBy: null, note: null }]);
    dataOf(await close(closing));
    await scenario.db.query(`update sandbox_operation set state = 'FAILED' where key = $1`, [`${id}-1`]);
  });

  test.each([
    ['another amount', { amount: 1998 }],
    ['a partial capture', { amount: 1 }],
    ['another currency', { amount: 1999, currency: 'EUR' }],
    ['another currency, without an amount', { currency: 'EUR' }],
  ])('%s is never booked: it is on the timeline, and the operation is looked up', async (_, named) => {
    const id = await pending();
    const eventId = await send(id, named);
    await callbackSettled(eventId);
    await eventually('the operation is looked up', async () => {
      const [row] = await scenario.db.query<{ look_ups: number }>(
        'select look_ups from discrepancy where transaction_id = $1',
        [uuidOf(id)],
      );
      return row?.look_ups === 1;
    });
    expect((await detail(id)).status).toBe('PROCESSING');
    expect(await scenario.db.query('select 1 from ledger_transfer where transaction_id = $1', [uuidOf(id)])).toEqual(
      [],
    );
    expect(await discrepancyMessages(id)).toMatchObject([
      { kind: 'mismatch', said: 'succeeded', currency: 'USD', ...named },
    ]);
    await eventually('the metrics show it', async () =>
      /^florin_discrepancies_total\{kind="mismatch"\} [1-9]/m.test((await scenario.florin.get('/metrics')).body),
    );
    // The right amount is booked.
    await callbackSettled(await send(id, { amount: 1999 }, 2));
    expect((await detail(id)).status).toBe('SUCCESS');
  });

  test('an open operation is settled by the look-up', async () => {
    const silent = await makeProviderChannel(scenario.florin, scenario.admin, { webhookSecret: undefined });
    const id = await makePayment(scenario.florin, scenario.admin, silent, { metadata: { sandbox: 'pending:1' } });
    await operationWaiting(id);
    const reference = `sbx_${id}-1`;
    const outcome = { kind: 'succeeded', reference, money: { amount: 5, currency: 'USD' } };
    await insertCallback(`${id}-five`, { key: `${id}-1`, reference, said: 'succeeded', outcome }, silent);
    await eventually('the payment succeeds', async () => (await detail(id)).status === 'SUCCESS');
    expect(await operationsOf(id)).toMatchObject([{ state: 'SUCCEEDED', settled_by: 'look_up' }]);
    await eventually('the discrepancy is closed', async () => (await discrepanciesOf(id))[0]?.state === 'AGREES');
    const booked = await scenario.db.query('select amount from ledger_transfer where transaction_id = $1', [
      uuidOf(id),
    ]);
    expect(booked).toEqual([{ amount: 1999 }]);
  });
});
