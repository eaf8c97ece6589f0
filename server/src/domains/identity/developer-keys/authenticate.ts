import { Refusal } from '../../../core/errors.ts';
import { rule } from '../../../core/refusal-rules.ts';
import type { Authenticate } from '../../../platform/http/server/steps.ts';
import type { SessionAuthenticator } from '../sessions/session-authenticator.ts';
import type { SessionCookie } from '../sessions/session-cookie.ts';
import type { KeyAuthenticator } from './key-authenticator.ts';
import { fingerprintOf, hasKeyFormat } from './rules.ts';

export interface Authenticators {
  keys: KeyAuthenticator;
  sessions: SessionAuthenticator;
  sessionCookie: SessionCookie;
}

/** The last key that a connection has sent: its next request usually has the same, which then is not hashed again. */
interface ConnectionKey {
  authorization: string;
  fingerprint: string;
}

/**
 * Authenticates a request from an address by its Authorization header: `Bearer <access token>` or `ApiKey <key>`, the
 * scheme in any case. Without that header the cookie of the console is looked at. Refuses with `credentials_missing`,
 * `credentials_invalid`, `address_not_allowed` or `origin_not_allowed`.
 */
export function authenticator({ keys, sessions, sessionCookie }: Authenticators): Authenticate {
  const authenticate: Authenticate = async (request, address, { isCheck = false } = {}) => {
    const { authorization, cookie } = request.headers;
    if (authorization === undefined || authorization === '') {
      const session = sessionCookie.read(cookie);
      if (session === undefined) {
        throw new Refusal('credentials_missing', rule('authorization_missing'));
      }
      sessionCookie.requireConsole(request);
      return sessions.authenticateCookie(session, address, isCheck);
    }
    const { scheme, secret } = credentialsOf(authorization);
    if (scheme === 'apikey') return keys.authenticate(secret, address, isCheck);
    if (scheme === 'bearer') return sessions.authenticate(secret, address, isCheck);
    throw new Refusal('credentials_invalid', rule('authorization_form'));
  };
  const lastKeys = new WeakMap<object, ConnectionKey>();
  authenticate.cached = ({ headers: { authorization }, socket }, address) => {
    if (authorization === undefined) return undefined;
    const last = socket && lastKeys.get(socket);
    if (last?.authorization === authorization) return keys.authenticateCached(last.fingerprint, address);
    if (!/^apikey /i.test(authorization)) return undefined;
    const { secret } = credentialsOf(authorization);
    if (!hasKeyFormat(secret)) return undefined;
    const fingerprint = fingerprintOf(secret);
    const principal = keys.authenticateCached(fingerprint, address);
    if (principal !== undefined && socket !== undefined) lastKeys.set(socket, { authorization, fingerprint });
    return principal;
  };
  return authenticate;
}

/** The parts of an Authorization header. Refuses a secret that is sent under the scheme of the other kind. */
function credentialsOf(authorization: string): { scheme: string; secret: string } {
  const space = authorization.indexOf(' ');
  const scheme = authorization.slice(0, space).toLowerCase();
  const secret = authorization.slice(space + 1).trim();
  if (scheme === 'bearer' && secret.startsWith('sk_'))
    throw new Refusal('credentials_invalid', rule('key_under_bearer'));
  if (scheme === 'apikey' && secret.startsWith('eyJ'))
    throw new Refusal('credentials_invalid', rule('token_under_apikey'));
  return { scheme, secret };
}
