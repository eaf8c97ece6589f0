import { Refusal } from '../../../core/errors.ts';
import type { Principal } from '../../../core/principal.ts';
import type { Sessions } from '../users/sessions.ts';
import type { DeveloperKeys } from './keys.ts';

/**
 * Who is calling, by the Authorization header: `Bearer <access token>` or `ApiKey <key>`, the word in any case.
 * Refuses with `credentials_missing` or `credentials_invalid`; asks nobody when the caller is remembered.
 */
export function authenticator({ keys, sessions }: { keys: DeveloperKeys; sessions: Sessions }) {
  return async (authorization: string | undefined): Promise<Principal> => {
    if (authorization === undefined || authorization === '') {
      throw new Refusal('credentials_missing', 'This needs an Authorization header: Bearer or ApiKey.');
    }
    const space = authorization.indexOf(' ');
    const scheme = authorization.slice(0, space).toLowerCase();
    const credentials = authorization.slice(space + 1).trim();
    if (scheme === 'apikey') return keys.authenticateKey(credentials);
    if (scheme === 'bearer') return sessions.authenticateBearer(credentials);
    throw new Refusal('credentials_invalid', 'The Authorization header must read Bearer or ApiKey, then the secret.');
  };
}
