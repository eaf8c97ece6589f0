import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Relay {
  address: string;
  /** Ends every connection, and refuses new ones. */
  cut: () => void;
  resume: () => void;
  close: () => Promise<void>;
}

/** Forwards connections to a service until it is told to refuse them. */
export async function openRelay(to: string): Promise<Relay> {
  const { hostname, port } = new URL(to);
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((client) => {
    if (isCut) {
      client.destroy();
      return;
    }
    const service = connect(Number(port), hostname);
    for (const [one, other] of [
      [client, service],
      [service, client],
    ] as const) {
      sockets.add(one);
      one.pipe(other);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const end = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut: () => {
      isCut = true;
      end();
    },
    resume: () => {
      isCut = false;
    },
    close: async () => {
      end();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
