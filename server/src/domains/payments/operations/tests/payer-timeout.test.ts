import { expect, test } from 'vitest';
import { chargeScenario } from '../../../../../tests/support/payments/charge-scenario.ts';
import { dayMs, hourMs } from '../../../../core/clock.ts';
import { failure } from '../../providers/failures.ts';
import type { Outcome } from '../../providers/outcome.ts';
import { payment } from '../../transactions/record.ts';

const scenario = chargeScenario();
const { pay, endOfPayment, paymentWhere, openWithLookUps, operationInState, eventsOf, principal } = scenario;

const url = 'https://bank.example/pay';
const needsPayer: Outcome = { kind: 'needs_payer', reference: 'pi_1', nextAction: { type: 'redirect', url } };

/** A payment that waits for its payer; `cancelled` is what the provider answers when it is asked to cancel it. */
async function waiting(cancelled: Outcome): Promise<string> {
  scenario.node.provider.answer = (verb) => (verb === 'cancel' ? cancelled : needsPayer);
  const id = await pay();
  scenario.node.dispatcher.start();
  await paymentWhere(id, ({ next_action }) => next_action !== null);
  await openWithLookUps(id, 0);
  return id;
}

function later(ms: number): void {
  scenario.nowMs += ms;
  scenario.node.dispatcher.wake();
}

const waitingForOf = async (id: string) => payment.show(await scenario.node.find(id, principal)).waitingFor;

test('a payment whose payer does not finish is cancelled at the provider, then FAILED', async () => {
  const id = await waiting({ kind: 'cancelled' });
  later(dayMs - hourMs);
  await openWithLookUps(id, 1);
  expect(scenario.node.provider.verbs()).not.toContain('cancel');
  later(hourMs);
  expect(await endOfPayment(id)).toMatchObject({
    status: 'FAILED',
    failure_code: 'payment_expired',
    next_action: null,
  });
  expect(await scenario.node.operationsOf(1, id)).toMatchObject([
    { kind: 'CHARGE', state: 'CANCELLED' },
    { kind: 'CANCEL', state: 'SUCCEEDED' },
  ]);
  expect((await eventsOf(id)).filter((type) => /failed|cancelled/.test(type))).toEqual(['transaction.failed']);
});

test('a payment whose charge is reported as cancelled before the answer to the cancellation has failed', async () => {
  const answer = Promise.withResolvers<Outcome>();
  const id = await waiting({ kind: 'pending' });
  scenario.node.provider.answer = (verb) => (verb === 'cancel' ? answer.promise : needsPayer);
  later(dayMs);
  await operationInState(id, 'CALLING');
  const [charge] = await scenario.node.operationsOf(1, id);
  await scenario.node.settler.settle(charge as never, { kind: 'cancelled', reference: 'pi_1' }, 'callback');
  answer.resolve({ kind: 'cancelled' });
  expect(await endOfPayment(id)).toMatchObject({ status: 'FAILED', failure_code: 'payment_expired' });
});

test('what a provider cannot cancel ends when the provider says so, and is asked to cancel once', async () => {
  const id = await waiting({ kind: 'failed', failure: failure('invalid_operation') });
  later(dayMs);
  await operationInState(id, 'FAILED');
  later(dayMs);
  await openWithLookUps(id, 2);
  expect(scenario.node.provider.verbs().filter((verb) => verb === 'cancel')).toHaveLength(1);
  expect((await scenario.node.find(id, principal)).status).toBe('PROCESSING');
  scenario.node.provider.answer = () => ({ kind: 'failed', failure: failure('payment_expired') });
  later(dayMs);
  expect(await endOfPayment(id)).toMatchObject({ status: 'FAILED', failure_code: 'payment_expired' });
});

test('a payment that was paid meanwhile succeeds, although it was to be cancelled', async () => {
  const id = await waiting({ kind: 'failed', failure: failure('invalid_operation', 'too_late') });
  later(dayMs);
  await operationInState(id, 'FAILED');
  scenario.node.provider.answer = (_verb, { key }) => ({ kind: 'succeeded', reference: key });
  later(dayMs);
  expect((await endOfPayment(id)).status).toBe('SUCCESS');
});

test('a payment says whether it waits for the payer or for the provider', async () => {
  const id = await waiting({ kind: 'cancelled' });
  expect(await waitingForOf(id)).toBe('PAYER');
  scenario.node.provider.answer = () => ({ kind: 'pending', reference: 'pi_1' });
  later(5_000);
  await paymentWhere(id, ({ next_action }) => next_action === null);
  expect(await waitingForOf(id)).toBe('PROVIDER');
  scenario.node.provider.answer = (_verb, { key }) => ({ kind: 'succeeded', reference: key });
  later(dayMs);
  await endOfPayment(id);
  expect(await waitingForOf(id)).toBeNull();
});
