import type { Static } from 'typebox';
import { invalid, notFound, Refusal } from '../../../core/errors.ts';
import { type Principal, platformTenant, seesAllTenants } from '../../../core/principal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { principalsTopic } from '../tenants/notifications.ts';
import { tenantIdOf } from '../tenants/schema.ts';
import { findTenant } from '../tenants/statements.ts';
import type { UserDeps } from './deps.ts';
import { accountKey, refuseBeyondOwnPower, refuseMisplacedAdministrator, refuseWeakPassword } from './rules.ts';
import type { userInput } from './schema.ts';
import {
  dropOtherLoginNames,
  endSessionsOfUser,
  insertUser,
  lockWithAdministrators,
  takeLoginName,
  type UserRow,
  updateUser,
} from './statements.ts';

export type UserInput = Static<typeof userInput>;

/**
 * Creates a user, or updates the one named by `id`; the answer is what was saved. A new password, or switching the
 * user off, ends the user's sessions; a changed type or role counts on the next request.
 */
export async function saveUser(input: UserInput, principal: Principal, deps: UserDeps): Promise<UserRow> {
  const passwordHash = await hashOfNewPassword(input, deps);
  const now = new Date(deps.clock());
  const { id } = input;
  if (id === undefined) {
    return deps.database.transaction((transaction) =>
      create(input, passwordHash as string, now, principal, transaction),
    );
  }
  const saved = await deps.database.transaction(async (transaction) => {
    const row = await update({ ...input, id }, passwordHash, now, principal, transaction);
    await deps.notifications.publish(transaction, principalsTopic);
    return row;
  });
  deps.notifications.applied(principalsTopic);
  return saved;
}

async function hashOfNewPassword({ id, password }: UserInput, deps: UserDeps): Promise<string | null> {
  if (password === undefined) {
    if (id === undefined) throw invalid('password', 'password is required to create a user.');
    return null;
  }
  refuseWeakPassword(password, deps.settings.passwordMinLength, 'password');
  return deps.passwords.hash(password);
}

async function create(
  input: UserInput,
  passwordHash: string,
  now: Date,
  principal: Principal,
  transaction: Queryable,
): Promise<UserRow> {
  const tenantId = input.tenantId === undefined ? principal.tenantId : tenantIdOf(input.tenantId);
  const standing = { tenantId, userType: input.userType, roles: input.roles ?? [] };
  if (tenantId !== principal.tenantId && !seesAllTenants(principal)) {
    throw new Refusal('role_missing', 'Only a PLATFORM_ADMIN may make users of another tenant.', { field: 'tenantId' });
  }
  refuseBeyondOwnPower(principal, standing);
  refuseMisplacedAdministrator(standing);
  if (tenantId !== platformTenant && (await transaction.run(findTenant, [tenantId])).length === 0) {
    throw new Refusal('record_not_found', `There is no tenant ${tenantId}.`, { field: 'tenantId' });
  }
  return insertWithNames(transaction, { ...input, ...standing, passwordHash, now });
}

async function update(
  input: UserInput & { id: number },
  passwordHash: string | null,
  now: Date,
  principal: Principal,
  transaction: Queryable,
): Promise<UserRow> {
  const locked = await transaction.run(lockWithAdministrators, [input.id]);
  const before = locked.find((user) => user.id === input.id);
  if (before === undefined || !(seesAllTenants(principal) || before.tenant_id === principal.tenantId)) {
    throw notFound('user', input.id);
  }
  const after = { tenantId: before.tenant_id, userType: input.userType, roles: input.roles ?? before.roles };
  if (input.tenantId !== undefined && tenantIdOf(input.tenantId) !== before.tenant_id) {
    throw invalid('tenantId', "tenantId cannot change: what a user made belongs to the user's tenant.");
  }
  refuseBeyondOwnPower(principal, { ...after, userType: before.user_type, roles: before.roles });
  refuseBeyondOwnPower(principal, after);
  refuseMisplacedAdministrator(after);
  refuseLosingLastAdministrator(before, input, locked);

  const [saved] = await transaction.run(updateUser, [
    input.id,
    input.userName,
    input.email,
    passwordHash,
    after.userType,
    after.roles,
    input.state,
    now,
  ]);
  await takeNames(transaction, saved as UserRow);
  if (passwordHash !== null || !input.state) await transaction.run(endSessionsOfUser, [input.id, now]);
  return saved as UserRow;
}

function refuseLosingLastAdministrator(before: UserRow, after: UserInput, locked: UserRow[]): void {
  const isActive = (user: { userType: string; state: boolean }) => user.state && user.userType === 'PLATFORM_ADMIN';
  if (!isActive({ userType: before.user_type, state: before.state }) || isActive(after)) return;
  const others = locked.some(
    (user) => user.id !== before.id && isActive({ userType: user.user_type, state: user.state }),
  );
  if (others) return;
  throw new Refusal(
    'last_administrator',
    'This is the last active PLATFORM_ADMIN; it can be neither switched off nor demoted.',
  );
}

export interface NewUser {
  tenantId: number;
  userName: string;
  email: string;
  passwordHash: string;
  userType: UserInput['userType'];
  roles: readonly string[];
  state: boolean;
  now: Date;
}

/** Writes a new user and takes both of its names, or refuses with `account_taken`. */
export async function insertWithNames(transaction: Queryable, user: NewUser): Promise<UserRow> {
  const [inserted] = await transaction.run(insertUser, [
    user.tenantId,
    user.userName,
    user.email,
    user.passwordHash,
    user.userType,
    user.roles,
    user.state,
    user.now,
  ]);
  await takeNames(transaction, inserted as UserRow);
  return inserted as UserRow;
}

async function takeNames(transaction: Queryable, { id, user_name, email }: UserRow): Promise<void> {
  await transaction.run(dropOtherLoginNames, [id, accountKey(user_name), accountKey(email)]);
  await take('userName', user_name);
  await take('email', email);

  async function take(field: 'userName' | 'email', name: string): Promise<void> {
    const [taken] = await transaction.run(takeLoginName, [accountKey(name), id]);
    if (taken === undefined) {
      throw new Refusal('account_taken', `Another account already goes by the ${field} ${name}.`, { field });
    }
  }
}
