import { type Bench, type Line, openShop } from '../bench.ts';
import { milliseconds, perSecond } from '../format.ts';
import { latenessOfCreates } from '../lateness.ts';
import { deliveryRate, registerEndpoint, writeBacklog } from '../outbox.ts';
import { end } from '../processes/owned.ts';
import { loopbackAddresses, type Receiver, startTimedReceiver } from '../receiver.ts';
import { createRequests } from '../requests.ts';
import { Service } from '../service.ts';

const healthyEndpoints = 100;
/** As many hang as refuse. */
const deadEndpoints = 9_900;
const registeredAtOnce = 64;
/** Deliveries that wait for each endpoint, and since when. */
const waitingEach = 10;
const waitingSinceMs = 3_600_000;
const shareOfRate = 1 / 20;
const seconds = 20;

/**
 * 10,000 endpoints, each an origin of its own, of which one in a hundred answers; half the others refuse connections,
 * half accept them and never answer. Ten deliveries wait for each of them since an hour ago, as after a standstill, and
 * the service is started anew, so that it knows of none of them how they answer. From then on payments are taken, each told
 * to all healthy ones, as many as make for a twentieth of the deliveries a second there can be; it is measured how late
 * they hear of them.
 */
export async function manyEndpoints(bench: Bench): Promise<Line[]> {
  const createsPerSecond = Math.max(1, ((await deliveryRate(bench)) * shareOfRate) / healthyEndpoints);
  const { service: former, merchant, channelId } = await openShop();
  const healthy = loopbackAddresses(20, healthyEndpoints);
  const hanging = loopbackAddresses(21, deadEndpoints / 2);
  // Nobody listens there.
  const refusing = loopbackAddresses(64, deadEndpoints / 2);
  const dead = await former.makeMerchant('dead');
  const receiver = await startTimedReceiver({ answering: healthy, hanging });
  const mixed = hanging.flatMap((address, i) => [address, refusing[i] as string]);
  const deadIds = await registerAll(former, dead.key, mixed, receiver);
  const healthyIds = await registerAll(former, merchant.key, healthy, receiver);
  const waiting = { events: waitingEach, dueMs: Date.now() - waitingSinceMs, withinMs: waitingSinceMs / 2 };
  await writeBacklog(former, { ...waiting, tenantId: dead.tenantId, endpointIds: deadIds });
  await writeBacklog(former, { ...waiting, tenantId: merchant.tenantId, endpointIds: healthyIds });
  for (const table of ['delivery', 'event', 'webhook_endpoint']) await former.query(`analyze ${table}`);
  await former.stop({ keepData: true });
  const service = await Service.start(former.dataDir);
  const requests = createRequests(merchant.key, channelId);
  const creating = { requests, createsPerSecond, seconds, endpoints: healthyEndpoints };
  const { posts, firsts, earlier } = await latenessOfCreates(bench, service, receiver, creating);
  const dealings = await dealingsWith(service, dead.tenantId);
  await service.stop();
  await end(receiver.process);
  return [
    {
      measurement: 'many-endpoints',
      what: 'p99 from create to post, 100 healthy among 9,900 dead endpoints with a backlog, s',
      ours: milliseconds(posts.p99Ms),
      against: `median ${milliseconds(posts.medianMs)}`,
      figure: posts.p99Ms / 1000,
      goal: { atMost: 2 },
      remark: `${posts.count} posts at ${perSecond(createsPerSecond * healthyEndpoints)}, the latest after ${milliseconds(posts.longestMs)}; the first to each endpoint after ${milliseconds(firsts.medianMs)}, at most ${milliseconds(firsts.longestMs)}; ${earlier} of ${healthyEndpoints * waitingEach} that waited for these; ${dealings}`,
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

/** What has been done for the dead ones so far. */
async function dealingsWith(service: Service, tenantId: number): Promise<string> {
  const [row] = await service.query<{ refused: number; silent: number; tried: number; paused: number }>(
    `select (select count(*) from delivery_attempt where tenant_id = $1 and outcome = 'refused')::int as refused,
            (select count(*) from delivery_attempt where tenant_id = $1 and outcome = 'timeout')::int as silent,
            (select count(distinct endpoint_id) from delivery where tenant_id = $1 and claims > 0)::int as tried,
            (select count(*) from webhook_endpoint where tenant_id = $1 and open_until is not null)::int as paused`,
    [tenantId],
  );
  return `${row?.tried} dead ones tried meanwhile, ${row?.refused} times refused, ${row?.silent} times silent, ${row?.paused} paused`;
}
