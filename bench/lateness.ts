import type { Bench } from './bench.ts';
import { until } from './outbox.ts';
import { ask } from './processes/owned.ts';
import type { Arrivals } from './processes/timed-receiver.ts';
import type { Receiver } from './receiver.ts';
import type { Service } from './service.ts';

export interface Creating {
  requests: string[];
  createsPerSecond: number;
  seconds: number;
  /** How many endpoints each payment's event goes to. */
  endpoints: number;
}

/**
 * How late posts are of payments created at a steady rate, all of them: from the moment the payment was taken, which is
 * a little before it is committed, until the post has arrived.
 */
export async function latenessOfCreates(
  bench: Bench,
  service: Service,
  receiver: Receiver,
  { requests, createsPerSecond, seconds, endpoints }: Creating,
): Promise<Arrivals> {
  await ask(receiver.process, { reset: true });
  const load = { port: service.port, requests, seconds, warmUpSeconds: 0, ratePerSecond: createsPerSecond };
  const { served, failures } = await bench.load(load);
  if (failures > 0) throw new Error(`${failures} creates failed.`);
  return arrivedAll(receiver, served * endpoints);
}

/** Waits for so many posts of events that happened since the receiver was reset; more are an error. */
export async function arrivedAll(receiver: Receiver, expected: number): Promise<Arrivals> {
  const arrived = () => ask<Arrivals>(receiver.process, {});
  await until(async () => (await arrived()).posts.count >= expected).catch(async (cause) => {
    throw new Error(`Only ${(await arrived()).posts.count} posts of ${expected} deliveries.`, { cause });
  });
  const { posts, ...others } = await arrived();
  if (posts.count > expected) throw new Error(`${posts.count} posts of ${expected} deliveries: some came twice.`);
  return { posts, ...others };
}
