import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { eventually } from '../support/postgres/database.ts';
import { administratorPassword, clientOf } from '../support/service/florin.ts';
import { refusalOfStart } from '../support/service/refusal-of-start.ts';
import { type ServiceProcess, spawnService } from '../support/service/service-process.ts';
import { StartFolder } from '../support/service/start-folder.ts';

/** Starts whose database cannot be reached, or refuses them. */
let folder: StartFolder;

beforeAll(async () => {
  folder = await StartFolder.open();
});

afterAll(() => folder.close());

const startOn = (DATABASE_URL: string, environment: Record<string, string> = {}) => ({
  cwd: folder.path,
  environment: folder.onDatabase({ DATABASE_URL, ...environment }),
});

const password = 'canary-of-the-url';
let port: number;

beforeEach(async () => {
  const server = createTcpServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
  server.close();
  await once(server, 'close');
});

const waitingService = () => {
  const { user = '', password: own, database = '' } = folder.db.connection;
  const account = `${encodeURIComponent(user)}:${own ? encodeURIComponent(String(own)) : password}`;
  const url = `postgres://${account}@127.0.0.1:${port}/${database}`;
  return spawnService(startOn(url, { APP_LOG_LEVEL: 'info' }));
};
const addressOf = (service: ServiceProcess) =>
  eventually('the port is open', () => /"address":"(http[^"]+)"/.exec(service.stderr)?.[1]);

test('makes the start wait, live and not ready, with the reason, until the database answers', async () => {
  const service = waitingService();
  const address = await addressOf(service);
  const { call } = clientOf(address);
  expect((await call('GET', '/health/live')).status).toBe(200);
  const ready = await call('GET', '/health/ready');
  expect(ready.status).toBe(503);
  expect(ready.headers.get('retry-after')).toBe('1');
  expect(ready.headers.get('x-request-id')).toBe(ready.body.error.requestId);
  expect(ready.body).toMatchObject({ code: 503, data: null, error: { type: 'database_unavailable' } });
  expect(ready.body.message).toMatch(new RegExp(`Waiting for the database at 127\\.0\\.0\\.1:${port}: .*ECONNREFUSED`));
  const login = await call('POST', '/api/user/login', { body: { account: 'admin', password: 'x' } });
  expect(login.status).toBe(503);
  expect(login.headers.get('retry-after')).toBe('1');
  expect(JSON.stringify(login.body)).not.toContain(String(port));

  const database = await forwarder(port);
  expect((await service.printed(/"msg":"Florin is ready","address":"([^"]+)"/))[1]).toBe(address);
  expect((await call('GET', '/health/ready')).status).toBe(200);
  const { status } = await call('POST', '/api/user/login', {
    body: { account: 'admin', password: administratorPassword },
  });
  expect(status).toBe(200);
  expect(service.stderr).toContain(`Waiting for the database at 127.0.0.1:${port}`);
  expect(service.stderr + service.stdout).not.toContain(password);
  expect(await service.end('SIGTERM')).toEqual({ code: 0, signal: null });
  await database.close();
});

test.each(['SIGTERM', 'SIGINT'] as const)('%s ends the wait with 0', async (signal) => {
  const service = waitingService();
  await addressOf(service);
  expect(await service.end(signal)).toEqual({ code: 0, signal: null });
  expect(service.stderr).not.toMatch(/"level":"(error|fatal)"/);
});

test('a port that is taken ends it', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const PORT = String((taken.address() as AddressInfo).port);
  expect(await refusalOfStart(startOn(`postgres://127.0.0.1:${port}/x`, { PORT }))).toContain(`port ${PORT}`);
  taken.close();
});

test.each([
  ['28P01', 'password authentication failed for user "florin"'],
  ['28000', 'no pg_hba.conf entry for host "127.0.0.1"'],
  ['3D000', 'database "x" does not exist'],
])('one that refuses with %s is not waited for: the line says why', async (code, message) => {
  const server = createTcpServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      const body = `SFATAL\0C${code}\0M${message}\0\0`;
      const reply = Buffer.alloc(5);
      reply.write('E');
      reply.writeInt32BE(4 + body.length, 1);
      socket.end(Buffer.concat([reply, Buffer.from(body)]));
    });
  }).listen(port, '127.0.0.1');
  await once(server, 'listening');
  const DATABASE_URL = `postgres://florin:${password}@127.0.0.1:${port}/x`;
  const line = await refusalOfStart(startOn(DATABASE_URL));
  expect(line).toBe(`Florin cannot start: app.database.url cannot be used: ${message}.`);
  server.close();
});

/** The database of the test, at a port of its own. */
async function forwarder(at: number) {
  const { host = '', port: to = 5432 } = folder.db.connection;
  const sockets = new Set<Socket>();
  const server = createTcpServer((near) => {
    const far = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${to}`) : connect(to, host);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => (socket === near ? far : near).destroy());
    }
    near.pipe(far).pipe(near);
  }).listen(at, '127.0.0.1');
  await once(server, 'listening');
  return {
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((closed) => server.close(closed));
    },
  };
}
