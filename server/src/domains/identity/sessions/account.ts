import type { Principal } from '../../../core/principal.ts';
import { scopesOfUser, type UserType, userHoldsAll } from '../../../core/scopes.ts';

/** What authentication needs of a user; `accountColumns` selects it. */
export interface AccountRow {
  id: number;
  tenant_id: number;
  user_name: string;
  email: string;
  user_type: UserType;
  roles: string[];
  has_second_factor: boolean;
}

export const accountColumns = 'u.id, u.tenant_id, u.user_name, u.email, u.user_type, u.roles, u.has_second_factor';

/** The form in which an account name is looked up and kept unique, so that its spellings are equal. */
export function normalizedAccount(account: string): string {
  return account.normalize('NFKC').toLowerCase();
}

/**
 * What failed logins of an account are counted by: once for a user, with whichever name they were typed, and as typed
 * if it is nobody's.
 */
export function countedAccount(user: { id: number } | undefined, account: string): string {
  return user === undefined ? `name ${normalizedAccount(account)}` : `user ${user.id}`;
}

export function principalOfAccount(row: AccountRow): Omit<Principal, 'by'> {
  return {
    userId: row.id,
    userName: row.user_name,
    userType: row.user_type,
    tenantId: row.tenant_id,
    roles: row.roles,
    scopes: scopesOfUser(row.user_type, row.roles),
    holdsAll: userHoldsAll(row.user_type),
  };
}
