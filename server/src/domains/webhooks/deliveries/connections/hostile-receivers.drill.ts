import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { constants, createGzip } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { type TestNodes, testNodes } from '../../../../../tests/support/service/nodes.ts';
import { minuteMs } from '../../../../core/clock.ts';

/** Hostile and defective receivers against a real node. */
let db: TestDatabase;
let nodes: TestNodes;
const cleanups: (() => unknown)[] = [];

beforeEach(async () => {
  db = await databaseFromTemplate();
  nodes = await testNodes(db);
});

afterEach(async () => {
  for (const clean of cleanups.splice(0)) await clean();
  await nodes.close();
  await db.drop();
});

async function rawServer(onConnection: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    onConnection(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `127.0.0.1:${(server.address() as { port: number }).port}`;
}

/** Answers with `beginning` and then with `piece` every 200 ms without end. */
const dripping = (beginning: string, piece: string) => (socket: Socket) => {
  socket.once('data', () => {
    socket.write(beginning);
    const drip = setInterval(() => socket.write(piece), 200);
    socket.on('close', () => clearInterval(drip));
  });
};

/** A port where no connection is ever accepted: the listening process is frozen and its backlog is full. */
async function neverConnecting(): Promise<string> {
  const code = `const s = require('node:net').createServer();
    s.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => console.log(s.address().port));`;
  const child: ChildProcess = spawn(process.execPath, ['--eval', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  cleanups.push(() => child.kill('SIGKILL'));
  const [port] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  child.kill('SIGSTOP');
  for (let i = 0; i < 20; i++) {
    const socket = connect(Number(port), '127.0.0.1');
    cleanups.push(() => socket.destroy());
    const isMade = await Promise.race([
      once(socket, 'connect').then(() => true),
      new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 500)),
    ]);
    if (!isMade) break;
  }
  return `127.0.0.1:${Number(port)}`;
}

interface Attempt {
  url: string;
  outcome: string;
  status: number | null;
  duration_ms: number;
}

const attempts = () =>
  db.query<Attempt>(
    `select endpoint.url, attempt.outcome, attempt.status, attempt.duration_ms
       from delivery_attempt attempt
       join delivery on delivery.tenant_id = attempt.tenant_id and delivery.id = attempt.delivery_id
       join webhook_endpoint endpoint on endpoint.id = delivery.endpoint_id`,
  );

test('every attempt ends after 10.0 to 10.5 s, whatever it waits for, and is a success after a 200', async () => {
  const silent = await rawServer(() => {});
  const waits: Record<string, string> = {
    'nothing comes': `http://${silent}/`,
    'a handshake is not answered': `https://${silent}/`,
    'a status line has no end': `http://${await rawServer(dripping('HTTP/1.1 200 ', 'O'))}/`,
    'headers come one by one': `http://${await rawServer(dripping('HTTP/1.1 200 OK\r\n', 'X-More: 1\r\n'))}/`,
    'interim answers come': `http://${await rawServer(dripping('', 'HTTP/1.1 102 Processing\r\n\r\n'))}/`,
    'no connection is made': `http://${await neverConnecting()}/`,
  };
  const answered = `http://${await rawServer(dripping('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', '1\r\n.\r\n'))}/`;
  const node = await nodes.start();
  for (const url of [...Object.values(waits), answered]) await nodes.registerEndpoint(node, url);
  await nodes.recordEvents(1);
  const made = await eventually(
    'each has been attempted',
    async () => {
      const all = await attempts();
      return all.length === Object.keys(waits).length + 1 && all;
    },
    minuteMs,
  );
  const outsideLimits = made.filter(({ duration_ms }) => duration_ms < 10_000 || duration_ms > 10_500);
  expect(outsideLimits).toEqual([]);
  const outcomeAt = (url: string) => made.find((attempt) => attempt.url === url);
  for (const [what, url] of Object.entries(waits)) {
    expect({ what, ...outcomeAt(url) }).toMatchObject({ what, outcome: 'timeout', status: null });
  }
  expect(outcomeAt(answered)).toMatchObject({ outcome: 'ok', status: 200 });
});

/** A GiB of zeros, compressed to 1 MB. */
async function bomb(): Promise<Buffer> {
  const gzip = createGzip({ level: constants.Z_BEST_SPEED });
  const packed = gzip.toArray();
  const zeros = Buffer.alloc(1024 ** 2);
  for (let i = 0; i < 1024; i++) if (!gzip.write(zeros)) await once(gzip, 'drain');
  gzip.end();
  return Buffer.concat(await packed);
}

/** In MiB. */
const peakOf = (pid: number) =>
  Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
/** Resets the peak memory usage of the process. */
const resetPeakOf = (pid: number) => writeFileSync(`/proc/${pid}/clear_refs`, '5');

test.skipIf(process.platform !== 'linux')(
  'memory stays flat under 200 answers of a GiB, plain and compressed, and endless headers; ' +
    '8 KiB of each body are stored',
  async () => {
    const packed = await bomb();
    expect(packed.length).toBeGreaterThan(1024 ** 2 / 2);
    const mebibyte = Buffer.alloc(1024 ** 2, 'x');
    const plain = await nodes.startReceiver((_received, _request, response) => {
      response.writeHead(200, { 'content-length': 1024 ** 3 });
      let left = 1024;
      const more = () => {
        while (!response.destroyed && left-- > 0) if (!response.write(mebibyte)) return;
      };
      response.on('drain', more);
      more();
    });
    const compressing = await nodes.startReceiver((_received, _request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'application/json' }).end(packed);
    });
    const header = `X-More: ${'x'.repeat(60_000)}\r\n`;
    const flooding = await rawServer((socket) => {
      let left = 1024 ** 3;
      const more = () => {
        while (!socket.destroyed && left > 0) {
          left -= header.length;
          if (!socket.write(header)) return;
        }
      };
      socket.on('drain', more);
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\n');
        more();
      });
    });
    const node = await nodes.start({ APP_WEBHOOK_RETRY_INTERVALS: '1h' });
    const healthy = await nodes.startReceiver();
    // Warm up everything before memory is measured.
    await nodes.registerEndpoint(node, healthy.url);
    await nodes.recordEvents(300);
    await nodes.allDelivered(minuteMs);
    const hooks = [plain.url, compressing.url, `http://${flooding}`];
    for (const url of hooks) await nodes.registerEndpoint(node, url);
    const before = peakOf(node.pid);
    resetPeakOf(node.pid);
    await nodes.recordEvents(100);
    await eventually(
      'each has been attempted',
      async () =>
        (await attempts()).filter(({ url }) => url !== healthy.url && url !== `http://${flooding}`).length === 200,
      2 * minuteMs,
    );
    await eventually('headers too', async () => (await attempts()).some(({ url }) => url === `http://${flooding}`));
    expect(peakOf(node.pid) - before).toBeLessThan(64);
    const made = await attempts();
    const outcomesAt = (at: string) => new Set(made.filter(({ url }) => url === at).map(({ outcome }) => outcome));
    expect([outcomesAt(plain.url), outcomesAt(compressing.url)]).toEqual([new Set(['ok']), new Set(['ok'])]);
    expect(outcomesAt(`http://${flooding}`)).toEqual(new Set(['protocol']));
    const [stored] = await db.query<{ largest: number }>(
      'select max(length(response_body)) as largest from delivery_attempt',
    );
    expect(stored?.largest).toBe(8 * 1024);
  },
);
