import type { Socket } from 'node:net';

/** Calls `onPost` with the head of each complete post on a connection. Parses no more of HTTP than that needs. */
export function eachPost(socket: Socket, onPost: (head: string) => void): void {
  let head = '';
  let received = '';
  let missingBytes = 0;
  socket.on('error', () => {});
  socket.on('data', (chunk: Buffer) => {
    if (missingBytes > 0) missingBytes -= chunk.length;
    else {
      received += chunk.toString('latin1');
      const headBytes = received.indexOf('\r\n\r\n') + 4;
      if (headBytes < 4) return;
      missingBytes = headBytes + Number(/\r\ncontent-length: (\d+)/i.exec(received)?.[1] ?? 0) - received.length;
      head = received;
      received = '';
    }
    if (missingBytes === 0) onPost(head);
  });
}

export const okResponse = Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
