import type { Bench, Line } from '../../bench.ts';
import { measureCreateToPost } from '../../delivery-latency.ts';
import { deliveryRate, registerEndpoint, writeBacklog } from '../../outbox.ts';
import { stopProcess } from '../../processes/children.ts';
import { loopbackAddresses, type Receiver, startTimedReceiver } from '../../receiver.ts';
import { milliseconds, perSecond } from '../../report/format.ts';
import { createRequests } from '../../requests.ts';
import { Service } from '../../service.ts';
import { openShop } from '../../shop.ts';

const healthyEndpoints = 100;
/** One half hangs, the other half refuses connections. */
const deadEndpoints = 9_900;
const registeredAtOnce = 64;
/** The backlog of each endpoint when the measurement begins, and its age. */
const backlogPerEndpoint = 10;
const backlogAgeMs = 3_600_000;
const shareOfRate = 1 / 20;
const seconds = 20;

/**
 * Measures the latency of posts to 100 healthy endpoints among 10,000, each a separate origin. Half of the others
 * refuse connections, half accept them and never respond. Each endpoint has a backlog of ten deliveries that is up to
 * an hour old, as after an outage, and the service has just been restarted, so that it knows nothing about the
 * endpoints. Payments are created at a rate that needs a twentieth of the maximum delivery rate; all healthy endpoints
 * receive their events.
 */
export async function manyEndpoints(bench: Bench): Promise<Line[]> {
  const createsPerSecond = Math.max(1, ((await deliveryRate(bench)) * shareOfRate) / healthyEndpoints);
  const { service: seeding, merchant, channelId } = await openShop();
  const healthy = loopbackAddresses(20, healthyEndpoints);
  const hanging = loopbackAddresses(21, deadEndpoints / 2);
  // No process listens at these addresses.
  const refusing = loopbackAddresses(64, deadEndpoints / 2);
  const dead = await seeding.createMerchant('dead');
  const receiver = await startTimedReceiver({ answering: healthy, hanging });
  const mixed = hanging.flatMap((address, i) => [address, refusing[i] as string]);
  const deadIds = await registerAll(seeding, dead.key, mixed, receiver);
  const healthyIds = await registerAll(seeding, merchant.key, healthy, receiver);
  const backlog = { events: backlogPerEndpoint, dueMs: Date.now() - backlogAgeMs, withinMs: backlogAgeMs / 2 };
  await writeBacklog(seeding, { ...backlog, tenantId: dead.tenantId, endpointIds: deadIds });
  await writeBacklog(seeding, { ...backlog, tenantId: merchant.tenantId, endpointIds: healthyIds });
  for (const table of ['delivery', 'event', 'webhook_endpoint']) await seeding.query(`analyze ${table}`);
  await seeding.stop({ keepData: true });
  const service = await Service.start(seeding.dataDir);
  const requests = createRequests(merchant.key, channelId);
  const createLoad = { requests, createsPerSecond, seconds, endpoints: healthyEndpoints };
  const { posts, firstPosts, backlogPosts } = await measureCreateToPost(bench, service, receiver, createLoad);
  const attempts = await summarizeAttempts(service, dead.tenantId);
  await service.stop();
  await stopProcess(receiver.process);
  return [
    {
      measurement: 'many-endpoints',
      what: 'p99 from create to post, 100 healthy among 9,900 dead endpoints with a backlog, s',
      ours: milliseconds(posts.p99Ms),
      against: `median ${milliseconds(posts.medianMs)}`,
      figure: posts.p99Ms / 1000,
      goal: { atMost: 2 },
      comment:
        `${posts.count} posts at ${perSecond(createsPerSecond * healthyEndpoints)}, ` +
        `the latest after ${milliseconds(posts.longestMs)}; the first to each endpoint after ` +
        `${milliseconds(firstPosts.medianMs)}, at most ${milliseconds(firstPosts.longestMs)}; ` +
        `${backlogPosts} of ${healthyEndpoints * backlogPerEndpoint} of their backlog sent; ${attempts}`,
    },
  ];
}

async function registerAll(
  service: Service,
  key: string,
  addresses: readonly string[],
  { port }: Receiver,
): Promise<number[]> {
  const ids: number[] = [];
  const left = addresses.toReversed();
  const register = async () => {
    for (let address = left.pop(); address !== undefined; address = left.pop()) {
      ids.push(await registerEndpoint(service, key, `http://${address}:${port}/${address}`));
    }
  };
  await Promise.all(Array.from({ length: registeredAtOnce }, register));
  return ids;
}

/** Delivery attempts at the dead endpoints so far. */
async function summarizeAttempts(service: Service, tenantId: number): Promise<string> {
  const [row] = await service.query<{ refused: number; timed_out: number; tried: number; paused: number }>(
    `select (select count(*) from delivery_attempt where tenant_id = $1 and outcome = 'refused')::int as refused,
            (select count(*) from delivery_attempt where tenant_id = $1 and outcome = 'timeout')::int as timed_out,
            (select count(distinct endpoint_id) from delivery where tenant_id = $1 and claims > 0)::int as tried,
            (select count(*) from webhook_endpoint where tenant_id = $1 and open_until is not null)::int as paused`,
    [tenantId],
  );
  return (
    `${row?.tried} dead endpoints tried, ${row?.refused} attempts refused, ${row?.timed_out} timed out, ` +
    `${row?.paused} endpoints paused`
  );
}
