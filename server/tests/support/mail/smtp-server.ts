import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerEnvelope } from 'smtp-server';

export interface ReceivedMail {
  envelope: SMTPServerEnvelope;
  text: string;
}

export interface TestSmtpServer {
  url: string;
  port: number;
  received: ReceivedMail[];
  close: () => Promise<void>;
}

/** A mail server on the loopback interface. It refuses every recipient that `refuses` names. */
export async function startSmtpServer({
  port = 0,
  refuses = () => false,
}: {
  port?: number;
  refuses?: (address: string) => boolean;
} = {}): Promise<TestSmtpServer> {
  const received: ReceivedMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo: ({ address }, _session, done) => done(refuses(address) ? new Error('Mailbox unavailable') : null),
    onData: (stream, session, done) => {
      const envelope = { ...session.envelope };
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        received.push({ envelope, text: Buffer.concat(chunks).toString('utf8') });
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const listening = (server.server.address() as AddressInfo).port;
  return {
    url: `smtp://127.0.0.1:${listening}`,
    port: listening,
    received,
    close: () => new Promise<void>((resolve) => server.close(resolve)),
  };
}

/** The bodies of a message by media type, without their transfer encoding. */
export function bodiesOf({ text }: ReceivedMail): Record<string, string> {
  const boundary = /boundary="([^"]+)"/.exec(text)?.[1];
  const parts = boundary === undefined ? [text] : text.split(`--${boundary}`).slice(1, -1);
  return Object.fromEntries(
    parts.map((part) => {
      const [head = '', ...rest] = part.trimStart().split('\r\n\r\n');
      const type = /content-type: ([\w/]+)/i.exec(head)?.[1] ?? 'text/plain';
      const encoding = /content-transfer-encoding: (\S+)/i.exec(head)?.[1] ?? '7bit';
      return [type, decoded(rest.join('\r\n\r\n'), encoding).replaceAll('\r\n', '\n').trim()];
    }),
  );
}

function decoded(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8');
  if (encoding !== 'quoted-printable') return body;
  const bytes = body
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
