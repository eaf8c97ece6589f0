import { type FailureReports, Worker } from '../../../platform/jobs/worker.ts';
import type { Transactional } from '../../../platform/postgres/database.ts';
import { changeMethod, customerOf, type MethodChangeDeps } from './change.ts';
import { expiriesDue, expiryDue, findDueExpiries } from './expiry-statements.ts';
import { lockedMethod } from './read.ts';
import type { MethodRow } from './record.ts';
import { monthOf, nextExpiryStep } from './rules.ts';

export interface ExpiryWorkerDeps extends MethodChangeDeps, FailureReports {
  database: Transactional;
}

const maximumBatch = 100;

/**
 * Sends `payment_method.expiring` 30 days before the printed month of a card ends, and makes the card EXPIRED once that
 * month is over everywhere on earth. Each method is changed under its lock, so that no node does it twice.
 */
export function expiryWorker(deps: ExpiryWorkerDeps): Worker<MethodRow> {
  const { database, clock, onError, onRecovered } = deps;
  return new Worker<MethodRow>({
    name: 'expiries',
    dueWork: { topic: expiriesDue, due: expiryDue },
    claim: async (room) => {
      const due = await database.run(findDueExpiries, [clock(), Math.min(room, maximumBatch)]);
      for (const row of due) await step(row, deps);
      return due;
    },
    slots: maximumBatch,
    onError,
    onRecovered,
  });
}

async function step(row: MethodRow, deps: ExpiryWorkerDeps): Promise<void> {
  await deps.database.transaction(async (transaction) => {
    await deps.methodCustomers.lock(transaction, customerOf(row));
    const before = await lockedMethod(transaction, row);
    const next = nextExpiryStep(before, deps.clock());
    if (next === null || next.atMs > deps.clock()) return;
    if (next.step === 'expire') await changeMethod(transaction, before, { status: 'EXPIRED' }, deps);
    else {
      const change = { expiring_told: monthOf(before) };
      await changeMethod(transaction, before, change, deps, ['payment_method.expiring']);
    }
  });
}
