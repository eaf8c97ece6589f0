import { invalid, Refusal } from '../../../core/errors.ts';
import { type Principal, platformTenant } from '../../../core/principal.ts';
import { type Role, roles, scopes, type UserType } from '../../../core/scopes.ts';
import { isCommonPassword } from './common-passwords.ts';

const maximumPasswordBytes = 1024;

/** Requires at least `minLength` characters, at most 1024 bytes, and no commonly used password. */
export function requireStrongPassword(password: string, minLength: number, field: string): void {
  if ([...password].length < minLength) {
    throw new Refusal('password_too_weak', `${field} must have at least ${minLength} characters.`, { field });
  }
  if (Buffer.byteLength(password) > maximumPasswordBytes) {
    throw invalid(field, `${field} must have at most ${maximumPasswordBytes} bytes.`);
  }
  if (isCommonPassword(password)) {
    throw new Refusal('password_too_weak', `${field} is one of the commonest passwords. Choose another.`, { field });
  }
}

/** The properties of a user that determine the user's permissions. */
export interface Privileges {
  tenantId: number;
  userType: UserType;
  roles: readonly string[];
}

/**
 * Refuses to create or update a user with more permissions than the caller has: the caller could set that user's password
 * and log in. Only an administrator with every scope may change an administrator; an administrator's key with fewer scopes
 * may not. For a MERCHANT_USER, the caller needs every scope of the user's roles that is not a read scope.
 */
export function refusePrivilegeEscalation(principal: Principal, target: Privileges): void {
  if (target.userType === 'PLATFORM_ADMIN' && principal.userType !== 'PLATFORM_ADMIN') {
    throw new Refusal('role_missing', 'Only a PLATFORM_ADMIN may make or change a PLATFORM_ADMIN.');
  }
  if (target.userType === 'MERCHANT_ADMIN' && principal.userType === 'MERCHANT_USER') {
    throw new Refusal('role_missing', 'Only an administrator may make or change an administrator.');
  }
  const needed =
    target.userType === 'MERCHANT_USER'
      ? target.roles.flatMap((role) => roles[role as Role] ?? []).filter((scope) => !scope.endsWith('_read'))
      : scopes;
  const missing = needed.find((scope) => !principal.scopes.has(scope));
  if (missing !== undefined) {
    throw new Refusal('scope_missing', `This needs the scope ${missing}, which the user would hold.`, {
      details: { scope: missing },
    });
  }
}

/** Refuses a platform administrator that belongs to a merchant's tenant. */
export function refuseTenantOfPlatformAdministrator({ userType, tenantId }: Privileges): void {
  if (userType === 'PLATFORM_ADMIN' && tenantId !== platformTenant) {
    throw invalid('tenantId', "tenantId must be null for a PLATFORM_ADMIN, who is the platform's own.");
  }
}
