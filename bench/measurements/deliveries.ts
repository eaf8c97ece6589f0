import type { Bench, Line } from '../bench.ts';
import { cpuRemark, perSecond } from '../format.ts';
import { ask, end, launchOwn } from '../processes/owned.ts';
import type { PostJob, PostResult } from '../processes/post-loop.ts';
import type { Received } from '../processes/receiver.ts';
import { type Receiver, startReceiver } from '../receiver.ts';
import { interleave, type Sample } from '../rounds.ts';
import { sampleEventBody } from '../sample-event.ts';
import type { Merchant, Service } from '../service.ts';

const rounds = 4;
const deliveriesPerRound = 40_000;
/** The service's own default. */
const inFlight = 64;
/** Long enough to write them and to let the machine calm down before they fall due. */
const dueInSeconds = 4;
const drainedWithinMs = 60_000;

/** Deliveries a second that one process claims, signs, sends and records, against undici's bare loop. */
export async function deliveries(bench: Bench): Promise<Line[]> {
  const { service } = await bench.emptyShop();
  const receiver = await startReceiver();
  const merchant = await service.makeMerchant('receiving');
  const endpoint = { url: `http://127.0.0.1:${receiver.port}/`, events: ['*'], secret: 'whsec_bench' };
  const { id } = await service.call('POST', '/api/webhook/register', `ApiKey ${merchant.key}`, endpoint);
  const loop = launchOwn('post-loop.ts');
  const { series, ratios, foreignCpus } = await interleave(rounds, [
    { name: 'deliveries', run: () => drain(service, merchant, id, receiver) },
    {
      name: 'bare undici loop',
      run: async () => {
        const job: PostJob = {
          port: receiver.port,
          posts: deliveriesPerRound,
          inFlight,
          headers,
          body: sampleEventBody,
        };
        const { perSecond: value, failures } = await ask<PostResult>(loop, job);
        if (failures > 0) throw new Error(`${failures} posts of the bare loop failed.`);
        return { value };
      },
    },
  ]);
  await service.empty();
  await Promise.all([end(receiver.process), end(loop)]);
  return [
    {
      measurement: 'deliveries',
      what: 'deliveries, signed and recorded ÷ bare undici loop',
      ours: perSecond(series[0]?.median),
      against: perSecond(series[1]?.median),
      figure: ratios[1] as number,
      goal: { atLeast: 0.6 },
      remark: cpuRemark(series, foreignCpus),
    },
  ];
}

/** From the first post received until the last result is recorded. */
async function drain(service: Service, merchant: Merchant, endpointId: number, receiver: Receiver): Promise<Sample> {
  await service.empty();
  await ask(receiver.process, { reset: true });
  await fillOutbox(service, merchant, endpointId);
  await service.query('vacuum analyze delivery');
  await service.query('vacuum analyze event');
  await service.query('checkpoint');
  const before = service.cpu();
  const received = async () => (await ask<Received>(receiver.process, {})).posts;
  await until(async () => (await received()) >= deliveriesPerRound);
  await until(async () => (await openDeliveries(service)) === 0);
  const after = service.cpu();
  const { firstAtMs } = await ask<Received>(receiver.process, {});
  const [last] = await service.query<{ ms: number; attempts: number }>(
    `select (select extract(epoch from max(finished_at)) * 1000 from delivery)::float8 as ms,
            (select count(*) from delivery_attempt where outcome = 'ok')::int as attempts`,
  );
  if (last?.attempts !== deliveriesPerRound) throw new Error(`${last?.attempts} attempts were recorded as ok.`);
  return {
    value: deliveriesPerRound / ((last.ms - firstAtMs) / 1000),
    cpu: {
      nodeUs: (after.nodeUs - before.nodeUs) / deliveriesPerRound,
      postgresUs: (after.postgresUs - before.postgresUs) / deliveriesPerRound,
    },
  };
}

/** Events and open deliveries as creates would have left them, due in a moment. */
async function fillOutbox(service: Service, { tenantId }: Merchant, endpointId: number): Promise<void> {
  await service.query(
    `with event as (
       insert into event (tenant_id, id, type, object_id, created_at, body)
       select $1::bigint, uuidv7(), 'transaction.created', 'txn_0190a5b1c2d37e4f8a6b1c2d3e4f5a6b', now(), $2::text
         from generate_series(1, $3::int)
       returning tenant_id, id, created_at
     )
     insert into delivery (tenant_id, id, event_id, endpoint_id, due_at, created_at)
     select tenant_id, uuidv7(), id, $4::bigint, clock_timestamp() + make_interval(secs => $5::float8), created_at
       from event`,
    [tenantId, sampleEventBody, deliveriesPerRound, endpointId, dueInSeconds],
  );
}

async function openDeliveries(service: Service): Promise<number> {
  const [row] = await service.query<{ open: number }>(
    `select count(*)::int as open from (select 1 from delivery where state = 'OPEN' limit 1) as any_open`,
  );
  return row?.open ?? 0;
}

async function until(done: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + drainedWithinMs;
  while (!(await done())) {
    if (performance.now() > deadline) throw new Error('The deliveries were not sent within a minute.');
    await new Promise((passed) => setTimeout(passed, 20));
  }
}

/** The headers of the service, with signatures that stand for real ones. */
const headers = Object.entries({
  'Content-Type': 'application/json',
  'User-Agent': 'Florin-Webhooks',
  Accept: '*/*',
  'Accept-Encoding': 'identity',
  'X-Service-Signature': 'b1946ac92492d2347c6235b4d2611184b1946ac92492d2347c6235b4d2611184',
  'X-Service-Event': 'transaction.created',
  'X-Service-Delivery': 'dlv_0190a5b1c2d37e4f8a6b1c2d3e4f5a6b',
  'webhook-id': 'evt_0190a5b1c2d37e4f8a6b1c2d3e4f5a6b',
  'webhook-timestamp': '1767225600',
  'webhook-signature': 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
}).flat();
