import { dayMs, utcDay } from '../../../core/clock.ts';
import { failureLog } from '../../../platform/jobs/failure-log.ts';
import { rollupWorker } from '../../../platform/jobs/rollup-worker.ts';
import type { Module } from '../../../platform/module.ts';
import { deleteInBatches } from '../../../platform/postgres/delete-in-batches.ts';
import type { PaymentsApp } from '../app.ts';
import { rollUpLedger } from '../ledger/statements.ts';
import { deleteChargeHours, rollUpCharges } from '../operation-queue/statements.ts';
import { rollUpTransactionTotals } from '../transactions/totals/rollup.ts';
import { rollupsDue } from '../transactions/totals/totals.cte.ts';
import { statisticsChecks } from './integrity.ts';
import { statisticsRoutes } from './routes.ts';
import { recentRow, seriesRow, summary } from './schema.ts';

/** Eight days and some hours are read. */
const chargeHoursKeptMs = 10 * dayMs;

/** Counts and amounts of payments, and success rates of charges. Also runs the rollups of all payment totals. */
export const statistics = {
  name: 'statistics',
  tables: [],
  reference: [{ name: 'Statistics', description: 'Counts and amounts of payments, and success rates of charges.' }],
  resources: { 'statistics summary': summary, 'statistics row': seriesRow, 'recent charges': recentRow },
  routes: statisticsRoutes,
  workers: ({ workerDatabase, log }) => [
    rollupWorker(workerDatabase, [rollUpTransactionTotals, rollUpLedger, rollUpCharges], {
      wakesOn: rollupsDue,
      ...failureLog(log, 'Rolling up totals'),
    }),
  ],
  retention: ({ database }) => [
    {
      name: 'charges by hour',
      sweep: (nowMs) => deleteInBatches(database, deleteChargeHours, [utcDay(nowMs - chargeHoursKeptMs)]),
    },
  ],
  integrity: statisticsChecks,
} satisfies Module<PaymentsApp>;
