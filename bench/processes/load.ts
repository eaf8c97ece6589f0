/**
 * The load generator: HTTP/1.1 over plain sockets in a separate process. It parses only enough of the protocol to find
 * the end of a response, because its CPU time is taken from the server on the same machine.
 */
import net from 'node:net';
import { build, type Histogram } from 'hdr-histogram-js';
import { stolenUs } from './cpu.ts';
import { serveMessages } from './messages.ts';

export interface LoadJob {
  port: number;
  /** Complete requests, head and body, sent one after the other in a cycle. */
  requests: string[];
  connections: number;
  seconds: number;
  /** Time before the measurement, in which responses are not counted. */
  warmUpSeconds: number;
  /**
   * Sends requests at this fixed rate, independent of responses. Latency counts from the scheduled time, so that a
   * stall delays every request scheduled during it. Without a rate, each connection sends its next request after a
   * response.
   */
  ratePerSecond?: number;
  /** Also returns the latencies of each second. */
  isTimelineWanted?: boolean;
}

/** The latencies of the requests that were due in one second. */
export interface LoadSecond {
  p99Ms: number;
  longestMs: number;
  /** Time that the host of this virtual machine gave to others, summed over its CPUs. */
  stolenMs: number;
}

export interface LoadResult {
  /** Responses in the measured time. */
  counted: number;
  perSecond: number;
  /** All responses, warm-up included. */
  served: number;
  /** Responses other than 2xx. */
  refused: number;
  /** The same, and requests without a response. */
  failures: number;
  medianMs: number;
  p99Ms: number;
  longestMs: number;
  /** When the measured time began, by the machine's clock. */
  measuredFromMs: number;
  /** Empty unless wanted. */
  timeline: LoadSecond[];
  /**
   * Of the requests due in quiet seconds: those in which the host took at most 10 ms, as in the second before.
   * Undefined if no second was quiet, and without a timeline.
   */
  quietP99Ms: number | undefined;
}

const receiveBytes = 64 * 1024;
const responseDeadlineMs = 10_000;
/** Linux counts stolen time in units of 10 ms. */
const quietStolenMs = 10;

serveMessages((job: LoadJob) => new Load(job).run());

class Load {
  readonly #job: LoadJob;
  readonly #requests: Buffer[];
  readonly #latenciesUs: Histogram = build({ highestTrackableValue: 60_000_000, numberOfSignificantValueDigits: 3 });
  /** Latencies in ms by the second in which the request was due. */
  readonly #latenciesOfSeconds: number[][] = [];
  /** Stolen time when each second began. */
  readonly #stolenUs: number[] = [];
  readonly #connections: Connection[] = [];
  /** Scheduled times of requests that are waiting for an idle connection. */
  #overdue: number[] = [];
  #idle: Connection[] = [];
  #nextRequest = 0;
  #sent = 0;
  #served = 0;
  #counted = 0;
  #refused = 0;
  #countFrom = 0;
  #countUntil = 0;
  #isStopped = false;

  constructor(job: LoadJob) {
    this.#job = job;
    this.#requests = job.requests.map((request) => Buffer.from(request));
  }

