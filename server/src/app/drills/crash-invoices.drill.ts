import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeCustomer, makeDraft, makeInvoice } from '../../testing/billing/invoices.ts';
import { dataOf, makeChannel } from '../../testing/cast.ts';
import { eventually } from '../../testing/postgres/database.ts';
import { administratorPassword, type Reply } from '../../testing/service/florin.ts';
import { type ReadyService, startService } from '../../testing/service/service-process.ts';

/** Kills the service while it works on invoices: no number is skipped or used twice, each is paid and reported once. */

let dataDir: string;
let service: ReadyService;
let as: string;
let channelId: number;
let customerId: number;

async function start(drill?: string): Promise<void> {
  const environment = {
    PORT: '0',
    APP_DATA_DIR: dataDir,
    APP_ADMIN_PASSWORD: administratorPassword,
    ...(drill !== undefined && { APP_DRILL_FAIL_POINT: drill }),
  };
  service = await startService({ environment });
  as = await service.login('admin', administratorPassword);
}

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'florin-crash-invoices-'));
  await start();
  channelId = await makeChannel(service, as, { provider: 'sandbox' });
  customerId = await makeCustomer(service, as, { defaultChannelId: channelId });
});

afterAll(async () => {
  await service.end('SIGTERM');
  await rm(dataDir, { recursive: true, force: true });
});

const detail = async (id: number) => dataOf(await service.get(`/api/invoice/detail?id=${id}`, as));
const eventsOf = async (id: number) =>
  dataOf(await service.get(`/api/event/list?objectId=inv_${id}`, as)).map(({ type }: { type: string }) => type);
/** The replies that arrived before the service was killed. */
const answered = async (requests: Promise<Reply>[]) =>
  (await Promise.allSettled(requests)).flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));

test.each(['begun', 'settled'])('killed at %s, every invoice is paid once, and reported once', async (drill) => {
  const ids = await Promise.all(Array.from({ length: 4 }, () => makeInvoice(service, as, customerId)));
  await service.end('SIGTERM');
  await start(drill);
  await answered(ids.map((id) => service.post('/api/invoice/pay', { id }, as)));
  expect(await service.ended).toEqual({ code: null, signal: 'SIGKILL' });
  await start();
  for (const id of ids) {
    // A payment without a reply may have begun or not: paying again is refused, or charges the rest.
    await service.post('/api/invoice/pay', { id }, as);
    const invoice = await eventually(`invoice ${id} is paid`, async () => {
      const one = await detail(id);
      return one.status === 'PAID' && one;
    });
    expect(invoice).toMatchObject({ amountPaid: 1000, amountUnderWay: 0 });
    expect(invoice.payments).toHaveLength(1);
    expect((await eventsOf(id)).toSorted()).toEqual(['invoice.created', 'invoice.finalized', 'invoice.paid']);
  }
});

test('killed while many are finalized, numbers have no gaps, and acknowledged ones stay', async () => {
  const before = dataOf(await service.get('/api/invoice/list?pageSize=100&livemode=false', as)).length;
  const ids = await Promise.all(Array.from({ length: 40 }, () => makeDraft(service, as, customerId)));
  const finalize = ids.map((id) => service.post('/api/invoice/finalize', { id }, as));
  await Promise.race(finalize);
  await service.end('SIGKILL');
  const taken = (await answered(finalize)).map((reply) => dataOf(reply));
  await start();
  for (const { id, number } of taken) expect(await detail(id)).toMatchObject({ status: 'OPEN', number });
  for (const id of ids) await service.post('/api/invoice/finalize', { id }, as);
  const all = dataOf(await service.get('/api/invoice/list?pageSize=100&livemode=false', as));
  const numbers = all.map(({ number }: { number: string }) => number).toSorted();
  expect(numbers).toEqual(Array.from({ length: before + 40 }, (_, i) => `TEST-${String(i + 1).padStart(6, '0')}`));
});
