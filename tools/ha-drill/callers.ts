import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { Agent, request } from 'undici';
import type { Answer, CallersOptions, Command, LoadResult } from './callers-protocol.ts';

/**
 * The callers of the drill, a program of its own because it runs in another network namespace: creates payments through
 * the address of the service, and receives their webhooks. Commands come by standard input, one a line; answers go out
 * the same way.
 */
const options = JSON.parse(process.argv[2] ?? '') as CallersOptions;

const startEveryMs = 40;
const mostAtOnce = 100;
const timeoutMs = 5_000;
/** What the callers need is made once, and a second try would be refused. */
const setupTimeoutMs = 60_000;
/** How long a payment without an answer is repeated after the load has been stopped. */
const repeatsForMs = 60_000;

const agent = new Agent({
  connect: { ca: readFileSync(options.ca), servername: options.serviceName, timeout: 1_000 },
  connections: 100,
  // Each request on a connection of its own, so that one that hangs holds up no other.
  allowH2: false,
  keepAliveTimeout: 20_000,
});

let as = '';
let channelId = 0;
/** The content of each webhook that came, by the id of its payment. */
const received = new Map<string, Set<string>>();
let load: Load | undefined;

const receiver = createServer((incoming, outgoing) => {
  const chunks: Buffer[] = [];
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
  incoming.on('end', () => {
    const body = Buffer.concat(chunks).toString();
    const { id } = JSON.parse(body).data.object;
    received.set(id, (received.get(id) ?? new Set()).add(`${incoming.headers['webhook-id']} ${body}`));
    outgoing.end('ok');
  });
});
receiver.listen(options.receiver.port, options.receiver.address);

async function perform(command: Command): Promise<Answer> {
  switch (command.do) {
    case 'prepare':
      await prepare();
      return {};
    case 'start':
      load = new Load(command.name);
      return {};
    case 'progress':
      return load?.progress() ?? {};
    case 'stop':
      return { result: await (load as Load).stop() };
    case 'received':
      return {
        received: [...received.keys()],
        changed: [...received].flatMap(([id, contents]) => (contents.size > 1 ? [id] : [])),
      };
  }
}

/** The channel, the webhook and the key of the callers. */
async function prepare(): Promise<void> {
  const login = await untilTaken('/api/user/login', { account: 'admin', password: options.password });
  as = `Bearer ${login.token.accessToken}`;
  const channel = { name: 'Cards', code: 'cards', type: 'ONLINE', currency: 'USD', country: 'US', state: true };
  channelId = (await untilTaken('/api/channel/modify', channel)).id;
  const url = `http://${options.receiver.address}:${options.receiver.port}/`;
  await untilTaken('/api/webhook/register', { url, events: ['transaction.created'], secret: 'our shared secret' });
  const key = await untilTaken('/api/developer/mine/generate', { livemode: true });
  as = `ApiKey ${key.sk}`;
}

// biome-ignore lint/suspicious/noExplicitAny: the data of any endpoint
async function untilTaken(path: string, body: object): Promise<any> {
  for (;;) {
    const { status, data } = await post(path, body, undefined, setupTimeoutMs).catch((error) => ({
      status: 0,
      data: String(error),
    }));
    if (status === 200) return data;
    if (status >= 400 && status < 500) throw new Error(`${path}: ${status} ${JSON.stringify(data)}`);
    await pause(500);
  }
}

async function post(
  path: string,
  body: object,
  key?: string,
  limitMs = timeoutMs,
  // biome-ignore lint/suspicious/noExplicitAny: the data of any endpoint
): Promise<{ status: number; data: any; retryMs: number }> {
  const reply = await request(`https://${options.serviceAddress}${path}`, {
    dispatcher: agent,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      host: options.serviceName,
      ...(as !== '' && { authorization: as }),
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(limitMs),
  });
  const text = await reply.body.text();
  const retryMs = Math.min(Number(reply.headers['retry-after'] ?? 0.25), 1) * 1_000;
  if (reply.statusCode !== 200) return { status: reply.statusCode, data: text, retryMs };
  return { status: 200, data: JSON.parse(text).data, retryMs };
}

/** Starts a payment every 40 ms, whatever becomes of the others, and repeats each one until it is acknowledged. */
class Load {
  readonly #name: string;
  readonly #acknowledged = new Map<string, string>();
  readonly #errors = new Map<string, number>();
  readonly #timer: NodeJS.Timeout;
  readonly #flows = new Set<Promise<void>>();
  readonly #startedMs = performance.now();
  #sent = 0;
  #lastMs = performance.now();
  #longestMs = 0;
  #lastAnswerMs = performance.now();
  #longestSilenceMs = 0;
  #stoppedMs = Number.POSITIVE_INFINITY;

  constructor(name: string) {
    this.#name = name;
    this.#timer = setInterval(() => {
      if (this.#flows.size >= mostAtOnce) return;
      const flow = this.#pay(`${name}-${this.#sent++}`);
      this.#flows.add(flow);
      flow.then(
        () => this.#flows.delete(flow),
        () => this.#flows.delete(flow),
      );
    }, startEveryMs);
  }

  progress(): Answer {
    return { acknowledged: this.#acknowledged.size, sinceLastMs: performance.now() - this.#lastMs };
  }

  async stop(): Promise<LoadResult> {
    clearInterval(this.#timer);
    this.#longestMs = Math.max(this.#longestMs, performance.now() - this.#lastMs);
    this.#stoppedMs = performance.now();
    await Promise.all(this.#flows);
    return {
      name: this.#name,
      sent: this.#sent,
      acknowledged: [...this.#acknowledged],
      errors: Object.fromEntries(this.#errors),
      longestGapMs: this.#longestMs,
      longestSilenceMs: this.#longestSilenceMs,
      lastedMs: this.#stoppedMs - this.#startedMs,
    };
  }

  async #pay(key: string): Promise<void> {
    const payment = { amount: 1999, currency: 'USD', channelId, description: key };
    while (performance.now() < this.#stoppedMs + repeatsForMs) {
      try {
        const { status, data, retryMs } = await post('/api/transaction/create', payment, key);
        if (status === 200) {
          this.#acknowledge(key, data.id);
          return;
        }
        this.#count(String(status));
        if (status === 503) this.#answered();
        await pause(retryMs);
      } catch (error) {
        const { code, name } = error as { code?: unknown; name: string };
        this.#count(typeof code === 'string' ? code : name);
        await pause(250);
      }
    }
  }

  #acknowledge(key: string, id: string): void {
    this.#acknowledged.set(key, id);
    const now = performance.now();
    if (this.#stoppedMs === Number.POSITIVE_INFINITY) this.#longestMs = Math.max(this.#longestMs, now - this.#lastMs);
    this.#lastMs = now;
    this.#answered();
  }

  #answered(): void {
    const now = performance.now();
    if (this.#stoppedMs === Number.POSITIVE_INFINITY)
      this.#longestSilenceMs = Math.max(this.#longestSilenceMs, now - this.#lastAnswerMs);
    this.#lastAnswerMs = now;
  }

  #count(error: string): void {
    this.#errors.set(error, (this.#errors.get(error) ?? 0) + 1);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

for await (const line of createInterface({ input: process.stdin })) {
  const answer = await perform(JSON.parse(line) as Command);
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
process.exit(0);
