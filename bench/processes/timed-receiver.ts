/**
 * A webhook receiver that measures the latency of each post: a delivery id begins with the millisecond in which the
 * event id was generated. Each loopback address acts as a separate server, and some of them never respond.
 */
import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';
import { build, type Histogram } from 'hdr-histogram-js';
import { serveMessages } from './messages.ts';
import { eachPost, okResponse } from './posts.ts';

export interface ReceiverJob {
  /** Addresses that answer posts. */
  answering: string[];
  /** Addresses that accept connections and read posts, but never respond. */
  hanging: string[];
}

/** Counts since the last reset. */
export interface Arrivals {
  /** Answered posts of events created since the reset. */
  posts: Latency;
  /** Only the first of these posts on each path. */
  firstPosts: Latency;
  /** Answered posts of events created before the reset. */
  backlogPosts: number;
  /** Posts at hanging addresses. */
  unanswered: number;
}

export interface Latency {
  count: number;
  medianMs: number;
  p99Ms: number;
  longestMs: number;
}

const hangingSockets = new Set<Socket>();
let arrivals = noArrivals();
let port = 0;

serveMessages(async (message: ReceiverJob | { reset: true } | { closeHanging: true } | object) => {
  if ('answering' in message) {
    await listenAt(message);
    return { port };
  }
  const { posts, firstPosts, backlogPosts, unanswered } = arrivals;
  if ('reset' in message) arrivals = noArrivals();
  if ('closeHanging' in message) for (const socket of hangingSockets) socket.destroy();
  return { posts: latencyOf(posts), firstPosts: latencyOf(firstPosts), backlogPosts, unanswered } satisfies Arrivals;
});

async function listenAt({ answering, hanging }: ReceiverJob): Promise<void> {
  for (const address of answering) await listen(address, answer);
  for (const address of hanging) await listen(address, hang);
}

/** The first call picks a free port; all other addresses use the same port. */
async function listen(address: string, onConnection: (socket: Socket) => void): Promise<void> {
  const server = net.createServer({ noDelay: true }, onConnection).listen(port, address);
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
}

function answer(socket: Socket): void {
  eachPost(socket, (head) => {
    recordLatency(head);
    socket.write(okResponse);
  });
}

function hang(socket: Socket): void {
  hangingSockets.add(socket);
  socket.on('close', () => hangingSockets.delete(socket));
  eachPost(socket, () => arrivals.unanswered++);
}

function recordLatency(head: string): void {
  const createdMsHex = /\r\nx-service-delivery: dlv_([0-9a-f]{12})/i.exec(head)?.[1];
  if (createdMsHex === undefined) throw new Error(`A post without X-Service-Delivery: ${head}`);
  // The same clock as Date.now() of the service, with a higher resolution.
  const nowMs = performance.timeOrigin + performance.now();
  const createdMs = Number.parseInt(createdMsHex, 16);
  if (createdMs < arrivals.sinceMs) {
    arrivals.backlogPosts++;
    return;
  }
  const latencyUs = Math.max(0, (nowMs - createdMs) * 1000);
  arrivals.posts.recordValue(latencyUs);
  const path = head.slice(0, head.indexOf(' HTTP/'));
  if (arrivals.paths.has(path)) return;
  arrivals.paths.add(path);
  arrivals.firstPosts.recordValue(latencyUs);
}

function noArrivals() {
  return {
    sinceMs: Date.now(),
    posts: latencyHistogram(),
    firstPosts: latencyHistogram(),
    paths: new Set<string>(),
    backlogPosts: 0,
    unanswered: 0,
  };
}

function latencyHistogram(): Histogram {
  return build({ highestTrackableValue: 3_600_000_000, numberOfSignificantValueDigits: 3 });
}

function latencyOf(histogram: Histogram): Latency {
  const ms = (percentile: number) => histogram.getValueAtPercentile(percentile) / 1000;
  return { count: histogram.totalCount, medianMs: ms(50), p99Ms: ms(99), longestMs: histogram.maxValue / 1000 };
}
