import { Refusal } from '../../core/errors.ts';
import { type Principal, seesAllTenants } from '../../core/principal.ts';
import { scopes } from '../../core/scopes.ts';
import type { Need } from './route.ts';

/** Refuses a caller who lacks what a route needs. */
export function requirePermission(needs: Exclude<Need, 'nothing' | 'token'>, principal: Principal): void {
  if (needs === 'caller') return;
  if (needs === 'session') {
    if (principal.by === 'session') return;
    throw new Refusal('credentials_invalid', 'This needs a Bearer access token; a developer key will not do.');
  }
  if (needs === 'administrator') {
    requireAdministrator(principal);
    return;
  }
  if (needs === 'platform_administrator') {
    if (seesAllTenants(principal)) return;
    throw new Refusal('role_missing', 'This needs the user type PLATFORM_ADMIN.');
  }
  if (!principal.scopes.has(needs)) {
    throw new Refusal('scope_missing', `This needs the scope ${needs}.`, { details: { scope: needs } });
  }
}

/** What an administrator may see includes everything: a key for less must not reach it. */
function requireAdministrator({ by, userType, scopes: held }: Principal): void {
  if (userType === 'MERCHANT_USER') {
    throw new Refusal('role_missing', 'This needs the user type MERCHANT_ADMIN or PLATFORM_ADMIN.');
  }
  const missing = by === 'key' ? scopes.find((scope) => !held.has(scope)) : undefined;
  if (missing === undefined) return;
  throw new Refusal('scope_missing', `A key needs every scope here, and this one lacks ${missing}.`, {
    details: { scope: missing },
  });
}
