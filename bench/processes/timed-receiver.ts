/**
 * A webhook receiver that knows how late each post is: an id of a delivery begins with the millisecond its event was
 * drawn in. It stands for many servers, each an address of the loopback, of which some never answer.
 */
import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';
import { build, type Histogram } from 'hdr-histogram-js';
import { answerMessages } from './answer.ts';
import { eachPost, okAnswer } from './posts.ts';

export interface ReceiverJob {
  /** Addresses at which posts are answered. */
  answering: string[];
  /** Addresses at which connections are accepted and posts read, and nothing is ever answered. */
  hanging: string[];
}

/** Since it was last reset. */
export interface Arrivals {
  /** Posts that were answered, of events that happened since then. */
  posts: Lateness;
  /** Of each path the first of these alone. */
  firsts: Lateness;
  /** Posts that were answered, of events from before. */
  earlier: number;
  /** Posts that are not answered. */
  unanswered: number;
}

export interface Lateness {
  count: number;
  medianMs: number;
  p99Ms: number;
  longestMs: number;
}

const hung = new Set<Socket>();
let arrivals = nothing();
let port = 0;

answerMessages(async (question: ReceiverJob | { reset: true } | { letGo: true } | object) => {
  if ('answering' in question) {
    await listenAt(question);
    return { port };
  }
  const { posts, firsts, earlier, unanswered } = arrivals;
  if ('reset' in question) arrivals = nothing();
  if ('letGo' in question) for (const socket of hung) socket.destroy();
  return { posts: latenessOf(posts), firsts: latenessOf(firsts), earlier, unanswered } satisfies Arrivals;
});

async function listenAt({ answering, hanging }: ReceiverJob): Promise<void> {
  for (const address of answering) await listen(address, answer);
  for (const address of hanging) await listen(address, hang);
}

/** All at the same port, the first one that was free. */
async function listen(address: string, onConnection: (socket: Socket) => void): Promise<void> {
  const server = net.createServer({ noDelay: true }, onConnection).listen(port, address);
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
}

function answer(socket: Socket): void {
  eachPost(socket, (head) => {
    note(head);
    socket.write(okAnswer);
  });
}

function hang(socket: Socket): void {
  hung.add(socket);
  socket.on('close', () => hung.delete(socket));
  eachPost(socket, () => arrivals.unanswered++);
}

function note(head: string): void {
  const millisecond = /\r\nx-service-delivery: dlv_([0-9a-f]{12})/i.exec(head)?.[1];
  if (millisecond === undefined) throw new Error(`A post without X-Service-Delivery: ${head}`);
  // The clock the service takes its milliseconds from, but finer.
  const nowMs = performance.timeOrigin + performance.now();
  const happenedMs = Number.parseInt(millisecond, 16);
  if (happenedMs < arrivals.sinceMs) {
    arrivals.earlier++;
    return;
  }
  const lateUs = Math.max(0, (nowMs - happenedMs) * 1000);
  arrivals.posts.recordValue(lateUs);
  const path = head.slice(0, head.indexOf(' HTTP/'));
  if (arrivals.paths.has(path)) return;
  arrivals.paths.add(path);
  arrivals.firsts.recordValue(lateUs);
}

function nothing() {
  return {
    sinceMs: Date.now(),
    posts: latencies(),
    firsts: latencies(),
    paths: new Set<string>(),
    earlier: 0,
    unanswered: 0,
  };
}

function latencies(): Histogram {
  return build({ highestTrackableValue: 3_600_000_000, numberOfSignificantValueDigits: 3 });
}

function latenessOf(histogram: Histogram): Lateness {
  const ms = (percentile: number) => histogram.getValueAtPercentile(percentile) / 1000;
  return { count: histogram.totalCount, medianMs: ms(50), p99Ms: ms(99), longestMs: histogram.maxValue / 1000 };
}
