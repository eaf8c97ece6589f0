import type { Bench, Line } from '../bench.ts';
import { milliseconds, perSecond } from '../format.ts';
import { arrivedAll, latenessOfCreates } from '../lateness.ts';
import { deliveryRate, registerEndpoint, writeBacklog } from '../outbox.ts';
import { ask, end } from '../processes/owned.ts';
import type { Lateness } from '../processes/timed-receiver.ts';
import { loopbackAddresses, type Receiver, startTimedReceiver } from '../receiver.ts';
import { createRequests } from '../requests.ts';
import type { Service } from '../service.ts';

const shareOfRate = 1 / 2;
const warmUpSeconds = 2;
const seconds = 8;
/** Of the other connection; each commit brings what has become due since the last. */
const commitEveryMs = 10;

interface Writing {
  tenantId: number;
  endpointId: number;
  perSecond: number;
}

/**
 * How late posts are at half of the deliveries a second there can be, counted from just before they are committed. Once
 * written by another connection, as by another node: the sender finds them by looking, ten times a second. And once of
 * payments created on this node: each commit wakes the sender, which then yields to further creates.
 */
export async function commitToPost(bench: Bench): Promise<Line[]> {
  const rate = Math.round((await deliveryRate(bench)) * shareOfRate);
  const { service, channelId } = await bench.emptyShop();
  const { tenantId, key } = await service.makeMerchant('told');
  const [address = ''] = loopbackAddresses(10, 1);
  const receiver = await startTimedReceiver({ answering: [address], hanging: [] });
  const endpointId = await registerEndpoint(service, key, `http://${address}:${receiver.port}/`);
  const writing = { tenantId, endpointId, perSecond: rate };
  await latenessOfWrites(service, receiver, writing, warmUpSeconds);
  const written = await latenessOfWrites(service, receiver, writing, seconds);
  await service.settled();
  const creating = { requests: createRequests(key, channelId), createsPerSecond: rate, seconds, endpoints: 1 };
  const { posts: created } = await latenessOfCreates(bench, service, receiver, creating);
  await service.query('update webhook_endpoint set state = false');
  await service.empty();
  await end(receiver.process);
  const line = (what: string, { count, medianMs, p99Ms, longestMs }: Lateness): Line => ({
    measurement: 'commit-to-post',
    what: `p99 from commit to post at ${perSecond(rate)}, ${what}, ms`,
    ours: milliseconds(p99Ms),
    against: `median ${milliseconds(medianMs)}`,
    figure: p99Ms,
    remark: `${count} posts, the latest after ${milliseconds(longestMs)}`,
  });
  return [
    { ...line('written by another node', written), goal: { atMost: 150 } },
    line('of as many creates on this one', created),
  ];
}

/** Of deliveries written at a steady rate, all of them. */
async function latenessOfWrites(
  service: Service,
  receiver: Receiver,
  { tenantId, endpointId, perSecond }: Writing,
  seconds: number,
): Promise<Lateness> {
  await ask(receiver.process, { reset: true });
  const startedAt = performance.now();
  let written = 0;
  for (let elapsedMs = 0; elapsedMs < seconds * 1000; elapsedMs = performance.now() - startedAt) {
    const events = Math.floor((elapsedMs / 1000) * perSecond) - written;
    if (events > 0) {
      await writeBacklog(service, { tenantId, endpointIds: [endpointId], events, dueMs: Date.now(), withinMs: 0 });
    }
    written += events;
    await new Promise((passed) => setTimeout(passed, commitEveryMs));
  }
  return (await arrivedAll(receiver, written)).posts;
}
