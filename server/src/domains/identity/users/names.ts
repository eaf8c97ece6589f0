import { Refusal } from '../../../core/errors.ts';
import { type Principal, seesAllTenants } from '../../../core/principal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { normalizedAccount } from '../sessions/account.ts';
import {
  claimLoginName,
  deleteOtherAccountNames,
  deleteOtherLoginNames,
  insertAccountName,
  type UserRow,
} from './statements.ts';

/** What decides about the names of a user that is saved. */
export interface Naming {
  /** The user before, when an existing one is changed. */
  before?: Pick<UserRow, 'user_name' | 'email'>;
  /** Sees the users of every tenant, so that a name taken in another tenant may be told. */
  mayKnowAll: boolean;
}

export function namingBy(principal: Principal, before?: UserRow): Naming {
  return { mayKnowAll: seesAllTenants(principal), ...(before && { before }) };
}

/**
 * Takes the user name and the e-mail address of a saved user. Refuses with `account_taken` if another user of the tenant has
 * one of them. A name that logs in a user of another tenant is saved all the same, but logs nobody else in: a refusal would
 * reveal that user. Only callers who see all tenants are refused then.
 */
export async function takeNames(transaction: Queryable, user: UserRow, naming: Naming): Promise<void> {
  const names = { userName: user.user_name, email: user.email };
  const normalized = [normalizedAccount(names.userName), normalizedAccount(names.email)];
  await transaction.run(deleteOtherAccountNames, [user.id, ...normalized]);
  await transaction.run(deleteOtherLoginNames, [user.id, ...normalized]);
  const former = new Set(
    [naming.before?.user_name, naming.before?.email].map((name) => name && normalizedAccount(name)),
  );
  for (const [field, name] of Object.entries(names)) {
    const key = normalizedAccount(name);
    const [inserted] = await transaction.run(insertAccountName, [user.tenant_id, key, user.id]);
    if (inserted === undefined) throw taken(field, name);
    // An address belongs to the user who receives its mail, not to the one who named it first.
    const proven = naming.mayKnowAll || !key.includes('@');
    const [claimed] = await transaction.run(claimLoginName, [key, user.id, proven]);
    if (claimed === undefined && naming.mayKnowAll && !former.has(key)) throw taken(field, name);
  }
}

function taken(field: string, name: string): Refusal {
  return new Refusal('account_taken', `Another account already goes by the ${field} ${name}.`, { field });
}
