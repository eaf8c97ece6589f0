import type { Socket } from 'node:net';
import { documentationOf } from '../refusal-reply.ts';

export const jsonType = 'application/json; charset=utf-8';

const reasons = {
  400: 'Bad Request',
  408: 'Request Timeout',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  503: 'Service Unavailable',
} as const;

interface RawRefusal {
  status: keyof typeof reasons;
  type: 'invalid_request' | 'too_many_requests' | 'overloaded';
  message: string;
  requestId: string;
  headers: Readonly<Record<string, string>>;
}

/** Writes a refusal in the envelope to a connection that is past serving, and closes it. */
export function refuseConnection(socket: Socket, { status, type, message, requestId, headers }: RawRefusal): void {
  const body = JSON.stringify({
    code: status,
    message,
    data: null,
    error: { type, requestId, doc: documentationOf(type) },
  });
  const lines = [
    `HTTP/1.1 ${status} ${reasons[status]}`,
    `Content-Type: ${jsonType}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `X-Request-Id: ${requestId}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
}

/** How invalid HTTP, and requests that are too slow or too large, are refused. */
export function brokenHttpRefusal({ code }: NodeJS.ErrnoException): Pick<RawRefusal, 'status' | 'type' | 'message'> {
  const status = code === 'HPE_HEADER_OVERFLOW' ? 431 : code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
  return { status, type: 'invalid_request', message: `The request cannot be read: ${reasons[status]}.` };
}