  async run(): Promise<LoadResult> {
    const { port, connections, seconds, warmUpSeconds, ratePerSecond } = this.#job;
    const onResponse = (connection: Connection, isSuccess: boolean) => this.#onResponse(connection, isSuccess);
    for (let i = 0; i < connections; i++) this.#connections.push(new Connection(port, onResponse));
    await Promise.all(this.#connections.map((connection) => connection.opened));
    const startedAt = performance.now();
    this.#countFrom = startedAt + warmUpSeconds * 1000;
    this.#countUntil = this.#countFrom + seconds * 1000;
    if (ratePerSecond === undefined) {
      for (const connection of this.#connections) this.#send(connection, performance.now());
      await waitUntil(this.#countUntil);
    } else {
      this.#idle = [...this.#connections];
      await this.#sendAtRate(startedAt, ratePerSecond);
    }
    this.#isStopped = true;
    const deadline = performance.now() + responseDeadlineMs;
    while (this.#served < this.#sent && performance.now() < deadline) await waitUntil(performance.now() + 5);
    for (const connection of this.#connections) connection.close();
    return this.#result(seconds);
  }

  async #sendAtRate(startedAt: number, ratePerSecond: number): Promise<void> {
    const everyMs = 1000 / ratePerSecond;
    for (let dueAt = startedAt; dueAt < this.#countUntil; ) {
      const now = performance.now();
      if (this.#job.isTimelineWanted) this.#readStolen(now);
      for (; dueAt <= now && dueAt < this.#countUntil; dueAt += everyMs) {
        const connection = this.#idle.pop();
        if (connection === undefined) this.#overdue.push(dueAt);
        else this.#send(connection, dueAt);
      }
      await waitUntil(now + 1);
    }
  }

  #readStolen(now: number): void {
    const second = Math.floor((now - this.#countFrom) / 1000);
    while (this.#stolenUs.length <= second) this.#stolenUs.push(stolenUs());
  }

  #send(connection: Connection, dueAt: number): void {
    this.#sent++;
    connection.send(this.#requests[this.#nextRequest++ % this.#requests.length] as Buffer, dueAt);
  }

  #onResponse(connection: Connection, isSuccess: boolean): void {
    const now = performance.now();
    this.#served++;
    if (!isSuccess) this.#refused++;
    const { dueAt } = connection;
    const hasRate = this.#job.ratePerSecond !== undefined;
    const isCounted = hasRate ? dueAt >= this.#countFrom : now >= this.#countFrom && now < this.#countUntil;
    if (isCounted) {
      this.#counted++;
      this.#latenciesUs.recordValue(Math.min(60_000_000, (now - dueAt) * 1000));
      if (this.#job.isTimelineWanted) {
        const second = Math.floor((dueAt - this.#countFrom) / 1000);
        this.#latenciesOfSeconds[second] ??= [];
        this.#latenciesOfSeconds[second].push(now - dueAt);
      }
    }
    if (hasRate) {
      const overdue = this.#overdue.shift();
      if (overdue === undefined) this.#idle.push(connection);
      else this.#send(connection, overdue);
    } else if (!this.#isStopped) this.#send(connection, now);
  }

  #result(seconds: number): LoadResult {
    const unanswered = this.#sent - this.#served + this.#overdue.length;
    const ms = (percentile: number) => this.#latenciesUs.getValueAtPercentile(percentile) / 1000;
    return {
      counted: this.#counted,
      perSecond: this.#counted / seconds,
      served: this.#served,
      refused: this.#refused,
      failures: this.#refused + unanswered,
      medianMs: ms(50),
      p99Ms: ms(99),
      longestMs: this.#latenciesUs.maxValue / 1000,
      measuredFromMs: performance.timeOrigin + this.#countFrom,
      timeline: this.#latencies().map((latencies, second) => ({
        p99Ms: percentile99(latencies),
        longestMs: latencies.at(-1) ?? 0,
        stolenMs: this.#stolenMs(second),
      })),
      quietP99Ms: this.#quietP99Ms(),
    };
  }

  #quietP99Ms(): number | undefined {
    const isQuiet = (second: number) => this.#stolenMs(second) <= quietStolenMs;
    const quiet = this.#latencies().filter((_, second) => isQuiet(second) && isQuiet(second - 1));
    return quiet.length > 0 ? percentile99(quiet.flat().sort((a, b) => a - b)) : undefined;
  }

  /** The sorted latencies of each second. */
  #latencies(): number[][] {
    return Array.from(this.#latenciesOfSeconds, (latencies) => (latencies ?? []).sort((a, b) => a - b));
  }

  #stolenMs(second: number): number {
    const began = this.#stolenUs[second];
    return began === undefined ? 0 : ((this.#stolenUs[second + 1] ?? stolenUs()) - began) / 1000;
  }
}

/**
 * A connection with at most one request in flight. It is opened again when the server has closed it: the service waits
 * ten seconds for the first request, and at a low rate most connections have none for longer.
 */
class Connection {
  dueAt = 0;
  readonly opened: Promise<void>;
  readonly #port: number;
  #socket: net.Socket;
  readonly #onResponse: (connection: Connection, isSuccess: boolean) => void;
  #isAwaited = false;
  /** The response being received: its missing bytes, and the incomplete head. */
  #missingBytes = 0;
  #head = '';
  #isSuccess = false;

  constructor(port: number, onResponse: (connection: Connection, isSuccess: boolean) => void) {
    this.#port = port;
    this.#onResponse = onResponse;
    this.#socket = this.#open();
    this.opened = new Promise((resolve, reject) => this.#socket.once('connect', resolve).once('error', reject));
  }

  #open(): net.Socket {
    const socket = net.connect({
      port: this.#port,
      host: '127.0.0.1',
      noDelay: true,
      onread: {
        buffer: Buffer.allocUnsafe(receiveBytes),
        callback: (bytes, buffer) => {
          if (this.#isAwaited) this.#receive(buffer as Buffer, bytes);
          return true;
        },
      },
    });
    socket.on('error', () => {});
    return socket;
  }

  send(request: Buffer, dueAt: number): void {
    this.dueAt = dueAt;
    this.#isAwaited = true;
    if (!this.#socket.writable) this.#socket = this.#open();
    this.#socket.write(request);
  }

  close(): void {
    this.#socket.destroy();
  }

  #receive(buffer: Buffer, bytes: number): void {
    if (this.#missingBytes > 0) this.#missingBytes -= bytes;
    else {
      this.#head += buffer.toString('latin1', 0, bytes);
      const headBytes = this.#head.indexOf('\r\n\r\n') + 4;
      if (headBytes < 4) return;
      const length = /\r\ncontent-length: (\d+)/i.exec(this.#head)?.[1];
      if (length === undefined) throw new Error(`A response without Content-Length: ${this.#head.slice(0, headBytes)}`);
      this.#isSuccess = this.#head.charCodeAt(9) === 50; // HTTP/1.1 2xx
      this.#missingBytes = headBytes + Number(length) - this.#head.length;
      this.#head = '';
    }
    if (this.#missingBytes > 0) return;
    this.#isAwaited = false;
    this.#onResponse(this, this.#isSuccess);
  }
}

function percentile99(sorted: readonly number[]): number {
  return sorted[Math.floor(sorted.length * 0.99)] ?? 0;
}

function waitUntil(at: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, at - performance.now())));
}
