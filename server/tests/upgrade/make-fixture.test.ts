import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { rollUpTransactionTotals } from '../../src/domains/payments/transactions/totals/rollup.ts';
import { billingSteps } from '../contract/fixture/billing-steps.ts';
import { identitySteps } from '../contract/fixture/identity-steps.ts';
import { paymentSteps } from '../contract/fixture/payment-steps.ts';
import { sendSteps } from '../contract/fixture/send-steps.ts';
import { webhookSteps } from '../contract/fixture/webhook-steps.ts';
import { administratorOf, dataOf, makeChannel, makePayment } from '../support/factories.ts';
import { arrangeChannels, paymentsNode, principalOf } from '../support/payments/payments.ts';
import { databaseFromTemplate, type TestDatabase } from '../support/postgres/database.ts';
import { florinOn } from '../support/service/florin.ts';
import { dumpOf } from './fixture/dump.ts';
import { environment } from './fixture/environment.ts';
import { readBack } from './fixture/read-back.ts';

/**
 * Makes the fixture of a release, once, with its code: `UPGRADE_FIXTURE=0001 npm test -- server/tests/upgrade`. It is
 * never made again, because later code cannot write the schema of that release.
 */
const release = process.env.UPGRADE_FIXTURE;

test.skipIf(release === undefined)('makes the fixture of this release', async () => {
  const db = await databaseFromTemplate();
  await makeBusyDay(db);
  const florin = await florinOn(db, environment);
  await sendSteps(florin.address, [...identitySteps, ...paymentSteps, ...billingSteps, ...webhookSteps]);
  dataOf(await florin.post('/api/user/forgot-password', { email: 'ann@bakery.example' }));
  await florin.stop();
  const recordedAtMs = Date.now();
  // Without workers: work that is due, and changes of totals that are not rolled up.
  const api = await florinOn(db, { ...environment, APP_ROLE: 'api' }, () => recordedAtMs);
  const admin = await administratorOf(api);
  const id = await makePayment(api, admin, await makeChannel(api, admin));
  dataOf(await api.post('/api/transaction/update', { id, status: 'SUCCESS' }, admin));
  await makeRareRows(db);
  const answers = await readBack(api, admin);
  const dump = await dumpOf(db);
  await api.stop();
  await db.drop();
  expect(dump).not.toMatch(/is empty/);
  const file = (ending: string) => new URL(`./fixture/release-${release}.${ending}`, import.meta.url);
  writeFileSync(file('sql'), dump);
  writeFileSync(file('json'), `${JSON.stringify({ recordedAtMs, answers })}\n`);
});

/** Payments enough for the buckets of a busy day. */
async function makeBusyDay(db: TestDatabase): Promise<void> {
  await arrangeChannels(db);
  let nowMs = Date.parse('2026-01-31T12:00:00Z');
  const node = await paymentsNode(db, () => {
    nowMs += 500;
    return nowMs;
  });
  for (let i = 0; i < 12; i++) {
    await node.create({ amount: 5 + i, currency: 'JPY', channelId: 11 }, principalOf(1, 7));
    if (i % 3 === 0) await rollUpTransactionTotals(db.database, 4);
  }
  await node.stop();
  await db.query(`update channel set code = 'arranged-' || id`);
  // The arranged rows have ids of their own.
  await db.query(
    `select setval(pg_get_serial_sequence(name, 'id'), 100) from unnest(array['tenant', 'channel']) as name`,
  );
}

/** Rows that exist only briefly, or after faults. */
async function makeRareRows({ query }: TestDatabase): Promise<void> {
  await query(`insert into delivery_sweep (before_id) values ('01900000-0000-7000-8000-000000000000')
    on conflict do nothing`);
  await query('insert into endpoint_rate values (999, 4, 0, 1) on conflict do nothing');
  await query(`insert into charge_total_delta (tenant_id, day, channel_id, currency, outcome, count)
    select tenant_id, day, channel_id, currency, outcome, change
      from (select * from charge_total limit 1) as total, unnest(array[1, -1]) as change`);
  await query(`insert into provider_callback (channel_id, event_id, id, received_at, state, due_at, settled_at)
    values (11, 'unknown', '01900000-0000-7000-8000-000000000001', '2026-01-31', 'IGNORED', '2026-01-31',
        '2026-01-31')`);
  await query(`insert into discrepancy (tenant_id, transaction_id, number, channel_id, said, state, due_at, opened_at,
      closed_at)
    select tenant_id, id, 1, channel_id, 'FAILED', 'AGREES', '2026-01-31', '2026-01-31', '2026-01-31'
      from transaction where status = 'SUCCESS' limit 1`);
}
