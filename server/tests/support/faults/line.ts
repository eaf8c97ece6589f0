import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type pg from 'pg';

export type Line = Awaited<ReturnType<typeof startLine>>;

/** A TCP proxy to a database that can fall silent or fail over: it then drops all data without closing a connection. */
export async function startLine(to: pg.ClientConfig) {
  const { host: _host, port: _port, ...others } = to;
  const pairs = new Set<{ near: Socket; far: Socket; isMute: boolean }>();
  let leadsTo = to;
  const server = createServer((near) => {
    const { host = '', port = 5432 } = leadsTo;
    const far = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    const pair = { near, far, isMute: false };
    pairs.add(pair);
    for (const [from, into] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('data', (bytes) => line.silent || pair.isMute || into.write(bytes));
      from.on('error', () => {});
      from.on('close', () => {
        into.destroy();
        pairs.delete(pair);
      });
    }
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const line = {
    /** Drops all data, also on connections opened meanwhile. */
    silent: false,
    connection: { ...others, host: '127.0.0.1', port: (server.address() as AddressInfo).port } as pg.ClientConfig,
    /** Open connections stay silent; new ones lead to the other server. */
    failOverTo: (other: pg.ClientConfig) => {
      for (const pair of pairs) pair.isMute = true;
      leadsTo = other;
    },
    close: async () => {
      for (const { near, far } of pairs) {
        near.destroy();
        far.destroy();
      }
      await new Promise((closed) => server.close(closed));
    },
  };
  return line;
}
