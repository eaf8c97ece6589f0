import type { Bench, Line } from '../../bench.ts';
import { measureCreateToPost, waitForPosts } from '../../delivery-latency.ts';
import { deliveryRate, registerEndpoint, writeBacklog } from '../../outbox.ts';
import { request, stopProcess } from '../../processes/children.ts';
import type { Latency } from '../../processes/timed-receiver.ts';
import { loopbackAddresses, type Receiver, startTimedReceiver } from '../../receiver.ts';
import { milliseconds, perSecond } from '../../report/format.ts';
import { createRequests } from '../../requests.ts';
import type { Service } from '../../service.ts';

const shareOfRate = 1 / 2;
const warmUpSeconds = 2;
const seconds = 8;
/** Interval between commits of the other connection. Each commit adds the deliveries due since the last one. */
const commitEveryMs = 10;

interface WriteLoad {
  tenantId: number;
  endpointId: number;
  perSecond: number;
}

/**
 * Measures the latency of posts at half of the maximum delivery rate, from just before the commit. First for deliveries
 * that another connection inserts, like another node: the sender polls for them ten times a second. Then for payments
 * created on this node: each commit wakes the sender, which then yields to further creates.
 */
export async function commitToPost(bench: Bench): Promise<Line[]> {
  const rate = Math.round((await deliveryRate(bench)) * shareOfRate);
  const { service, channelId } = await bench.emptyShop();
  const { tenantId, key } = await service.createMerchant('commit-to-post');
  const [address = ''] = loopbackAddresses(10, 1);
  const receiver = await startTimedReceiver({ answering: [address], hanging: [] });
  const endpointId = await registerEndpoint(service, key, `http://${address}:${receiver.port}/`);
  const writeLoad = { tenantId, endpointId, perSecond: rate };
  await measureWriteToPost(service, receiver, writeLoad, warmUpSeconds);
  const written = await measureWriteToPost(service, receiver, writeLoad, seconds);
  await service.waitUntilIdle();
  const createLoad = { requests: createRequests(key, channelId), createsPerSecond: rate, seconds, endpoints: 1 };
  const { posts: created } = await measureCreateToPost(bench, service, receiver, createLoad);
  await service.query('update webhook_endpoint set state = false');
  await service.empty();
  await stopProcess(receiver.process);
  const line = (what: string, { count, medianMs, p99Ms, longestMs }: Latency): Line => ({
    measurement: 'commit-to-post',
    what: `p99 from commit to post at ${perSecond(rate)}, ${what}, ms`,
    ours: milliseconds(p99Ms),
    against: `median ${milliseconds(medianMs)}`,
    figure: p99Ms,
    comment: `${count} posts, the latest after ${milliseconds(longestMs)}`,
  });
  return [
    { ...line('written by another node', written), goal: { atMost: 150 } },
    line('of as many creates on this one', created),
  ];
}

/** Inserts deliveries at a steady rate and measures the latency of all their posts. */
async function measureWriteToPost(
  service: Service,
  receiver: Receiver,
  { tenantId, endpointId, perSecond }: WriteLoad,
  seconds: number,
): Promise<Latency> {
  await request(receiver.process, { reset: true });
  const startedAt = performance.now();
  let written = 0;
  for (let elapsedMs = 0; elapsedMs < seconds * 1000; elapsedMs = performance.now() - startedAt) {
    const events = Math.floor((elapsedMs / 1000) * perSecond) - written;
    if (events > 0) {
      await writeBacklog(service, { tenantId, endpointIds: [endpointId], events, dueMs: Date.now(), withinMs: 0 });
    }
    written += events;
    await new Promise((resolve) => setTimeout(resolve, commitEveryMs));
  }
  return (await waitForPosts(receiver, written)).posts;
}
