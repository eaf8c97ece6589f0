import { Refusal } from '../../core/errors.ts';
import { holds, type Principal } from '../../core/principal.ts';
import { rule } from '../../core/refusal-rules.ts';
import type { CallerKind, CallerNeed, Need } from './route.ts';

const callerKinds: ReadonlySet<string> = new Set<CallerKind>(['session', 'enrolment', 'visitor', 'key', 'caller']);

/** Refuses a caller who lacks what a route needs. A rule on the user type never replaces the check of a key's scope. */
export function requirePermission(need: Exclude<Need, 'nothing' | 'token'>, principal: Principal): void {
  const needs = typeof need === 'string' ? need : need.needs;
  if (principal.mayOnlyEnrol === true && needs !== 'enrolment' && needs !== 'visitor') {
    throw new Refusal(
      'second_factor_not_enrolled',
      'A second factor is required here and you have none: enrol one first, at /api/user/second-factor/begin.',
    );
  }
  if ((needs === 'session' || needs === 'enrolment' || needs === 'visitor') && principal.by !== 'session') {
    throw new Refusal('credentials_invalid', rule('needs_token'));
  }
  if (needs === 'key' && principal.by !== 'key') {
    throw new Refusal('credentials_invalid', rule('needs_key'));
  }
  if (typeof need !== 'string' && !need.userTypes.includes(principal.userType)) {
    throw new Refusal('role_missing', rule('user_type', { allowed: need.userTypes }));
  }
  if (!isKindOfCaller(needs) && !holds(principal, needs)) {
    throw new Refusal('scope_missing', rule('scope', { scope: needs }));
  }
}

function isKindOfCaller(needs: CallerNeed): needs is CallerKind {
  return callerKinds.has(needs);
}
