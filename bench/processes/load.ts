/**
 * The load generator: HTTP/1.1 over plain sockets, in a process of its own. It knows just enough of the protocol to
 * find the end of an answer, so that on a machine it shares with the server it takes as little of it as can be
 * (bench/README.md has what autocannon would take).
 */
import net from 'node:net';
import { build, type Histogram } from 'hdr-histogram-js';
import { answerMessages } from './answer.ts';

export interface LoadJob {
  port: number;
  /** Whole requests, head and body, sent by turns. */
  requests: string[];
  connections: number;
  seconds: number;
  /** Sent but not counted before the measured time. */
  warmUpSeconds: number;
  /**
   * Requests a second, sent by the clock whether or not earlier ones have been answered; each latency counts from the
   * moment it should have been sent, so that a stall is felt by all who would have come meanwhile. Without it every
   * connection sends as soon as it has its answer.
   */
  ratePerSecond?: number;
}

export interface LoadResult {
  /** Answers in the measured time. */
  answered: number;
  perSecond: number;
  /** Answers in all, warm-up included. */
  served: number;
  failures: number;
  medianMs: number;
  p99Ms: number;
  longestMs: number;
}

const receiveBytes = 64 * 1024;
const settleWithinMs = 10_000;

answerMessages((job: LoadJob) => new Load(job).run());

class Load {
  readonly #job: LoadJob;
  readonly #requests: Buffer[];
  readonly #latenciesUs: Histogram = build({ highestTrackableValue: 60_000_000, numberOfSignificantValueDigits: 3 });
  readonly #connections: Connection[] = [];
  /** Requests that should have been sent and found no free connection, by the moment they should have been. */
  #late: number[] = [];
  #idle: Connection[] = [];
  #turn = 0;
  #sent = 0;
  #served = 0;
  #answered = 0;
  #failures = 0;
  #countFrom = 0;
  #countUntil = 0;
  #stopped = false;

  constructor(job: LoadJob) {
    this.#job = job;
    this.#requests = job.requests.map((request) => Buffer.from(request));
  }

  async run(): Promise<LoadResult> {
    const { port, connections, seconds, warmUpSeconds, ratePerSecond } = this.#job;
    const onAnswer = (connection: Connection, good: boolean) => this.#onAnswer(connection, good);
    for (let i = 0; i < connections; i++) this.#connections.push(new Connection(port, onAnswer));
    await Promise.all(this.#connections.map((connection) => connection.opened));
    const startedAt = performance.now();
    this.#countFrom = startedAt + warmUpSeconds * 1000;
    this.#countUntil = this.#countFrom + seconds * 1000;
    if (ratePerSecond === undefined) {
      for (const connection of this.#connections) this.#send(connection, performance.now());
      await passed(this.#countUntil);
    } else {
      this.#idle = [...this.#connections];
      await this.#sendByTheClock(startedAt, ratePerSecond);
    }
    this.#stopped = true;
    const giveUpAt = performance.now() + settleWithinMs;
    while (this.#served < this.#sent && performance.now() < giveUpAt) await passed(performance.now() + 5);
    for (const connection of this.#connections) connection.close();
    return this.#result(seconds);
  }

  async #sendByTheClock(startedAt: number, ratePerSecond: number): Promise<void> {
    const everyMs = 1000 / ratePerSecond;
    for (let dueAt = startedAt; dueAt < this.#countUntil; ) {
      const now = performance.now();
      for (; dueAt <= now && dueAt < this.#countUntil; dueAt += everyMs) {
        const connection = this.#idle.pop();
        if (connection === undefined) this.#late.push(dueAt);
        else this.#send(connection, dueAt);
      }
      await passed(now + 1);
    }
  }

  #send(connection: Connection, dueAt: number): void {
    this.#sent++;
    connection.send(this.#requests[this.#turn++ % this.#requests.length] as Buffer, dueAt);
  }

  #onAnswer(connection: Connection, good: boolean): void {
    const now = performance.now();
    this.#served++;
    if (!good) this.#failures++;
    const { dueAt } = connection;
    const byTheClock = this.#job.ratePerSecond !== undefined;
    const counts = byTheClock ? dueAt >= this.#countFrom : now >= this.#countFrom && now < this.#countUntil;
    if (counts) {
      this.#answered++;
      this.#latenciesUs.recordValue(Math.min(60_000_000, (now - dueAt) * 1000));
    }
    if (byTheClock) {
      const late = this.#late.shift();
      if (late === undefined) this.#idle.push(connection);
      else this.#send(connection, late);
    } else if (!this.#stopped) this.#send(connection, now);
  }

  #result(seconds: number): LoadResult {
    const unanswered = this.#sent - this.#served + this.#late.length;
    const ms = (percentile: number) => this.#latenciesUs.getValueAtPercentile(percentile) / 1000;
    return {
      answered: this.#answered,
      perSecond: this.#answered / seconds,
      served: this.#served,
      failures: this.#failures + unanswered,
      medianMs: ms(50),
      p99Ms: ms(99),
      longestMs: this.#latenciesUs.maxValue / 1000,
    };
  }
}

/** One connection with one request on its way at a time. */
class Connection {
  dueAt = 0;
  readonly opened: Promise<void>;
  readonly #socket: net.Socket;
  readonly #onAnswer: (connection: Connection, good: boolean) => void;
  /** Of the answer being received: bytes still to come, and what came before its head was whole. */
  #missing = 0;
  #head = '';
  #good = false;

  constructor(port: number, onAnswer: (connection: Connection, good: boolean) => void) {
    this.#onAnswer = onAnswer;
    this.#socket = net.connect({
      port,
      host: '127.0.0.1',
      noDelay: true,
      onread: {
        buffer: Buffer.allocUnsafe(receiveBytes),
        callback: (bytes, buffer) => {
          this.#receive(buffer as Buffer, bytes);
          return true;
        },
      },
    });
    this.opened = new Promise((resolve, reject) => this.#socket.once('connect', resolve).once('error', reject));
    this.#socket.on('error', () => {});
  }

  send(request: Buffer, dueAt: number): void {
    this.dueAt = dueAt;
    this.#socket.write(request);
  }

  close(): void {
    this.#socket.destroy();
  }

  #receive(buffer: Buffer, bytes: number): void {
    if (this.#missing > 0) this.#missing -= bytes;
    else {
      this.#head += buffer.toString('latin1', 0, bytes);
      const headBytes = this.#head.indexOf('\r\n\r\n') + 4;
      if (headBytes < 4) return;
      const length = /\r\ncontent-length: (\d+)/i.exec(this.#head)?.[1];
      if (length === undefined) throw new Error(`An answer without Content-Length: ${this.#head.slice(0, headBytes)}`);
      this.#good = this.#head.charCodeAt(9) === 50; // HTTP/1.1 2xx
      this.#missing = headBytes + Number(length) - this.#head.length;
      this.#head = '';
    }
    if (this.#missing === 0) this.#onAnswer(this, this.#good);
  }
}

function passed(at: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, at - performance.now())));
}
