import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the server does with one request. */
export type Fault = (response: ServerResponse) => void;

export interface FaultServer {
  address: string;
  /** The headers and the times of the requests so far. */
  requests: { headers: IncomingHttpHeaders; atMs: number }[];
  /** Plans the answers of the next requests, and forgets earlier ones. */
  answer: (...faults: Fault[]) => void;
  stop: () => Promise<void>;
}

export const refused =
  (status: number, type: string, headers: Record<string, string> = {}): Fault =>
  (response) => {
    const error = { type, requestId: 'r-1' };
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify({ code: status, message: 'No.', data: null, error }));
  };

export const accepted: Fault = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ code: 200, data: { id: 'txn_1', status: 'PENDING' } }));
};

/** Closes the connection after the request was read. */
export const cut: Fault = (response) => response.destroy();
/** Sends half an answer and closes the connection. */
export const cutInBody: Fault = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
  response.write('{"code":200,', () => response.destroy());
};
export const page: Fault = (response) =>
  response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>');

export async function startFaultServer(): Promise<FaultServer> {
  let planned: Fault[] = [];
  const requests: FaultServer['requests'] = [];
  const server = createServer((request, response) => {
    requests.push({ headers: request.headers, atMs: performance.now() });
    request.resume().on('end', () => (planned.shift() ?? accepted)(response));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    answer: (...faults) => {
      planned = faults;
      requests.length = 0;
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
