import { invalid, Refusal } from '../../../core/errors.ts';
import type { Principal } from '../../../core/principal.ts';
import { platformTenant } from '../../../core/principal.ts';
import { type Role, roles, scopes, scopesOfUser, type UserType } from '../../../core/scopes.ts';
import { isCommon } from './common-passwords.ts';
import type { UserRow } from './statements.ts';

const maximumPasswordBytes = 1024;

/** Under what an account is looked up, counted and kept unique: without regard to case or to how it was typed. */
export function accountKey(account: string): string {
  return account.normalize('NFKC').toLowerCase();
}

/** A new password must be of at least `minLength` characters, of at most 1024 bytes, and not among the commonest. */
export function refuseWeakPassword(password: string, minLength: number, field: string): void {
  if ([...password].length < minLength) {
    throw new Refusal('password_too_weak', `${field} must have at least ${minLength} characters.`, { field });
  }
  if (Buffer.byteLength(password) > maximumPasswordBytes) {
    throw invalid(field, `${field} must have at most ${maximumPasswordBytes} bytes.`);
  }
  if (isCommon(password)) {
    throw new Refusal('password_too_weak', `${field} is one of the commonest passwords. Choose another.`, { field });
  }
}

export function principalOfUser(user: UserRow): Omit<Principal, 'by'> {
  return {
    userId: user.id,
    userName: user.user_name,
    userType: user.user_type,
    tenantId: user.tenant_id,
    roles: user.roles,
    scopes: scopesOfUser(user.user_type, user.roles),
  };
}

/** What somebody is: enough to say how much power they hold. */
export interface Standing {
  tenantId: number;
  userType: UserType;
  roles: readonly string[];
}

/**
 * Nobody makes or changes a user with more power than their own; else setting that user's password would be a way to
 * it. An administrator takes one of at least the same type who holds every scope (a narrow key of theirs will not do).
 * Of a MERCHANT_USER's roles, the caller must hold whatever they can change; reading alone is no power to pass on.
 */
export function refuseBeyondOwnPower(principal: Principal, standing: Standing): void {
  if (standing.userType === 'PLATFORM_ADMIN' && principal.userType !== 'PLATFORM_ADMIN') {
    throw new Refusal('role_missing', 'Only a PLATFORM_ADMIN may make or change a PLATFORM_ADMIN.');
  }
  if (standing.userType === 'MERCHANT_ADMIN' && principal.userType === 'MERCHANT_USER') {
    throw new Refusal('role_missing', 'Only an administrator may make or change an administrator.');
  }
  const needed =
    standing.userType === 'MERCHANT_USER'
      ? standing.roles.flatMap((role) => roles[role as Role] ?? []).filter((scope) => !scope.endsWith('_read'))
      : scopes;
  const missing = needed.find((scope) => !principal.scopes.has(scope));
  if (missing !== undefined) {
    throw new Refusal('scope_missing', `This needs the scope ${missing}, which the user would hold.`, {
      details: { scope: missing },
    });
  }
}

/** A platform administrator acts for all tenants, so it belongs to none of them. */
export function refuseMisplacedAdministrator({ userType, tenantId }: Standing): void {
  if (userType === 'PLATFORM_ADMIN' && tenantId !== platformTenant) {
    throw invalid('tenantId', "tenantId must be null for a PLATFORM_ADMIN, who is the platform's own.");
  }
}
