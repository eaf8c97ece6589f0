import { Refusal } from '../../../core/errors.ts';
import { type Principal, seesAllTenants } from '../../../core/principal.ts';
import { rule } from '../../../core/refusal-rules.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { normalizedAccount } from '../sessions/account.ts';
import {
  claimLoginName,
  deleteOtherAccountNames,
  deleteOtherLoginNames,
  insertAccountName,
  type UserRow,
} from './statements.ts';

/** How the names of a saved user are taken. */
export interface Naming {
  /** The user before the change, if it is not new. */
  before?: Pick<UserRow, 'user_name' | 'email'>;
  /** Whether the caller sees the users of every tenant, and so may learn that another tenant has the name. */
  mayKnowAll: boolean;
}

export function namingBy(principal: Principal, before?: UserRow): Naming {
  return { mayKnowAll: seesAllTenants(principal), ...(before && { before }) };
}

/**
 * Takes the user name and the e-mail address of a saved user. Refuses with `account_taken` if another user of the
 * tenant has one of them. A name with which a user of another tenant logs in is saved, but continues to log in only
 * that user, because a refusal would reveal that the user exists. Only callers who see all tenants are refused.
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
    // An address belongs to the user who receives its mail, not to the first user it was given to.
    const proven = naming.mayKnowAll || !key.includes('@');
    const [claimed] = await transaction.run(claimLoginName, [key, user.id, proven]);
    if (claimed === undefined && naming.mayKnowAll && !former.has(key)) throw taken(field, name);
  }
}

function taken(field: string, name: string): Refusal {
  return new Refusal('account_taken', rule('account_taken', { name }), { field });
}
