import type { Bench, Line } from '../../bench.ts';
import { milliseconds } from '../../report/format.ts';
import type { FlowShop } from './offered.ts';
import { closeFlowShop, limits, offer, openFlowShop } from './offered.ts';

/** A busy hour of a large shop, sent again. */
const replayedEvents = 800_000;
const ratePerSecond = 50;
const seconds = 60;

/**
 * Payments at a light load while a long replay of the same endpoint runs: neither charges nor posts may wait for it.
 */
export async function flowReplay(bench: Bench): Promise<Line[]> {
  const shop = await openFlowShop(bench, { answering: 1 });
  try {
    await offer(bench, shop, { ratePerSecond, seconds: 10 });
    const prepare = () => startReplay(shop);
    const { postP99Ms, successP99Ms, accepted, replayed } = await offer(bench, shop, {
      ratePerSecond,
      seconds,
      prepare,
    });
    if (replayed === 0) throw new Error('Nothing was replayed.');
    if (replayed >= replayedEvents) throw new Error('The replay had ended before the load did.');
    const comment =
      `${accepted.toFixed(0)} accepted a second; ${replayed} of ${replayedEvents} events were sent again ` +
      'meanwhile';
    const line = (what: string, p99Ms: number, atMost: number): Line => ({
      measurement: 'flow-replay',
      what: `p99 from ${what}, ${ratePerSecond} a second beside a replay`,
      ours: milliseconds(p99Ms),
      against: milliseconds(atMost),
      figure: p99Ms,
      goal: { atMost },
      comment,
    });
    return [
      line('event to post', postP99Ms, limits.postP99Ms),
      line('create to SUCCESS', successP99Ms, limits.successP99Ms),
    ];
  } finally {
    await closeFlowShop(shop);
  }
}

/** Makes the events of the last hour, and lets the endpoint be sent all of them. */
async function startReplay({ service, tenantId, key }: FlowShop): Promise<void> {
  await service.query(insertEvents, [tenantId, replayedEvents]);
  await service.query('vacuum analyze event');
  await service.waitUntilIdle();
  const [endpoint] = await service.query<{ id: string }>(
    'select id from webhook_endpoint where tenant_id = $1 and state',
    [tenantId],
  );
  const since = new Date(Date.now() - 2 * 3_600_000).toISOString();
  await service.call('POST', '/api/webhook/replay', `ApiKey ${key}`, { endpointId: Number(endpoint?.id), since });
}

/** Values: tenant, number of events. They end a minute ago; ids are UUIDv7 of their time, as those of the service. */
const insertEvents = `
  insert into event (tenant_id, livemode, id, type, object_id, created_at, body)
  select $1, false,
         overlay(overlay(gen_random_uuid()::text placing left(hex, 8) || '-' || right(hex, 4) || '-7' from 1 for 15)
                 placing '8' from 20 for 1)::uuid,
         'transaction.created', 'txn_' || number, to_timestamp(ms / 1000.0), '{}'
    from (select number, ms, lpad(to_hex(ms), 12, '0') as hex
            from generate_series(1, $2::bigint) as number,
                 lateral (
                   select floor(extract(epoch from now()) * 1000 - 60000 - number * 3600000.0 / $2)::bigint as ms
                 ) as moment) as event`;
