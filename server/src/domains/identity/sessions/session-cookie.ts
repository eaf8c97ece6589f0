import { Refusal } from '../../../core/errors.ts';
import { type BrokenRule, rule } from '../../../core/refusal-rules.ts';

/**
 * A header that only the console's own script sends. A page of another origin cannot add it without a CORS preflight,
 * and other pages of this service, such as the API reference, do not send it.
 */
const consoleHeader = 'x-florin-console';

/**
 * The cookie that holds a session of the console: `HttpOnly`, `SameSite=Strict`, and on https `Secure` with `__Host-`.
 */
export class SessionCookie {
  readonly name: string;
  readonly #origin: string;
  readonly #attributes: string;

  /**
   * `publicUrl`: how browsers reach the service. Cookies are shared between ports, so the name has the port without
   * https, and the path if there is one: `__Host-` demands `Path=/`, and two services on one host must not replace each
   * other's cookies.
   */
  constructor(publicUrl: string) {
    const { origin, protocol, port, pathname } = new URL(publicUrl);
    const isSecure = protocol === 'https:';
    this.#origin = origin;
    const path = pathname.replace(/\/$/, '').replaceAll('/', '-');
    this.name = (isSecure ? '__Host-florin' : `florin-${port || 80}`) + path;
    this.#attributes = `Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
  }

  /** The Set-Cookie header that stores a session. */
  set(value: string, maxAgeSeconds: number): string {
    return `${this.name}=${value}; Max-Age=${maxAgeSeconds}; ${this.#attributes}`;
  }

  /** The Set-Cookie header that removes it. */
  clear(): string {
    return this.set('', 0);
  }

  /** The value in a Cookie header; undefined if there is none. */
  read(header: string | undefined): string | undefined {
    for (const pair of header?.split(';') ?? []) {
      const [name, value] = pair.trim().split('=', 2);
      if (name === this.name && value) return value;
    }
    return undefined;
  }

  /**
   * Refuses a request that a page of another origin may have sent (`origin_not_allowed`). Browsers send the cookie with
   * every request to this host, also with those of pages on another port. A script that is not the console's counts as
   * nobody (`credentials_missing`).
   */
  requireConsole({ method, headers }: CookieRequest): void {
    const { origin, host, 'sec-fetch-site': site } = headers;
    const isRead = method === 'GET' || method === 'HEAD';
    if (origin !== undefined && origin !== this.#origin && hostOf(origin) !== host)
      throw refused(rule('from_other_origin', { origin: String(origin) }));
    if (site !== undefined && site !== 'same-origin' && site !== 'none') throw refused(rule('from_other_site'));
    if (isRead) {
      if (headers[consoleHeader] === undefined && isOfScript(headers))
        throw new Refusal('credentials_missing', rule('authorization_missing'));
      return;
    }
    if (origin === undefined) throw refused(rule('without_origin'));
    if (headers[consoleHeader] === undefined) throw refused(rule('without_console_header', { header: consoleHeader }));
  }
}

/**
 * Whether a script reads, not the browser itself. A browser opens pages and files, and the stream of events, to which a
 * script cannot add a header. Over plain HTTP it says by `Accept` alone what it does.
 */
function isOfScript({ accept, 'sec-fetch-mode': mode }: CookieRequest['headers']): boolean {
  if (accept === 'text/event-stream') return false;
  return mode === undefined ? !String(accept).includes('text/html') : mode !== 'navigate';
}

interface CookieRequest {
  method: string;
  headers: Record<string, string | string[] | undefined>;
}

/** Behind a proxy that terminates TLS the schemes differ, so only the host is compared. */
function hostOf(origin: string | string[]): string | undefined {
  return typeof origin === 'string' && URL.canParse(origin) ? new URL(origin).host : undefined;
}

function refused(by: BrokenRule): Refusal {
  return new Refusal('origin_not_allowed', by);
}
