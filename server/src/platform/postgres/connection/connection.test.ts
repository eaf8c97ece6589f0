import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databaseFromTemplate, type TestDatabase } from '../../../../tests/support/postgres/database.ts';
import { transactionPooler } from '../../../../tests/support/postgres/transaction-pooler.ts';
import { urlOf } from '../../../../tests/support/service/florin.ts';
import { Database } from '../database.ts';
import { describeHosts, SessionClient } from './connection.ts';
import { type ConnectionConfig, connectionOf } from './connection-url.ts';

const setting = (name: string) => ({ name: '', text: `select current_setting('${name}') as value` });

describe('a database URL', () => {
  const hostsOf = (url: string) => connectionOf(url).hosts;

  test('may name several hosts, each with its port', () => {
    expect(hostsOf('postgres://u:p@h1:5433,h2/db')).toEqual([
      { host: 'h1', port: 5433 },
      { host: 'h2', port: undefined },
    ]);
    expect(hostsOf('postgresql://[::1]:5433,10.0.0.1:5434/db')).toEqual([
      { host: '::1', port: 5433 },
      { host: '10.0.0.1', port: 5434 },
    ]);
    expect(hostsOf('postgres://u@/db?host=%2Frun%2Fa,h2&port=5433,5434')).toEqual([
      { host: '/run/a', port: 5433 },
      { host: 'h2', port: 5434 },
    ]);
    expect(hostsOf('postgres://u@/db?host=h1,h2&port=6000')).toEqual([
      { host: 'h1', port: 6000 },
      { host: 'h2', port: 6000 },
    ]);
  });

  test('keeps account, database and everything else for the driver', () => {
    const config = connectionOf('postgres://u%40x:p%2Fw@h1:1,h2:2/d%20b?sslmode=disable&target_session_attrs=primary');
    const client = new SessionClient(config);
    expect([client.user, client.password, client.database, client.ssl]).toEqual(['u@x', 'p/w', 'd b', false]);
    expect(config.targetSessionAttrs).toBe('primary');
    expect(describeHosts(config)).toBe('h1:1, h2:2');
  });

  test.each([
    ['mysql://u:canary@h/db', /begins with postgres/],
    ['postgres://u:canary@h/db?target_session_attrs=standby', /any, read-write, primary/],
    ['postgres://u:canary@h1,h2,h3/db?port=1,2', /one port, or one for each host/],
    ['postgres://u:canary@h1:70000/db', /65535/],
    ['postgres://u:canary@h1:x/db', /host:port/],
    ['postgres://u:can%ary@h1?host=%', /escape/],
  ])('%s is refused without being repeated', (url, reason) => {
    expect(() => connectionOf(url)).toThrow(reason);
    expect(() => connectionOf(url)).not.toThrow(/canary/);
  });
});

describe('session settings', () => {
  let db: TestDatabase;

  beforeAll(async () => {
    db = await databaseFromTemplate('template0');
  });

  afterAll(() => db.drop());

  const on = (connection: ConnectionConfig) =>
    new Database({ connection, connections: 1, name: 'test settings', plans: 'indexed', statementTimeoutMs: 7_000 });

  test.each(['prefer', 'allow'])('work without TLS on a server that has none, with sslmode=%s', async (mode) => {
    const database = on(connectionOf(`${urlOf(db.connection)}&sslmode=${mode}`));
    const ssl = { name: 'test.ssl', text: 'select ssl from pg_stat_ssl where pid = pg_backend_pid()' };
    expect(await database.run(ssl)).toEqual([{ ssl: false }]);
    const required = on(connectionOf(`${urlOf(db.connection)}&sslmode=require`));
    await expect(required.run(ssl)).rejects.toThrow();
    await database.close();
    await required.close();
  });

  test('of the URL add to our own; those that answers are read by stay', async () => {
    const options = encodeURIComponent('-c work_mem=7MB -c statement_timeout=5000 -c timezone=Asia/Tokyo');
    const database = on(connectionOf(`${urlOf(db.connection)}&options=${options}`));
    const value = async (name: string) => (await database.run<{ value: string }>(setting(name)))[0]?.value;
    expect(await value('work_mem')).toBe('7MB');
    expect(await value('statement_timeout')).toBe('5s');
    expect(await value('enable_seqscan')).toBe('off');
    expect(await value('jit')).toBe('off');
    expect(await value('timezone')).toBe('UTC');
    expect(await value('application_name')).toBe('florin test settings');
    await database.close();
  });

  test.each([true, false])(
    'hold behind a pooler that takes no options (it refuses them: %s)',
    async (refuseOptions) => {
      const pooler = await transactionPooler(db.connection, { refuseOptions, serverConnections: 1 });
      const options = encodeURIComponent('-c work_mem=7MB --search-path=a,\\ b');
      const url = `postgres://${pooler.connection.user}@127.0.0.1:${pooler.connection.port}/x?options=${options}`;
      const database = on(connectionOf(url));
      const value = async (name: string) => (await database.run<{ value: string }>(setting(name)))[0]?.value;
      expect(await value('enable_seqscan')).toBe('off');
      expect(await value('statement_timeout')).toBe('7s');
      expect(await value('work_mem')).toBe('7MB');
      expect(await value('search_path')).toBe('a, b');
      expect(await value('application_name')).toBe('florin test settings');
      await database.close();
      await pooler.close();
    },
  );
});

