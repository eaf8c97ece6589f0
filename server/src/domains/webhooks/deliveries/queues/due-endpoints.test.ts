import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../../../../../tests/support/postgres/database.ts';
import { type TestDeliveries, testDeliveries } from '../../../../../tests/support/webhooks/deliveries.ts';
import { minuteMs } from '../../../../core/clock.ts';
import { Refusal } from '../../../../core/errors.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import { scan } from '../../delivery-queue/claim-statements.ts';
import { Claimer } from './claimer.ts';
import { DueEndpoints } from './due-endpoints.ts';

function dueEndpointsOn(database: Queryable, onScanFailed: (error: unknown) => void = () => {}): DueEndpoints {
  return new DueEndpoints({ database, clock: Date.now, onDue: () => {}, onScanFailed });
}

function claimerOf(due: DueEndpoints, database: Queryable): Claimer {
  return new Claimer({
    due,
    database,
    clock: Date.now,
    slots: 1,
    leaseMs: minuteMs,
    health: { reserveTrials: async () => new Map(), returnTrials: async () => {} } as never,
    isBehind: () => false,
    renew: () => false,
    onDue: () => {},
  });
}

test.each([
  ['a defect', new TypeError('rows is not iterable'), 1],
  ['an outage, which claims report,', new Refusal('database_unavailable', 'Away.'), 0],
])('%s that keeps endpoints from being scanned is reported as often as it should be', async (_what, error, reports) => {
  const reported: unknown[] = [];
  const database = {
    run: async (statement: unknown) => {
      if (statement === scan) throw error;
      return [];
    },
  } as Queryable;
  const due = dueEndpointsOn(database, (failure) => reported.push(failure));
  await claimerOf(due, database).claim(1, 'lease');
  await new Promise((resolve) => setImmediate(resolve));
  expect(reported).toHaveLength(reports);
});

describe('due endpoints are quiet', () => {
  let deliveries: TestDeliveries;
  let due: DueEndpoints;
  let claimer: Claimer;
  let scans = 0;

  beforeAll(async () => {
    deliveries = await testDeliveries();
  });

  beforeEach(() => {
    const { database } = deliveries.db;
    const counting: Queryable = {
      run: async (statement, values) => {
        const rows = await database.run(statement, values);
        if (statement.name === scan.name) scans++;
        return rows;
      },
    };
    due = dueEndpointsOn(counting);
    claimer = claimerOf(due, counting);
  });

  afterEach(() => deliveries.clean());
  afterAll(() => deliveries.close());

  /** Claims, and waits for the scan beside the claim. */
  async function claim(): Promise<number> {
    const before = scans;
    due.reset();
    const { length } = await claimer.claim(1, randomUUID());
    await eventually('all endpoints are scanned', () => scans > before);
    return length;
  }

  test('when no delivery that is due is open, and not before that was seen', async () => {
    const { endpointId } = await deliveries.subscribe(200);
    expect(due.isQuiet).toBe(false);
    await deliveries.enqueue(endpointId, 1, Date.now() + minuteMs);
    expect(await claim()).toBe(0);
    expect(due.isQuiet).toBe(true);
    due.reset();
    expect(due.isQuiet).toBe(false);
  });

  test.each([
    [
      'is leased by another node',
      `update delivery set lease = gen_random_uuid(), leased_until = now() + interval '1 minute'`,
    ],
    ['waits for a paused endpoint', `update webhook_endpoint set open_until = now() + interval '1 minute'`],
  ])('not while a delivery that is due %s', async (_what, hinder) => {
    const { endpointId } = await deliveries.subscribe(200);
    await deliveries.enqueue(endpointId, 1, Date.now() - minuteMs);
    await deliveries.db.query(hinder);
    expect(await claim()).toBe(0);
    expect(due.isIdle).toBe(true);
    expect(due.isQuiet).toBe(false);
  });
});
