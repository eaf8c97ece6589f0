import type { Bench, Line } from '../bench.ts';
import { milliseconds, perSecond } from '../format.ts';
import { arrivedAll } from '../lateness.ts';
import { deliveryRate, registerEndpoint, until, writeBacklog } from '../outbox.ts';
import { ask, end } from '../processes/owned.ts';
import { loopbackAddresses, type Receiver, startTimedReceiver } from '../receiver.ts';
import { interleave, median, type Series } from '../rounds.ts';
import type { Merchant, Service } from '../service.ts';

const rounds = 3;
const seconds = 4;
const shareOfRate = 1 / 5;
const merchants = 10;
const endpointsEach = 5;
const stuckDeliveries = 100_000;
/** To write deliveries before they fall due: those of the healthy ones, and those of the one that hangs. */
const dueInMs = 1_000;
const stuckDueInMs = 3_000;
/** While the deliveries of the hanging endpoint are being parked, which takes a second or two. */
const arrivingSeconds = 2;
/** With fewer than this many left in the common queue, the rest has been parked. */
const leftInQueue = 300;

/**
 * How late posts to 50 healthy endpoints are, from the moment a delivery falls due until its post has arrived: beside one
 * more endpoint that hangs with 100,000 deliveries due behind it, against the same without it. They fall due evenly, a
 * fifth of the deliveries a second there can be, written beforehand; so nothing but sending goes on. Each endpoint is an
 * origin of its own.
 */
export async function isolation(bench: Bench): Promise<Line[]> {
  const ratePerSecond = (await deliveryRate(bench)) * shareOfRate;
  const { service } = await bench.emptyShop();
  const [hanging = '', ...healthy] = loopbackAddresses(10, 1 + merchants * endpointsEach);
  const receiver = await startTimedReceiver({ answering: healthy, hanging: [hanging] });
  const told = await subscribe(service, healthy, receiver);
  const stuck = await service.makeMerchant('hanging');
  const p99 = (dueMs: number, lasting = seconds) =>
    latenessOfDue(service, receiver, told, ratePerSecond, dueMs, lasting);
  await p99(Date.now() + dueInMs);
  const arriving: number[] = [];
  const { series, ratios, foreignCpus } = await interleave(rounds, [
    {
      name: 'beside one that hangs',
      run: async () => {
        await comeToRest(service);
        const dueMs = Date.now() + stuckDueInMs;
        await hang(service, stuck, `http://${hanging}:${receiver.port}/`, dueMs);
        arriving.push(await p99(dueMs, arrivingSeconds));
        await until(() => isAside(service));
        await service.settled();
        const value = await p99(Date.now() + dueInMs);
        await ask(receiver.process, { letGo: true });
        return { value };
      },
    },
    {
      name: 'alone',
      run: async () => {
        await comeToRest(service);
        return { value: await p99(Date.now() + dueInMs) };
      },
    },
  ]);
  await service.query('update webhook_endpoint set state = false');
  await service.empty();
  await end(receiver.process);
  const [ours, against] = series;
  return [
    {
      measurement: 'isolation',
      what: 'p99 from due to post at 50 endpoints, beside one that hangs with 10⁵ due ÷ alone',
      ours: milliseconds(ours?.median as number),
      against: milliseconds(against?.median as number),
      figure: ratios[1] as number,
      goal: { atMost: 1.05 },
      remark: `${perSecond(ratePerSecond)}; rounds ${each(ours)} | ${each(against)} ms; while the 10⁵ are being parked ${milliseconds(median(arriving))}; others used ${foreignCpus.toFixed(2)} CPU`,
    },
  ];
}

const each = (series: Series | undefined) => series?.values.map((ms) => ms.toFixed(0)).join(', ');

/** Endpoints by the tenant they are registered by. */
type Told = Map<number, number[]>;

async function subscribe(service: Service, addresses: readonly string[], { port }: Receiver): Promise<Told> {
  const told: Told = new Map();
  for (let i = 0; i < merchants; i++) {
    const { tenantId, key } = await service.makeMerchant(`healthy-${i}`);
    const ids: number[] = [];
    for (const address of addresses.slice(i * endpointsEach, (i + 1) * endpointsEach)) {
      ids.push(await registerEndpoint(service, key, `http://${address}:${port}/`));
    }
    told.set(tenantId, ids);
  }
  return told;
}

/** The 99th percentile of how late posts are to the healthy ones, of deliveries that fall due evenly from a moment on. */
async function latenessOfDue(
  service: Service,
  receiver: Receiver,
  told: Told,
  ratePerSecond: number,
  wantedMs: number,
  lasting: number,
): Promise<number> {
  await ask(receiver.process, { reset: true });
  const dueMs = Math.max(wantedMs, Date.now());
  const events = Math.max(1, Math.round((ratePerSecond * lasting) / merchants / endpointsEach));
  for (const [tenantId, endpointIds] of told) {
    await writeBacklog(service, { tenantId, endpointIds, events, dueMs, withinMs: lasting * 1000 });
  }
  const { posts } = await arrivedAll(receiver, events * merchants * endpointsEach);
  return posts.p99Ms;
}

/** An endpoint nothing is known of yet, so that each round finds the same, and what falls due for it all at once. */
async function hang(service: Service, { key, tenantId }: Merchant, url: string, dueMs: number): Promise<void> {
  const endpointId = await registerEndpoint(service, key, url);
  await writeBacklog(service, { tenantId, endpointIds: [endpointId], events: stuckDeliveries, dueMs, withinMs: 0 });
  for (const table of ['delivery', 'event']) await service.query(`analyze ${table}`);
}

async function comeToRest(service: Service): Promise<void> {
  await service.empty();
  await service.settled();
}

async function isAside(service: Service): Promise<boolean> {
  const [row] = await service.query<{ left: number }>(
    `select count(*)::int as left
       from (select 1 from delivery where state = 'OPEN' and not aside limit ${leftInQueue}) as queued`,
  );
  return (row?.left ?? 0) < leftInQueue;
}
