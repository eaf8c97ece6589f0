import { expect, test } from 'vitest';
import { standingAfter } from './states.ts';

const respond_by = '2026-12-04T10:00:00.000Z';
const reportOf = (status: 'OPEN' | 'LOST' | 'WON') => ({ stage: 'CHARGEBACK', status, respondBy: null }) as const;

test.each(['OPEN', 'EXPIRED'] as const)(
  'a higher stage that is %s and that nobody took ends as decided before',
  (status) => {
    const before = { stage: 'PRE_ARBITRATION', status, respond_by } as const;
    expect(standingAfter(before, reportOf('LOST'))).toEqual({ stage: 'PRE_ARBITRATION', status: 'LOST' });
    expect(standingAfter(before, reportOf('OPEN'))).toEqual({ stage: 'PRE_ARBITRATION', status });
  },
);

test('what was decided at a higher stage stays when a lower one is reported the same', () => {
  const before = { stage: 'PRE_ARBITRATION', status: 'LOST', respond_by } as const;
  expect(standingAfter(before, reportOf('LOST'))).toEqual({ stage: 'PRE_ARBITRATION', status: 'LOST' });
});
