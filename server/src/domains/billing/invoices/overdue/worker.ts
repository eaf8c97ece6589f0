import { type Clock, dayMs } from '../../../../core/clock.ts';
import type { GenerateUuid } from '../../../../core/id.ts';
import { type FailureReports, Worker } from '../../../../platform/jobs/worker.ts';
import type { Database } from '../../../../platform/postgres/database.ts';
import { realClockId } from '../../test-clocks/rules.ts';
import type { TestClockWork } from '../../test-clocks/worker.ts';
import { appendInvoiceEvents } from '../events.ts';
import {
  clocksWithOverdueInvoices,
  markOverdue,
  nextDueDate,
  overdueInvoiceDue,
  overdueInvoicesDue,
} from './statements.ts';

export interface OverdueWorkerDeps extends FailureReports {
  database: Database;
  clock: Clock;
  generateUuid: GenerateUuid;
}

/** Invoices in one transaction. */
const batchSize = 200;

/**
 * Finds OPEN invoices whose due date has passed and reports each once with `invoice.overdue`. One transaction writes
 * the mark and the event, so no lease is needed: after a crash the invoice is found again.
 */
export function overdueInvoiceWorker(deps: OverdueWorkerDeps): Worker<object> {
  const { database, clock, onError, onRecovered } = deps;
  return new Worker({
    name: 'overdue invoices',
    dueWork: { topic: overdueInvoicesDue, due: overdueInvoiceDue },
    claim: async () => {
      let found = await reportOverdue(realClockId, clock(), deps);
      for (const { id, now_at } of await database.run(clocksWithOverdueInvoices)) {
        found += await reportOverdue(id, Date.parse(now_at), deps);
      }
      return found > 0 ? [{}] : [];
    },
    slots: 1,
    onError,
    onRecovered,
  });
}

function reportOverdue(clockId: number, nowMs: number, { database, generateUuid }: OverdueWorkerDeps): Promise<number> {
  return database.transaction(async (transaction) => {
    const rows = await transaction.run(markOverdue, [clockId, nowMs, batchSize]);
    const events = rows.map((invoice) => ({ type: 'invoice.overdue' as const, invoice }));
    await appendInvoiceEvents(transaction, events, generateUuid);
    return rows.length;
  });
}

/** Invoices become overdue at the end of their due date, in UTC. */
export const overdueTestClockWork: TestClockWork = {
  nextDueMs: async (snapshot, { clockId }) => {
    const [row] = await snapshot.run(nextDueDate, [clockId]);
    return row?.day == null ? null : Date.parse(row.day) + dayMs;
  },
  isInProgress: async () => false,
  topics: [overdueInvoicesDue],
};
