import type { ChildProcess } from 'node:child_process';
import { ask, launchOwn, nextMessage } from './processes/owned.ts';
import type { ReceiverJob } from './processes/timed-receiver.ts';

export interface Receiver {
  port: number;
  process: ChildProcess;
}

/** A webhook receiver in a process of its own. Asked `{}` it tells what it has received, `{ reset: true }` forgets. */
export async function startReceiver(): Promise<Receiver> {
  const child = launchOwn('receiver.ts');
  const { port } = await nextMessage<{ port: number }>(child);
  return { port, process: child };
}

/**
 * One that answers at some addresses, hangs at others, and tells how late the posts are. `{ letGo: true }` closes the
 * connections that hang.
 */
export async function startTimedReceiver(job: ReceiverJob): Promise<Receiver> {
  const child = launchOwn('timed-receiver.ts');
  const { port } = await ask<{ port: number }>(child, job);
  return { port, process: child };
}

/** As many addresses of the loopback as wanted; `network` keeps one kind of them apart from another. */
export function loopbackAddresses(network: number, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `127.${network}.${i >> 8}.${i & 255}`);
}
