import { expect, test } from 'vitest';
import type { Statement } from '../../../../platform/postgres/statement.ts';
import type { FinalOutcome } from '../../operations/effect.ts';
import { Settler, type SettlerDeps } from '../../operations/settle.ts';
import type { OperationRow } from '../../operations/statements.ts';

/** What a provider says of a charge while its captures end. */
const charge = {
  ...{ tenant_id: 1, id: 'a', number: 1, kind: 'CHARGE', capture_method: 'MANUAL', state: 'UNKNOWN' },
  ...{ status: 'PROCESSING', amount: 1000, operation_amount: 1000, currency: 'USD', version: 5 },
  ...{ amount_captured: 0, amount_capturable: 1000, livemode: false },
} as unknown as OperationRow;
const captured = { ...charge, version: 6, amount_captured: 400, amount_capturable: 600 } as OperationRow;
const all = { kind: 'succeeded', reference: 'pi', money: { amount: 400, currency: 'USD' } } as const as FinalOutcome;

/** A database that answers the readings of the payment one after the other. */
function settlerOn(readings: OperationRow[], underWay: object[]) {
  const reported: string[] = [];
  const database = {
    run: async ({ name }: Statement<never>) => {
      if (name === 'operations.find_under_way') return underWay;
      const reading = readings.length > 1 ? readings.shift() : readings[0];
      return reading === undefined ? [] : [reading];
    },
    transaction: async () => {
      reported.push('discrepancy');
      return false;
    },
  };
  const deps = { database, clock: () => 0, generateUuid: () => 'u' } as unknown as SettlerDeps;
  return { settler: new Settler(deps), reported };
}

test('a capture that ends while its charge is read opens no discrepancy', async () => {
  const { settler, reported } = settlerOn([charge, captured], []);
  expect(await settler.settle(charge, all, 'look_up')).toBe('undecided');
  expect(reported).toEqual([]);
});

test('an amount that is not the captured one opens a discrepancy when nothing is under way', async () => {
  const { settler, reported } = settlerOn([charge, charge], []);
  expect(await settler.settle(charge, all, 'look_up')).toBe('mismatch');
  expect(reported).toEqual(['discrepancy']);
});
