import type { Static } from 'typebox';
import type { Clock } from '../../../core/clock.ts';
import { invalid, notFound, Refusal } from '../../../core/errors.ts';
import { type Principal, platformTenant, seesAllTenants } from '../../../core/principal.ts';
import type { Passwords } from '../../../platform/crypto/passwords.ts';
import type { Database, Queryable } from '../../../platform/postgres/database.ts';
import type { Notifications } from '../../../platform/postgres/notifications.ts';
import { appendAudit } from '../audit/append.ts';
import { secretsGiven } from '../audit/changes.ts';
import { normalizedAccount } from '../sessions/account.ts';
import { endSessionsOfUser } from '../sessions/statements.ts';
import { principalsTopic } from '../tenants/notifications.ts';
import { tenantIdOf } from '../tenants/schema.ts';
import { findTenant } from '../tenants/statements.ts';
import { recordOf } from './record.ts';
import { refusePrivilegeEscalation, refuseTenantOfPlatformAdministrator, requireStrongPassword } from './rules.ts';
import { userInput } from './schema.ts';
import {
  claimLoginName,
  deleteOtherLoginNames,
  insertUser,
  lockWithAdministrators,
  type UserRow,
  updateUser,
} from './statements.ts';

export interface ModifyUserDeps {
  database: Database;
  notifications: Notifications;
  passwords: Passwords;
  clock: Clock;
  /** `app.password.min-length`, in characters. */
  passwordMinLength: number;
}

export type UserInput = Static<typeof userInput>;

/**
 * Creates a user, or updates the user named by `id`; returns the saved row. A new password or disabling the user ends the
 * user's sessions; a changed type or role takes effect on the next request.
 */
export async function modifyUser(input: UserInput, principal: Principal, deps: ModifyUserDeps): Promise<UserRow> {
  const passwordHash = await hashOfNewPassword(input, deps);
  const now = new Date(deps.clock());
  const { id } = input;
  if (id === undefined) {
    return deps.database.transaction((transaction) =>
      createUser(input, passwordHash as string, now, principal, transaction),
    );
  }
  const saved = await deps.database.transaction(async (transaction) => {
    const row = await replaceUser({ ...input, id }, passwordHash, now, principal, transaction);
    await deps.notifications.publish(transaction, principalsTopic);
    return row;
  });
  deps.notifications.applied(principalsTopic);
  return saved;
}

async function hashOfNewPassword(
  { id, password }: UserInput,
  { passwords, passwordMinLength }: ModifyUserDeps,
): Promise<string | null> {
  if (password === undefined) {
    if (id === undefined) throw invalid('password', 'password is required to create a user.');
    return null;
  }
  requireStrongPassword(password, passwordMinLength, 'password');
  return passwords.hash(password);
}

async function createUser(
  input: UserInput,
  passwordHash: string,
  now: Date,
  principal: Principal,
  transaction: Queryable,
): Promise<UserRow> {
  const tenantId = input.tenantId === undefined ? principal.tenantId : tenantIdOf(input.tenantId);
  const privileges = { tenantId, userType: input.userType, roles: input.roles ?? [] };
  if (tenantId !== principal.tenantId && !seesAllTenants(principal)) {
    throw new Refusal('role_missing', 'Only a PLATFORM_ADMIN may make users of another tenant.', { field: 'tenantId' });
  }
  refusePrivilegeEscalation(principal, privileges);
  refuseTenantOfPlatformAdministrator(privileges);
  if (tenantId !== platformTenant && (await transaction.run(findTenant, [tenantId])).length === 0) {
    throw new Refusal('record_not_found', `There is no tenant ${tenantId}.`, { field: 'tenantId' });
  }
  const created = await insertWithLoginNames(transaction, { ...input, ...privileges, passwordHash, now });
  await audit(transaction, principal, input, undefined, created);
  return created;
}

async function replaceUser(
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
  refusePrivilegeEscalation(principal, { ...after, userType: before.user_type, roles: before.roles });
  refusePrivilegeEscalation(principal, after);
  refuseTenantOfPlatformAdministrator(after);
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
  await claimLoginNames(transaction, saved as UserRow);
  if (passwordHash !== null || !input.state) await transaction.run(endSessionsOfUser, [input.id, now]);
  await audit(transaction, principal, input, before, saved as UserRow);
  return saved as UserRow;
}

async function audit(
  transaction: Queryable,
  principal: Principal,
  input: UserInput,
  before: UserRow | undefined,
  after: UserRow,
): Promise<void> {
  await appendAudit(transaction, principal, {
    action: before === undefined ? 'user.create' : 'user.update',
    tenantId: after.tenant_id,
    recordId: after.id,
    before: before && recordOf(before),
    after: recordOf(after),
    secrets: secretsGiven(userInput, input),
  });
}

function refuseLosingLastAdministrator(before: UserRow, after: UserInput, locked: UserRow[]): void {
  const remains = after.state && after.userType === 'PLATFORM_ADMIN';
  if (!isActiveAdministrator(before) || remains) return;
  if (locked.some((user) => user.id !== before.id && isActiveAdministrator(user))) return;
  throw new Refusal(
    'last_administrator',
    'This is the last active PLATFORM_ADMIN; it can be neither switched off nor demoted.',
  );
}

function isActiveAdministrator({ state, user_type }: UserRow): boolean {
  return state && user_type === 'PLATFORM_ADMIN';
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

/** Inserts a user and claims its user name and e-mail address; refuses with `account_taken` if another user has one. */
export async function insertWithLoginNames(transaction: Queryable, user: NewUser): Promise<UserRow> {
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
  await claimLoginNames(transaction, inserted as UserRow);
  return inserted as UserRow;
}

async function claimLoginNames(transaction: Queryable, { id, user_name, email }: UserRow): Promise<void> {
  await transaction.run(deleteOtherLoginNames, [id, normalizedAccount(user_name), normalizedAccount(email)]);
  for (const [field, name] of Object.entries({ userName: user_name, email })) {
    const [claimed] = await transaction.run(claimLoginName, [normalizedAccount(name), id]);
    if (claimed === undefined) {
      throw new Refusal('account_taken', `Another account already goes by the ${field} ${name}.`, { field });
    }
  }
}
