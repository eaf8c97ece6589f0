import { connect, type PeerCertificate } from 'node:tls';
import { dayMs, minuteMs, secondMs } from '../../../core/clock.ts';

const answersWithinMs = 10 * secondMs;

/**
 * When the certificate of `app.public-url` ends, read over the network as browsers see it: a minute after the start,
 * and once a day. Nothing is read where the address has none.
 */
export class CertificateWatch {
  readonly #publicUrl: URL;
  readonly #timers: NodeJS.Timeout[] = [];
  /** ISO 8601; null: it has none, or could not be read. */
  endTime: string | null = null;

  constructor(publicUrl: string) {
    this.#publicUrl = new URL(publicUrl);
    if (this.#publicUrl.protocol !== 'https:') return;
    const read = () => {
      this.read().catch(() => {});
    };
    this.#timers.push(setTimeout(read, minuteMs).unref(), setInterval(read, dayMs).unref());
  }

  /** Reads it now. What was read before stays where the address does not answer. */
  async read(): Promise<void> {
    this.endTime = new Date((await certificateOf(this.#publicUrl)).valid_to).toISOString();
  }

  stop(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }
}

/** Also of a certificate that has ended or that nobody has signed. */
function certificateOf({ hostname, port }: URL): Promise<PeerCertificate> {
  const host = hostname.replaceAll(/[[\]]/g, '');
  const { promise, resolve, reject } = Promise.withResolvers<PeerCertificate>();
  const socket = connect(
    { host, port: Number(port || 443), servername: /^[\d.]+$|:/.test(host) ? '' : host, rejectUnauthorized: false },
    () => {
      resolve(socket.getPeerCertificate());
      socket.destroy();
    },
  );
  socket.setTimeout(answersWithinMs, () => socket.destroy(new Error('The address does not answer.')));
  socket.on('error', reject);
  return promise;
}
