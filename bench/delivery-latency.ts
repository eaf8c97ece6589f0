import type { Bench } from './bench.ts';
import { waitUntil } from './outbox.ts';
import { request } from './processes/children.ts';
import type { Arrivals } from './processes/timed-receiver.ts';
import type { Receiver } from './receiver.ts';
import type { Service } from './service.ts';

export interface CreateLoad {
  requests: string[];
  createsPerSecond: number;
  seconds: number;
  /** Number of endpoints that receive the event of each payment. */
  endpoints: number;
}

/**
 * Creates payments at a steady rate and measures the latency of all their webhook posts: from the start of the create,
 * shortly before its commit, to the arrival of the post.
 */
export async function measureCreateToPost(
  bench: Bench,
  service: Service,
  receiver: Receiver,
  { requests, createsPerSecond, seconds, endpoints }: CreateLoad,
): Promise<Arrivals> {
  await request(receiver.process, { reset: true });
  const load = { port: service.port, requests, seconds, warmUpSeconds: 0, ratePerSecond: createsPerSecond };
  const { served, failures } = await bench.load(load);
  if (failures > 0) throw new Error(`${failures} creates failed.`);
  return waitForPosts(receiver, served * endpoints);
}

/** Waits for this many posts of events created since the receiver was reset. Throws when there are fewer or more. */
export async function waitForPosts(receiver: Receiver, expected: number): Promise<Arrivals> {
  const arrived = () => request<Arrivals>(receiver.process, {});
  await waitUntil(async () => (await arrived()).posts.count >= expected).catch(async (cause) => {
    throw new Error(`Only ${(await arrived()).posts.count} posts of ${expected} deliveries.`, { cause });
  });
  const { posts, ...others } = await arrived();
  if (posts.count > expected) throw new Error(`${posts.count} posts of ${expected} deliveries: some arrived twice.`);
  return { posts, ...others };
}
