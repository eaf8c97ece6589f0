import type { ChildProcess } from 'node:child_process';
import { launchFile, nextMessage, request } from './processes/children.ts';
import type { ReceiverJob } from './processes/timed-receiver.ts';

export interface Receiver {
  port: number;
  process: ChildProcess;
}

/** Starts a webhook receiver process. `{}` requests its counts; `{ reset: true }` also sets them to zero. */
export async function startReceiver(): Promise<Receiver> {
  const child = launchFile('receiver.ts');
  const { port } = await nextMessage<{ port: number }>(child);
  return { port, process: child };
}

/**
 * Starts a webhook receiver that responds at some addresses, hangs at others, and measures the latency of posts.
 * `{ closeHanging: true }` closes the hanging connections.
 */
export async function startTimedReceiver(job: ReceiverJob): Promise<Receiver> {
  const child = launchFile('timed-receiver.ts');
  const { port } = await request<{ port: number }>(child, job);
  return { port, process: child };
}

/** Returns `count` addresses of the loopback network 127.`network`.0.0. */
export function loopbackAddresses(network: number, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `127.${network}.${i >> 8}.${i & 255}`);
}
