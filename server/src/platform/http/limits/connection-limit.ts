import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from './network-of.ts';

export interface ConnectionLimit {
  /** Open connections allowed from one address, or from one /64 network of IPv6. */
  max: number;
  /** Proxies, whose connections are those of many callers. */
  isProxy: (address: string) => boolean;
  /** Answers and closes a connection beyond the limit. */
  refuse: (socket: Socket) => void;
}

/** Refuses connections of an address that has too many open, so that one caller cannot use up all that a process may hold. */
export function limitConnections(server: Server, { max, isProxy, refuse }: ConnectionLimit): void {
  const open = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress;
    if (address === undefined || isProxy(address)) return;
    const network = networkOf(address);
    const count = (open.get(network) ?? 0) + 1;
    open.set(network, count);
    socket.once('close', () => {
      const left = (open.get(network) ?? 1) - 1;
      if (left === 0) open.delete(network);
      else open.set(network, left);
    });
    if (count <= max) return;
    refuse(socket);
    socket.destroySoon();
  });
}
