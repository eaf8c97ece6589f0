import { expect, test } from 'vitest';
import { shownStatus } from '../src/pages/payments/shown-status.ts';

test.each([
  ['REFUNDED', 1000, 1000, 400, 'PARTLY_REFUNDED'],
  ['REFUNDED', 1000, 1000, 1000, 'REFUNDED'],
  ['REFUNDED', 1000, 600, 600, 'REFUNDED'],
  ['SUCCESS', 1000, 1000, 0, 'SUCCESS'],
])('a payment that is %s, of %i, with %i captured and %i refunded, is shown as %s', (...given) => {
  const [status, amount, amountCaptured, amountRefunded, shown] = given;
  expect(shownStatus({ status, amount, amountCaptured, amountRefunded })).toBe(shown);
});
