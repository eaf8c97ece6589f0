import { expect, test } from 'vitest';
import { eventually } from '../../../tests/support/postgres/database.ts';
import type { Database } from '../postgres/database.ts';
import { rollupWorker } from './rollup-worker.ts';

test('a failure is reported once until all rollups have succeeded, and stops no other', async () => {
  const ran: string[] = [];
  const rollUp = (name: string) => async () => {
    ran.push(name);
    if (ran.length <= 4) throw new Error(`${name} is away`);
  };
  const reports: string[] = [];
  const worker = rollupWorker({} as Database, [rollUp('payments'), rollUp('ledger')], {
    wakesOn: 'rollups',
    onError: (error) => reports.push((error as Error).message),
    onRecovered: () => reports.push('recovered'),
  });
  worker.start();
  await eventually('three runs', () => reports.includes('recovered'));
  await worker.stop();
  expect(ran).toEqual(['payments', 'ledger', 'payments', 'ledger', 'payments', 'ledger']);
  expect(reports).toEqual(['Error: payments is away; Error: ledger is away', 'recovered']);
});
