import { type AddressInfo, createServer, type Socket } from 'node:net';
import pg from 'pg';

/** Types of PostgreSQL messages. */
const startupVersion = 196_608;
const readyForQuery = 0x5a;
const terminate = 0x58;

interface ServerConnection {
  socket: Socket;
  /** The client it serves until its transaction ends. */
  client: Socket | undefined;
  rest: Buffer;
}

export interface PoolerOptions {
  /**
   * Refuses `options` as pgbouncer does by default; otherwise they are dropped, as with `ignore_startup_parameters`.
   */
  refuseOptions?: boolean;
  serverConnections?: number;
}

export interface Pooler {
  connection: pg.ClientConfig;
  close: () => Promise<void>;
}

/**
 * A pooler in transaction mode, as pgbouncer with `pool_mode = transaction`: a client has a server connection from its
 * first message until the server is ready outside a transaction. What the server sends while no client has the
 * connection, such as a notification, is dropped.
 */
export async function transactionPooler(
  upstream: pg.ClientConfig,
  { refuseOptions = true, serverConnections = 3 }: PoolerOptions = {},
): Promise<Pooler> {
  const logins = await Promise.all(Array.from({ length: serverConnections }, () => login(upstream)));
  const servers = logins.map((client) => serverConnectionOf(client));
  const clients = new Set<Socket>();
  const waiting: { client: Socket; bytes: Buffer }[] = [];

  const forward = (client: Socket, bytes: Buffer) => {
    // The least recently used comes next, so that clients change connections.
    const server = servers.find((candidate) => candidate.client === client) ?? servers.find(({ client: c }) => !c);
    if (server === undefined) {
      waiting.push({ client, bytes });
      return;
    }
    if (server.client === undefined) servers.push(...servers.splice(servers.indexOf(server), 1));
    server.client = client;
    server.socket.write(bytes);
  };
  for (const server of servers) {
    server.socket.on('data', (bytes) => {
      server.client?.write(bytes);
      if (!endsTransaction(server, bytes)) return;
      server.client = undefined;
      const next = waiting.shift();
      if (next !== undefined) forward(next.client, next.bytes);
    });
  }

  const door = createServer((client) => {
    clients.add(client);
    client.on('error', () => {});
    client.on('close', () => clients.delete(client));
    let isStarted = false;
    client.on('data', (bytes) => {
      if (isStarted) {
        if (bytes[0] === terminate) client.end();
        else forward(client, bytes);
        return;
      }
      if (bytes.readInt32BE(4) !== startupVersion) {
        client.write('N');
        return;
      }
      const names = bytes.toString('utf8', 8).split('\0');
      if (refuseOptions && names.includes('options')) {
        client.end(message('E', 'SFATAL\0C08P01\0Munsupported startup parameter: options\0\0'));
        return;
      }
      isStarted = true;
      client.write(Buffer.concat([message('R', '\0\0\0\0'), message('Z', 'I')]));
    });
  });
  await new Promise<void>((listening) => door.listen(0, '127.0.0.1', listening));
  return {
    connection: {
      host: '127.0.0.1',
      port: (door.address() as AddressInfo).port,
      user: upstream.user,
      database: upstream.database,
    },
    close: async () => {
      const closed = new Promise((done) => door.close(done));
      for (const client of clients) client.destroy();
      for (const { socket } of servers) socket.destroy();
      await closed;
    },
  };
}

/** Logs in through the driver, and then takes over its socket. */
async function login(upstream: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client(upstream);
  client.on('error', () => {});
  await client.connect();
  return client;
}

function serverConnectionOf(client: pg.Client): ServerConnection {
  const socket = client.connection.stream as Socket;
  socket.removeAllListeners('data');
  return { socket, client: undefined, rest: Buffer.alloc(0) };
}

/** Whether these bytes end with the server being ready outside a transaction. */
function endsTransaction(server: ServerConnection, bytes: Buffer): boolean {
  server.rest = Buffer.concat([server.rest, bytes]);
  let isReady = false;
  while (server.rest.length >= 5) {
    const length = 1 + server.rest.readInt32BE(1);
    if (server.rest.length < length) break;
    isReady = server.rest[0] === readyForQuery && server.rest[5] === 'I'.charCodeAt(0);
    server.rest = server.rest.subarray(length);
  }
  return isReady && server.rest.length === 0;
}

function message(type: string, body: string): Buffer {
  const bytes = Buffer.alloc(5 + Buffer.byteLength(body));
  bytes.write(type);
  bytes.writeInt32BE(bytes.length - 1, 1);
  bytes.write(body, 5);
  return bytes;
}
