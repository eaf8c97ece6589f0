import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface Received {
  headers: IncomingMessage['headers'];
  path: string;
  /** The exact bytes. */
  body: Buffer;
  /** The number of its connection, from 1. */
  connection: number;
}

/** How a receiver answers: with a status, or by a function. */
export type Answering = number | ((received: Received, ...http: Parameters<RequestListener>) => void);

/** A webhook receiver that records the posts it receives, and answers as configured. */
export interface Receiver {
  readonly received: Received[];
  readonly url: string;
  /** The number of connections made to it. */
  readonly connections: number;
  /** Changes how it answers. */
  answering: Answering;
  close: () => Promise<void>;
}

export async function startReceiver(answering: Answering = 200, server: Server = createServer()): Promise<Receiver> {
  const received: Received[] = [];
  const numbers = new WeakMap<Socket, number>();
  let connections = 0;
  server.on('connection', (socket) => numbers.set(socket, ++connections));
  server.on('request', (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { headers, url = '' } = request;
      const post = { headers, path: url, body: Buffer.concat(chunks), connection: numbers.get(request.socket) ?? 0 };
      received.push(post);
      if (typeof receiver.answering === 'function') receiver.answering(post, request, response);
      else response.writeHead(receiver.answering).end('ok');
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const receiver = {
    received,
    url: `http://127.0.0.1:${port}`,
    get connections() {
      return connections;
    },
    answering,
    close: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
  return receiver;
}
