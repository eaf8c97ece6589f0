import { readFileSync } from 'node:fs';
import { Client } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshKeyring } from '../../src/platform/crypto/keyring.ts';
import { dataOf, makeChannel, makeKey } from '../support/factories.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../support/postgres/database.ts';
import { administratorPassword, urlOf } from '../support/service/florin.ts';
import { type ReadyService, startService } from '../support/service/service-process.ts';
import { type SpanCollector, startSpanCollector } from '../support/service/span-collector.ts';

/** A node of two processes. `crash.process.ts` kills one with the embedded PostgreSQL. */
let db: TestDatabase;
let service: ReadyService;
let admin: string;
let collector: SpanCollector;
/** One connection to each process. */
let connections: [Connection, Connection];
const failuresAllowed = 5;

interface Connection {
  client: Client;
  request: (method: 'GET' | 'POST', path: string, as?: string, body?: unknown) => Promise<Answer>;
}

interface Answer {
  status: number;
  /** The beginning of the request ids of a process. */
  process: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test says by its expectations what the body holds
  body: any;
}

beforeAll(async () => {
  db = await databaseFromTemplate();
  collector = await startSpanCollector();
  service = await start({ PORT: '0' });
  admin = await service.login('admin', administratorPassword);
  connections = await connectToBoth();
});

afterAll(async () => {
  for (const { client } of connections) await client.destroy();
  await service.end('SIGKILL');
  await collector.close();
  await db.drop();
});

const keys = { APP_JWT_KEYS: freshKeyring(), APP_ENCRYPTION_KEYS: freshKeyring() };

function start(environment: Record<string, string>): Promise<ReadyService> {
  return startService({
    environment: {
      DATABASE_URL: urlOf(db.connection),
      APP_ADMIN_PASSWORD: administratorPassword,
      APP_RATE_LIMIT_FAILURES_PER_ADDRESS: String(failuresAllowed),
      APP_PROCESSES: '2',
      APP_TRACING_ENDPOINT: collector.endpoint,
      ...keys,
      ...environment,
    },
  });
}

/** The kernel decides which process gets a connection: connects until both have one. */
async function connectToBoth(): Promise<[Connection, Connection]> {
  const first = connect();
  const { process } = await first.request('GET', '/health/live');
  for (;;) {
    const second = connect();
    if ((await second.request('GET', '/health/live')).process !== process) return [first, second];
    await second.client.destroy();
  }
}

function connect(): Connection {
  const client = new Client(service.address);
  return {
    client,
    request: async (method, path, as, body) => {
      const answer = await client.request({
        method,
        path,
        headers: {
          ...(as !== undefined && { authorization: as }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await answer.body.text();
      const [process = ''] = String(answer.headers['x-request-id']).split('-');
      return { status: answer.statusCode, process, body: text.startsWith('{') ? JSON.parse(text) : text };
    },
  };
}

/** The process numbers that process 2 has had. */
function pidsOfSecond(): number[] {
  return [...service.stderr.matchAll(/"process":2,"pid":(\d+),"msg":"A process serves requests"/g)].map(([, pid]) =>
    Number(pid),
  );
}

/** An orphan that has ended is a zombie until the init process collects it. */
const isAlive = (pid: number) => {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};

test('the metrics of all processes are shown by each', async () => {
  for (const { request } of connections) {
    const { body } = await request('GET', '/metrics');
    expect(body.match(/^process_cpu_seconds_total\{process="\d"\}/gm)).toEqual([
      'process_cpu_seconds_total{process="1"}',
      'process_cpu_seconds_total{process="2"}',
    ]);
    // What the database says is reported once.
    expect(body.match(/^florin_delivery_open\{.*\}/gm)).toEqual(['florin_delivery_open{process="1"}']);
  }
});

test('a key revoked through one process is refused there at once, by the other within a second', async () => {
  for (const [one, other] of [connections, connections.toReversed() as typeof connections]) {
    const key = await makeKey(service, admin, 'transaction_read');
    const use = async ({ request }: Connection) => (await request('GET', '/api/transaction/list', key.as)).status;
    expect([await use(one), await use(other)]).toEqual([200, 200]);
    dataOf((await one.request('POST', '/api/developer/mine/revoke', admin, { id: key.id })) as never);
    expect(await use(one)).toBe(401);
    await eventually('the other process refuses it', async () => (await use(other)) === 401, 1_000);
  }
});

test('a limit holds for all processes together', async () => {
  const refresh = async ({ request }: Connection) =>
    (await request('POST', '/api/user/refresh', undefined, { refreshToken: 'wrong' })).status;
  for (let failure = 0; failure < failuresAllowed; failure++) {
    expect(await refresh(connections[failure % 2] as Connection)).toBe(401);
  }
  for (const connection of connections) {
    await eventually('it is refused', async () => (await refresh(connection)) === 429, 1_000);
  }
});

test('of parallel wrong passwords through all processes, no more are tried than the limit allows', async () => {
  const guesses = Array.from({ length: 40 }, async () => {
    const { client, request } = connect();
    const { status } = await request('POST', '/api/user/login', undefined, { account: 'nobody', password: 'wrong!' });
    await client.destroy();
    return status;
  });
  const statuses = (await Promise.all(guesses)).toSorted();
  expect(statuses).toEqual([...Array(failuresAllowed).fill(401), ...Array(40 - failuresAllowed).fill(429)]);
});

test('payments are traced from the request on, whichever process accepted it', async () => {
  const channelId = await makeChannel(service, admin);
  const input = { amount: 1, currency: 'USD', channelId };
  const traces: string[] = [];
  for (const { request } of connections) {
    const { body } = await request('POST', '/api/transaction/create', admin, input);
    traces.push(body.data.id.replace('txn_', ''));
  }
  const rootOf = (trace: string) =>
    collector.spans.find(({ traceId, parentSpanId }) => traceId === trace && !parentSpanId);
  await eventually('both requests have a span', () => traces.every(rootOf));
});

test('a killed process is restarted, and everything it acknowledged is stored', async () => {
  const channelId = await makeChannel(service, admin);
  const created: string[] = [];
  for (const { request } of connections) {
    const { body } = await request('POST', '/api/transaction/create', admin, { amount: 1, currency: 'USD', channelId });
    created.push(body.data.id);
  }
  const [killed] = pidsOfSecond();
  process.kill(killed as number, 'SIGKILL');
  await eventually('another process serves', () => pidsOfSecond().length === 2);
  for (const { client } of connections) await client.destroy();
  connections = await connectToBoth();
  for (const { request } of connections) {
    for (const id of created) {
      expect((await request('GET', `/api/transaction/detail?id=${id}`, admin)).body.data.id).toBe(id);
    }
  }
});

test('when the first process is killed the others end, and the next start takes their port', async () => {
  const second = pidsOfSecond().at(-1) as number;
  expect(isAlive(second)).toBe(true);
  await service.end('SIGKILL');
  service = await start({ PORT: new URL(service.address).port });
  expect(isAlive(second)).toBe(false);
  await eventually('the second process serves', () => pidsOfSecond().length === 1);
});

test('SIGTERM ends all processes with 0', async () => {
  const [second] = pidsOfSecond();
  expect((await service.end('SIGTERM')).code).toBe(0);
  expect(isAlive(second as number)).toBe(false);
  expect(service.stderr).not.toContain('"level":"error"');
});
