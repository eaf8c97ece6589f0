import { deliveryIdFrom } from '@florin/server/domains/webhooks/delivery-queue/enqueue.cte.ts';
import type { Bench } from './bench.ts';
import { request, stopProcess } from './processes/children.ts';
import type { Received } from './processes/receiver.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import type { Sample } from './rounds.ts';
import { sampleEventBody } from './sample-event.ts';
import type { Merchant, Service } from './service.ts';

/** Long enough to insert the deliveries and to let the machine become idle before they fall due. */
const dueInMs = 4_000;
const drainDeadlineMs = 60_000;
/** Sent to find the delivery rate when no measurement of this run has found it. */
const probeDeliveries = 20_000;

export interface Backlog {
  tenantId: number;
  endpointIds: readonly number[];
  /** Number of events; each has one delivery per endpoint. */
  events: number;
  /** When the first delivery falls due, in ms since the epoch. */
  dueMs: number;
  /** The deliveries fall due evenly within this time. */
  withinMs: number;
}

/**
 * Inserts events and open deliveries as creates would. Their ids begin with the millisecond in which they fall due, so
 * that a receiver can compute their latency.
 */
export async function writeBacklog(service: Service, backlog: Backlog): Promise<void> {
  const { tenantId, endpointIds, events, dueMs, withinMs } = backlog;
  await service.query(
    `with due as (
       select to_timestamp(($4::float8 + floor(number * $5::float8 / $3::int)) / 1000) as due_at
         from generate_series(0, $3::int - 1) as number
     ), event as (
       insert into event (tenant_id, id, type, object_id, created_at, body)
       select $1::bigint, uuidv7(due_at - clock_timestamp()), 'transaction.created',
              'txn_0190a5b1c2d37e4f8a6b1c2d3e4f5a6b', due_at, $6::text
         from due
       returning id, created_at
     )
     insert into delivery (tenant_id, id, event_id, endpoint_id, due_at, created_at)
     select $1, ${deliveryIdFrom('event.id')}, event.id, endpoint_id, created_at, created_at
       from event cross join unnest($2::bigint[]) as endpoint_id`,
    [tenantId, endpointIds, events, dueMs, withinMs, sampleEventBody],
  );
}

export async function registerEndpoint(service: Service, key: string, url: string): Promise<number> {
  const endpoint = { url, events: ['*'], secret: 'whsec_benchmarks' };
  const { id } = await service.call('POST', '/api/webhook/register', `ApiKey ${key}`, endpoint);
  return id;
}

/** Sends a backlog; returns deliveries per second, from the first received post to the last recorded result. */
export async function drain(
  service: Service,
  { tenantId }: Merchant,
  endpointId: number,
  receiver: Receiver,
  deliveries: number,
): Promise<Sample> {
  await service.empty();
  await request(receiver.process, { reset: true });
  const dueMs = Date.now() + dueInMs;
  await writeBacklog(service, { tenantId, endpointIds: [endpointId], events: deliveries, dueMs, withinMs: 1_000 });
  await service.query('vacuum analyze delivery');
  await service.query('vacuum analyze event');
  await service.query('checkpoint');
  const before = service.cpu();
  await waitUntil(async () => (await request<Received>(receiver.process, {})).posts >= deliveries);
  await waitUntil(async () => !(await hasOpenDeliveries(service)));
  const after = service.cpu();
  const { firstAtMs } = await request<Received>(receiver.process, {});
  const [last] = await service.query<{ ms: number; attempts: number }>(
    `select (select extract(epoch from max(finished_at)) * 1000 from delivery)::float8 as ms,
            (select count(*) from delivery_attempt where outcome = 'ok')::int as attempts`,
  );
  if (last?.attempts !== deliveries)
    throw new Error(`${last?.attempts} of ${deliveries} attempts were recorded as ok.`);
  return {
    value: deliveries / ((last.ms - firstAtMs) / 1000),
    cpu: {
      nodeUs: (after.nodeUs - before.nodeUs) / deliveries,
      postgresUs: (after.postgresUs - before.postgresUs) / deliveries,
    },
  };
}

/** The maximum number of deliveries per second, measured now unless this run has measured it before. */
export async function deliveryRate(bench: Bench): Promise<number> {
  if (bench.deliveriesPerSecond !== undefined) return bench.deliveriesPerSecond;
  const { service } = await bench.emptyShop();
  const receiver = await startReceiver();
  const merchant = await service.createMerchant('probe');
  const endpointId = await registerEndpoint(service, merchant.key, `http://127.0.0.1:${receiver.port}/`);
  const { value } = await drain(service, merchant, endpointId, receiver, probeDeliveries);
  await stopProcess(receiver.process);
  await service.empty();
  bench.deliveriesPerSecond = value;
  return value;
}

export async function hasOpenDeliveries(service: Service): Promise<boolean> {
  const [row] = await service.query<{ open: number }>(
    `select count(*)::int as open from (select 1 from delivery where state = 'OPEN' limit 1) as any_open`,
  );
  return (row?.open ?? 0) > 0;
}

export async function waitUntil(done: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + drainDeadlineMs;
  while (!(await done())) {
    if (performance.now() > deadline) throw new Error('The deliveries were not sent within a minute.');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
