import type { Queryable } from '../../../platform/postgres/database.ts';
import { operationsDue } from '../../payments/operation-queue/open.cte.ts';
import type { ClockKey, TestClockWork } from '../test-clocks/worker.ts';
import { hasPaymentsInProgress, invoicesDue } from './settlement/settle-statements.ts';

/** Payments of invoices have no due times; a test clock only waits until they have ended and are settled. */
export const invoiceTestClockWork: TestClockWork = {
  nextDueMs: async () => null,
  isInProgress: async (snapshot: Queryable, { tenantId, clockId }: ClockKey) => {
    const [row] = await snapshot.run(hasPaymentsInProgress, [tenantId, clockId]);
    return row?.under_way ?? false;
  },
  topics: [operationsDue, invoicesDue],
};
