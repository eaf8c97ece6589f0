import type { Socket } from 'node:net';

/** Finds the end of each post on a connection, and tells of its head. It knows no more of HTTP than that takes. */
export function eachPost(socket: Socket, onPost: (head: string) => void): void {
  let head = '';
  let begun = '';
  let missing = 0;
  socket.on('error', () => {});
  socket.on('data', (chunk: Buffer) => {
    if (missing > 0) missing -= chunk.length;
    else {
      begun += chunk.toString('latin1');
      const headBytes = begun.indexOf('\r\n\r\n') + 4;
      if (headBytes < 4) return;
      missing = headBytes + Number(/\r\ncontent-length: (\d+)/i.exec(begun)?.[1] ?? 0) - begun.length;
      head = begun;
      begun = '';
    }
    if (missing === 0) onPost(head);
  });
}

export const okAnswer = Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
