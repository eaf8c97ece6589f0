import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ProxyBelow {
  /** The address that clients use, with the path. */
  url: string;
  /** Names the node that requests go to. */
  forwardTo: (address: string) => void;
  close: () => Promise<void>;
}

/**
 * A reverse proxy that offers a node below a path of its host, and answers 404 elsewhere. It passes the whole path on,
 * or strips its beginning, and passes the `Host` header on.
 */
export async function openProxy(path: string, { strips }: { strips: boolean }): Promise<ProxyBelow> {
  let node = '';
  const server = createServer((asked, answer) => {
    const { method, headers, url = '' } = asked;
    if (!new RegExp(`^${path}(?=[/?]|$)`).test(url)) {
      answer.writeHead(404).end('Another application');
      return;
    }
    const rest = url.slice(path.length);
    const target = strips ? (rest.startsWith('/') ? rest : `/${rest}`) : url;
    const onward = request(node, { method, headers, path: target }, (reply) => {
      answer.writeHead(reply.statusCode as number, reply.rawHeaders);
      reply.pipe(answer);
    });
    onward.once('error', () => answer.destroy());
    answer.once('close', () => onward.destroy());
    asked.pipe(onward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    forwardTo: (address) => {
      node = address;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
