import type { Bench, Line } from '../../bench.ts';
import { waitForPosts } from '../../delivery-latency.ts';
import { deliveryRate, registerEndpoint, writeBacklog } from '../../outbox.ts';
import { request, stopProcess } from '../../processes/children.ts';
import { loopbackAddresses, type Receiver, startTimedReceiver } from '../../receiver.ts';
import { milliseconds, perSecond } from '../../report/format.ts';
import { interleave, median, type Series } from '../../rounds.ts';
import type { Merchant, Service } from '../../service.ts';

const rounds = 3;
const seconds = 4;
const shareOfRate = 1 / 5;
const merchants = 10;
const endpointsEach = 5;
const hangingDeliveries = 100_000;
/** Time to insert deliveries before they fall due: for healthy endpoints, and for the hanging endpoint. */
const dueInMs = 1_000;
const hangingDueInMs = 3_000;
/** The time right after the deliveries of the hanging endpoint have come due. */
const floodSeconds = 2;

/**
 * Measures the latency of posts to 50 healthy endpoints, from the due time to the arrival, with and without another
 * endpoint that hangs with 100,000 due deliveries. Deliveries fall due evenly at a fifth of the maximum delivery rate
 * and are inserted beforehand, so that the service does nothing but send. Each endpoint is a separate origin.
 */
export async function isolation(bench: Bench): Promise<Line[]> {
  const ratePerSecond = (await deliveryRate(bench)) * shareOfRate;
  const { service } = await bench.emptyShop();
  const [hanging = '', ...healthy] = loopbackAddresses(10, 1 + merchants * endpointsEach);
  const receiver = await startTimedReceiver({ answering: healthy, hanging: [hanging] });
  const subscribers = await subscribe(service, healthy, receiver);
  const hangingMerchant = await service.createMerchant('hanging');
  const p99 = (dueMs: number, durationSeconds = seconds) =>
    measureDueToPost(service, receiver, subscribers, ratePerSecond, dueMs, durationSeconds);
  await p99(Date.now() + dueInMs);
  const p99sInFlood: number[] = [];
  const { series, ratios, otherCpus } = await interleave(rounds, [
    {
      name: 'beside one that hangs',
      run: async () => {
        await emptyAndWait(service);
        const dueMs = Date.now() + hangingDueInMs;
        await hang(service, hangingMerchant, `http://${hanging}:${receiver.port}/`, dueMs);
        p99sInFlood.push(await p99(dueMs, floodSeconds));
        await service.waitUntilIdle();
        const value = await p99(Date.now() + dueInMs);
        await request(receiver.process, { closeHanging: true });
        return { value };
      },
    },
    {
      name: 'alone',
      run: async () => {
        await emptyAndWait(service);
        return { value: await p99(Date.now() + dueInMs) };
      },
    },
  ]);
  await service.query('update webhook_endpoint set state = false');
  await service.empty();
  await stopProcess(receiver.process);
  const [ours, against] = series;
  return [
    {
      measurement: 'isolation',
      what: 'p99 from due to post at 50 endpoints, beside one that hangs with 10⁵ due ÷ alone',
      ours: milliseconds(ours?.median as number),
      against: milliseconds(against?.median as number),
      figure: ratios[1] as number,
      goal: { atMost: 1.05 },
      comment:
        `${perSecond(ratePerSecond)}; rounds ${roundedMs(ours)} | ${roundedMs(against)} ms; ` +
        `right after the 10⁵ come due ${milliseconds(median(p99sInFlood))}; others used ` +
        `${otherCpus.toFixed(2)} CPU`,
    },
  ];
}

/** Endpoint ids by tenant id. */
type EndpointsByTenant = Map<number, number[]>;

async function subscribe(
  service: Service,
  addresses: readonly string[],
  { port }: Receiver,
): Promise<EndpointsByTenant> {
  const subscribers: EndpointsByTenant = new Map();
  for (let i = 0; i < merchants; i++) {
    const { tenantId, key } = await service.createMerchant(`healthy-${i}`);
    const ids: number[] = [];
    for (const address of addresses.slice(i * endpointsEach, (i + 1) * endpointsEach)) {
      ids.push(await registerEndpoint(service, key, `http://${address}:${port}/`));
    }
    subscribers.set(tenantId, ids);
  }
  return subscribers;
}

/** The p99 latency in ms of posts to the healthy endpoints. Deliveries fall due evenly from `notBeforeMs` or now on. */
async function measureDueToPost(
  service: Service,
  receiver: Receiver,
  subscribers: EndpointsByTenant,
  ratePerSecond: number,
  notBeforeMs: number,
  durationSeconds: number,
): Promise<number> {
  await request(receiver.process, { reset: true });
  const dueMs = Math.max(notBeforeMs, Date.now());
  const events = Math.max(1, Math.round((ratePerSecond * durationSeconds) / merchants / endpointsEach));
  for (const [tenantId, endpointIds] of subscribers) {
    await writeBacklog(service, { tenantId, endpointIds, events, dueMs, withinMs: durationSeconds * 1000 });
  }
  const { posts } = await waitForPosts(receiver, events * merchants * endpointsEach);
  return posts.p99Ms;
}

async function emptyAndWait(service: Service): Promise<void> {
  await service.empty();
  await service.waitUntilIdle();
}

/** Registers a hanging endpoint and inserts its deliveries, all due at once. A new one per round has no history. */
async function hang(service: Service, { key, tenantId }: Merchant, url: string, dueMs: number): Promise<void> {
  const endpointId = await registerEndpoint(service, key, url);
  await writeBacklog(service, { tenantId, endpointIds: [endpointId], events: hangingDeliveries, dueMs, withinMs: 0 });
  for (const table of ['delivery', 'event']) await service.query(`analyze ${table}`);
}

function roundedMs(series: Series | undefined): string | undefined {
  return series?.values.map((ms) => ms.toFixed(0)).join(', ');
}
