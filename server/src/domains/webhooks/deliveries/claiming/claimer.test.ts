import { expect, test } from 'vitest';
import { Refusal } from '../../../../core/errors.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import { survey } from '../../delivery-queue/claim-statements.ts';
import { Claimer } from './claimer.ts';

test.each([
  ['a defect', new TypeError('rows is not iterable'), 1],
  ['an outage, which claims report,', new Refusal('database_unavailable', 'Away.'), 0],
])(
  '%s that keeps endpoints from being surveyed is reported as often as it should be',
  async (_what, error, reports) => {
    const reported: unknown[] = [];
    const database = {
      run: async (statement: unknown) => {
        if (statement === survey) throw error;
        return [];
      },
    } as Queryable;
    const claimer = new Claimer({
      database,
      clock: () => 0,
      slots: 1,
      leaseMs: 1_000,
      health: { reserveTrials: async () => new Map(), returnTrials: async () => {} } as never,
      renew: () => false,
      onDue: () => {},
      onSurveyFailed: (failure) => reported.push(failure),
    });
    await claimer.claim(1, 'lease');
    await new Promise((resolve) => setImmediate(resolve));
    expect(reported).toHaveLength(reports);
  },
);
