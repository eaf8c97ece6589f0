import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type pg from 'pg';

export type CutLine = Awaited<ReturnType<typeof startCutLine>>;

/**
 * A TCP proxy to a database that can cut all of its connections after PostgreSQL has executed a statement and before
 * the answer arrives. To PostgreSQL and to the other nodes that looks as if the process had been killed at this step.
 */
export async function startCutLine({ host = '', port = 5432, ...others }: pg.ClientConfig) {
  const sockets = new Set<Socket>();
  /** Statements of the pool `watched` until the cut. */
  let remaining = 0;
  let watched = '';
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((near) => {
    const far = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    let pool = '';
    near.once('data', (startup) => {
      pool = /application_name=florin\\ ([^\0]*)\0/.exec(startup.toString('latin1'))?.[1] ?? '';
    });
    // The first answer is to the startup message.
    const endings = countingReadyForQuery();
    let isOpen = false;
    const isLast = (bytes: Buffer) => {
      const count = endings(bytes);
      if (!isOpen) {
        isOpen = count > 0;
        return false;
      }
      if (remaining === 0 || pool !== watched) return false;
      remaining = Math.max(0, remaining - count);
      return remaining === 0;
    };
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes) => (from === far && isLast(bytes) ? cut() : to.write(bytes)));
      from.on('error', () => {});
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    connection: { ...others, host: '127.0.0.1', port: (server.address() as AddressInfo).port } as pg.ClientConfig,
    /** Cuts every connection once the pool has executed this many further statements, BEGIN and COMMIT included. */
    cutAfter: (statements: number, ofPool: string) => {
      [remaining, watched] = [statements, ofPool];
    },
    /** Whether the cut is still to come. It does not come any more. */
    spare: (): boolean => {
      const isIntact = remaining > 0;
      remaining = 0;
      return isIntact;
    },
    close: async () => {
      cut();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** Counts the messages ReadyForQuery, with which PostgreSQL ends each answer, in a stream of bytes. */
function countingReadyForQuery(): (bytes: Buffer) => number {
  let rest = Buffer.alloc(0);
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    let count = 0;
    for (let end = messageEnd(rest); end <= rest.length; end = messageEnd(rest)) {
      if (rest[0] === 0x5a) count++; // Z
      rest = rest.subarray(end);
    }
    return count;
  };
}

/** A message is a letter and its length, which does not count the letter. */
const messageEnd = (bytes: Buffer) => (bytes.length < 5 ? Number.POSITIVE_INFINITY : 1 + bytes.readUInt32BE(1));
