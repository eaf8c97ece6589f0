import { failureLog } from '../../../platform/jobs/failure-log.ts';
import { rollupWorker } from '../../../platform/jobs/rollup-worker.ts';
import type { Module } from '../../../platform/module.ts';
import type { PaymentsApp } from '../app.ts';
import { rollUpLedger } from '../ledger/statements.ts';
import { rollUpCharges } from '../operation-queue/statements.ts';
import { rollUpTransactionTotals } from '../transactions/totals/rollup.ts';
import { rollupsDue } from '../transactions/totals/totals.cte.ts';
import { statisticsChecks } from './integrity.ts';
import { statisticsRoutes } from './routes.ts';
import { seriesRow, summary } from './schema.ts';

/** Counts and amounts of payments, and success rates of charges. Also runs the rollups of all payment totals. */
export const statistics = {
  name: 'statistics',
  tables: [],
  reference: [{ name: 'Statistics', description: 'Counts and amounts of payments, and success rates of charges.' }],
  resources: { 'statistics summary': summary, 'statistics row': seriesRow },
  routes: statisticsRoutes,
  workers: ({ workerDatabase, log }) => [
    rollupWorker(workerDatabase, [rollUpTransactionTotals, rollUpLedger, rollUpCharges], {
      wakesOn: rollupsDue,
      ...failureLog(log, 'Rolling up totals'),
    }),
  ],
  integrity: statisticsChecks,
} satisfies Module<PaymentsApp>;
