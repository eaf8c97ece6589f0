import { Refusal } from '../../core/errors.ts';
import { holds, type Principal } from '../../core/principal.ts';
import type { Need } from './route.ts';

/** Refuses a caller who lacks what a route needs. A rule on the user type never replaces the check of a key's scope. */
export function requirePermission(need: Exclude<Need, 'nothing' | 'token'>, principal: Principal): void {
  const needs = typeof need === 'string' ? need : need.needs;
  if (needs === 'session' && principal.by !== 'session') {
    throw new Refusal('credentials_invalid', 'This needs a Bearer access token; a developer key will not do.');
  }
  if (needs === 'key' && principal.by !== 'key') {
    throw new Refusal('credentials_invalid', 'This needs a developer key; a Bearer access token will not do.');
  }
  if (typeof need !== 'string' && !need.userTypes.includes(principal.userType)) {
    throw new Refusal('role_missing', `This needs the user type ${need.userTypes.join(' or ')}.`);
  }
  if (needs !== 'session' && needs !== 'key' && needs !== 'caller' && !holds(principal, needs)) {
    throw new Refusal('scope_missing', `This needs the scope ${needs}.`, { details: { scope: needs } });
  }
}
