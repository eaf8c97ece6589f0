import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from './network-of.ts';

export interface ConnectionLimit {
  /** Open connections allowed from one address, or from one /64 network of IPv6; undefined: any number. */
  perAddress: number | undefined;
  /** Open connections allowed in all; undefined: any number. */
  inAll: number | undefined;
  /** Proxies, whose connections are those of many callers: they count only in all. */
  isProxy: (address: string) => boolean;
  /** Answers and closes a connection beyond a limit. */
  refuse: (socket: Socket, limit: 'perAddress' | 'inAll') => void;
}

/**
 * Refuses connections of an address that has too many open, so that one caller cannot use up all that a process may
 * hold, and connections beyond what it may hold in all: it needs files for the database, for deliveries and for closing
 * connections.
 */
export function limitConnections(server: Server, { perAddress, inAll, isProxy, refuse }: ConnectionLimit): void {
  const open = new Map<string, number>();
  let openInAll = 0;
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress;
    const network = address === undefined || isProxy(address) ? undefined : networkOf(address);
    openInAll++;
    const count = network === undefined ? 0 : (open.get(network) ?? 0) + 1;
    if (network !== undefined) open.set(network, count);
    socket.once('close', () => {
      openInAll--;
      if (network === undefined) return;
      const left = (open.get(network) ?? 1) - 1;
      if (left === 0) open.delete(network);
      else open.set(network, left);
    });
    const exceeded =
      inAll !== undefined && openInAll > inAll
        ? 'inAll'
        : perAddress !== undefined && count > perAddress
          ? 'perAddress'
          : undefined;
    if (exceeded === undefined) return;
    refuse(socket, exceeded);
    socket.destroySoon();
  });
}
