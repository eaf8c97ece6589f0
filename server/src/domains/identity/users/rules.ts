import { invalid, Refusal } from '../../../core/errors.ts';
import { holds, type Principal, platformTenant } from '../../../core/principal.ts';
import { rule } from '../../../core/refusal-rules.ts';
import { allScopes, type Permission, scopesOfUser, type UserType, userHoldsAll } from '../../../core/scopes.ts';

const maximumPasswordBytes = 1024;

/**
 * Characters that show nothing, or a gap: spaces, controls, and those that fonts leave out
 * (`Default_Ignorable_Code_Point`).
 */
const invisible = /[\s\p{C}\p{Default_Ignorable_Code_Point}\u2800]+/gu;

/**
 * Requires at least `minLength` characters, at most 1024 bytes, and no commonly used password. Any run of spaces and
 * invisible characters counts as one, and none at the ends, because it is as easy to guess.
 */
export async function requireStrongPassword(given: string, minLength: number, field: string): Promise<void> {
  const password = given.normalize('NFC');
  if ([...password.replaceAll(invisible, ' ').trim()].length < minLength) {
    throw new Refusal('password_too_weak', rule('password_short', { limit: minLength }), { field });
  }
  if (Buffer.byteLength(password) > maximumPasswordBytes) {
    throw invalid(field, rule('password_bytes', { limit: maximumPasswordBytes }));
  }
  if (await isCommonPassword(password)) {
    throw new Refusal('password_too_weak', rule('password_common'), { field });
  }
}

/** How many other characters a password needs that contains the user's name. */
const minCharactersBesideName = 5;

/**
 * Refuses a password that is little more than the user's name, the address, or the name of this service, which
 * attackers try first. Names of fewer than four characters are ignored.
 */
export function refuseOwnName(
  password: string,
  { userName = '', email = '' }: { userName?: string | undefined; email?: string | undefined },
  field: string,
): void {
  const text = password.normalize('NFC').toLowerCase();
  const words = [userName, email, userName.split('@')[0], email.split('@')[0], 'florin']
    .map((word) => String(word).normalize('NFC').toLowerCase())
    .filter((word) => word.length >= 4);
  if (words.every((word) => !text.includes(word) || text.replaceAll(word, '').length >= minCharactersBesideName))
    return;
  throw new Refusal('password_too_weak', rule('password_own_name'), { field });
}

/**
 * Beyond ASCII, where the schema's pattern allows anything, requires letters and digits of any script, each of which
 * shows.
 */
export function requireUserName(userName: string): void {
  const isOfLetters = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._@+-]*$/u.test(userName);
  if (!isOfLetters || /\p{Default_Ignorable_Code_Point}/u.test(userName)) {
    throw invalid('userName', rule('user_name'));
  }
}

/**
 * As in `userInput`, where it has no \p{L}, which works only where patterns are compiled with the Unicode flag;
 * `requireUserName` is stricter.
 */
export const userNamePattern = '^[^\\u0000-/:-@\\[-`{-\\u00a9][^\\u0000-\\u001f!-*,/:-?\\[-^`{-\\u00a9]{0,63}$';
export const emailPattern = '^[^\\s@<>()\\[\\],;:"\\\\]+@[^\\s@<>()\\[\\],;:"\\\\]+$';
export const maximumEmailLength = 254;

/** Requires a user name and an e-mail address that the API would accept. For accounts that are made without it. */
export function requireNames({ userName, email }: { userName: string; email: string }): void {
  if (!new RegExp(userNamePattern, 'u').test(userName)) throw invalid('userName', rule('user_name'));
  requireUserName(userName);
  if (email.length <= maximumEmailLength && new RegExp(emailPattern, 'u').test(email)) return;
  throw invalid('email', rule('email_address_up_to', { limit: maximumEmailLength }));
}

/** The properties of a user that determine the user's permissions. */
interface Privileges {
  tenantId: number;
  userType: UserType;
  roles: readonly string[];
}

/**
 * Refuses to create or update a user with a permission that the caller does not have, because the caller could act as
 * that user. Only an administrator who holds `*` may change an administrator; an administrator's key with fewer scopes
 * may not.
 */
export function refusePrivilegeEscalation(principal: Principal, target: Privileges): void {
  if (target.userType === 'PLATFORM_ADMIN' && principal.userType !== 'PLATFORM_ADMIN') {
    throw new Refusal('role_missing', rule('makes_platform_administrators'));
  }
  if (target.userType === 'MERCHANT_ADMIN' && principal.userType === 'MERCHANT_USER') {
    throw new Refusal('role_missing', rule('makes_administrators'));
  }
  const needed: Permission[] = [...scopesOfUser(target.userType, target.roles)];
  if (userHoldsAll(target.userType)) needed.push(allScopes);
  const missing = needed.find((permission) => !holds(principal, permission));
  if (missing !== undefined) {
    throw new Refusal('scope_missing', rule('scope_of_user', { scope: missing }));
  }
}

/** Whether a change lets a user do what the user could not do before. A disabled user can do nothing. */
export function givesPermissions(before: Abilities, after: Abilities): boolean {
  if (!after.state) return false;
  if (!before.state || (userHoldsAll(after.userType) && after.userType !== before.userType)) return true;
  const former = scopesOfUser(before.userType, before.roles);
  return [...scopesOfUser(after.userType, after.roles)].some((scope) => !former.has(scope));
}

type Abilities = Omit<Privileges, 'tenantId'> & { state: boolean };

/**
 * Refuses a key that sets a password, or the address that receives the mail with which a password is set. Otherwise the
 * holder of the key could log in and create keys that outlive it.
 */
export function requireSessionToSet(field: 'password' | 'email', principal: Principal): void {
  if (principal.by === 'session') return;
  const broken = rule(field === 'password' ? 'key_sets_password' : 'key_sets_email');
  throw new Refusal('session_required', broken, { field });
}

/** Refuses a platform administrator that belongs to a merchant's tenant. */
export function refuseTenantOfPlatformAdministrator({ userType, tenantId }: Privileges): void {
  if (userType === 'PLATFORM_ADMIN' && tenantId !== platformTenant) {
    throw invalid('tenantId', rule('no_tenant'));
  }
}

/**
 * Whether a password is among the 49,000 most frequent ones of published lists of leaked passwords, ignoring case. The
 * lists are loaded at the first call, not at the start, because unpacking them takes about 100 ms and 6 MB.
 */
async function isCommonPassword(password: string): Promise<boolean> {
  commonPasswords ??= load();
  return (await commonPasswords).has(password.toLowerCase());
}

let commonPasswords: Promise<ReadonlySet<string>> | undefined;

async function load(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return new Set(dictionary['passwords-common']);
}
