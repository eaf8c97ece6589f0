import type { ChildProcess } from 'node:child_process';
import { launchOwn, nextMessage } from './processes/owned.ts';

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
