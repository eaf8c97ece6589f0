import { isIP } from 'node:net';
import { Refusal } from '../../../../core/errors.ts';
import { rule } from '../../../../core/refusal-rules.ts';

/** The site that passkeys belong to (WebAuthn, Relying Party). */
interface RelyingParty {
  /** The host that browsers bind passkeys to. Another host makes them unusable. */
  id: string;
  /** The origin of the pages that use passkeys. */
  origin: string;
}

/**
 * The relying party of `app.public-url`. Browsers bind passkeys to host names, never to addresses: a loopback address
 * becomes `localhost`, and any other address is refused with `passkeys_unavailable`.
 */
export function relyingPartyOf(publicUrl: string): RelyingParty {
  const { protocol, hostname, host, port, origin } = new URL(publicUrl);
  if (/^(127\.[\d.]+|\[::1\])$/.test(hostname)) {
    return { id: 'localhost', origin: `${protocol}//localhost${port && `:${port}`}` };
  }
  if (isIP(hostname.replaceAll(/[[\]]/g, '')) !== 0) {
    throw new Refusal('passkeys_unavailable', rule('passkeys_need_name', { host }));
  }
  return { id: hostname, origin };
}