describe('a host that dies in the middle of the login', () => {
  test('leaves nothing that is sent to the next one', async () => {
    const first = await startScramServer((socket, nonce) => {
      // The client derives its key for a tenth of a second, and the connection is closed meanwhile.
      socket.end(saslContinue(`r=${nonce}first,s=c2FsdA==,i=100000`));
    });
    const second = await startScramServer((socket, nonce) => {
      socket.write(saslContinue(`r=${nonce}second,s=c2FsdA==,i=100000`));
    });
    const url = `postgres://u:secret@127.0.0.1:${first.port},127.0.0.1:${second.port}/d?target_session_attrs=primary`;
    const client = new SessionClient(connectionOf(url));
    await expect(client.connect()).rejects.toThrow(/no host will do/);
    expect(second.messages).toEqual([
      expect.stringMatching(/^SCRAM-SHA-256/),
      expect.stringMatching(/^c=biws,r=.*second,p=/),
    ]);
    first.close();
    second.close();
  });

  const saslContinue = (data: string) => authentication(11, data);

  function authentication(code: number, data: string): Buffer {
    const message = Buffer.alloc(9 + Buffer.byteLength(data));
    message.write('R');
    message.writeInt32BE(message.length - 1, 1);
    message.writeInt32BE(code, 5);
    message.write(data, 9);
    return message;
  }

  /** Asks for SCRAM, keeps the client's messages, and ends the connection after the last of them. */
  async function startScramServer(continues: (socket: Socket, nonce: string) => void) {
    const messages: string[] = [];
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => {
        socket.write(authentication(10, 'SCRAM-SHA-256\0\0'));
        socket.on('data', (bytes) => {
          for (let start = 0; start < bytes.length; start += 1 + bytes.readInt32BE(start + 1)) {
            const message = bytes.toString('latin1', start + 5, start + 1 + bytes.readInt32BE(start + 1));
            messages.push(message);
            const [, nonce] = /^SCRAM-SHA-256.*,r=(.*)$/.exec(message) ?? [];
            if (nonce !== undefined) continues(socket, nonce);
            else if (message.includes(',p=')) socket.end();
          }
        });
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return { port: (server.address() as AddressInfo).port, messages, close: () => server.close() };
  }
});

describe('a host that gave no answer', () => {
  let db: TestDatabase;

  beforeAll(async () => {
    db = await databaseFromTemplate('template0');
  });

  afterAll(() => db.drop());

  test('is tried last by the next connection, of whatever pool, until it answers', async () => {
    let tries = 0;
    let answers = false;
    const sockets = new Set<Socket>();
    const lost = createServer((socket) => {
      tries++;
      sockets.add(socket);
      socket.on('error', () => {});
      if (answers) socket.destroy();
    });
    lost.listen(0, '127.0.0.1');
    await once(lost, 'listening');
    const primary = new URL(urlOf(db.connection));
    const lostHost = `127.0.0.1:${(lost.address() as AddressInfo).port}`;
    const config = connectionOf(
      `postgres://${primary.username}@${lostHost},127.0.0.1/${primary.pathname.slice(1)}` +
        `?target_session_attrs=primary`,
    );
    const present = config.hosts?.[1] as { host: string; port: number };
    Object.assign(present, { host: primary.searchParams.get('host') ?? primary.hostname, port: Number(primary.port) });
    const connect = async () => {
      const client = new SessionClient({ ...config, connectionTimeoutMillis: 400 });
      await client.connect();
      await client.end();
    };
    // As after a failover: the lost machine was the primary.
    (config.learned as { lastHost: unknown }).lastHost = config.hosts?.[0];
    await connect();
    expect(tries).toBe(1);
    await connect();
    await connect();
    expect(tries).toBe(1);

    // It is found again when no other host will do.
    answers = true;
    const { port } = present;
    present.port = 1;
    await expect(connect()).rejects.toThrow(/no host will do/);
    expect([tries, config.learned?.silentHosts.size]).toEqual([2, 0]);
    present.port = port;
    await connect();
    for (const socket of sockets) socket.destroy();
    lost.close();
  });
});

describe('behind a pooler that hands out connections by transaction', () => {
  let db: TestDatabase;

  beforeAll(async () => {
    db = await databaseFromTemplate('template0');
    await db.query('create table written (id int primary key)');
  });

  afterAll(() => db.drop());

  test('every statement is executed once, prepared or not, and it is told once that none can be kept', async () => {
    const pooler = await transactionPooler(db.connection, { serverConnections: 2 });
    let told = 0;
    const database = new Database({
      connection: pooler.connection,
      connections: 4,
      name: 'test pooled',
      onUnprepared: () => told++,
    });
    const insert = { name: 'test.insert', text: 'insert into written values ($1)' };
    const ids = Array.from({ length: 40 }, (_, id) => id);
    for (const id of ids.slice(0, 20)) await database.run(insert, [id]);
    await Promise.all(ids.slice(20).map((id) => database.transaction((transaction) => transaction.run(insert, [id]))));
    const rows = await db.query<{ id: number }>('select id from written order by id');
    expect(rows.map(({ id }) => id)).toEqual(ids);
    expect(told).toBe(1);
    await database.close();
    await pooler.close();
  });
});
