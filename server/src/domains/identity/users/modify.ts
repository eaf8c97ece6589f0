import type { Static } from 'typebox';
import { invalid, notFound, Refusal } from '../../../core/errors.ts';
import { refuseTestKey } from '../../../core/livemode.ts';
import { type Principal, seesAllTenants } from '../../../core/principal.ts';
import { rule } from '../../../core/refusal-rules.ts';
import { requireStepUp } from '../../../core/step-up.ts';
import type { Call } from '../../../platform/http/route.ts';
import type { Creation } from '../../../platform/http/shapes.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import type { IdempotentAnswer } from '../../../platform/postgres/idempotency-records.ts';
import type { IdentityApp } from '../app.ts';
import { secretsGiven } from '../audit/changes.ts';
import { type SavedRow, type SaveRequest, save } from '../audit/save.ts';
import { revokeKeysOfUser } from '../developer-keys/statements.ts';
import { insertUserMail } from '../mails/statements.ts';
import { endSessionsOfUser } from '../sessions/statements.ts';
import { actFor } from '../tenants/act-for.ts';
import { tenantIdOf } from '../tenants/schema.ts';
import { type Naming, namingBy, takeNames } from './names.ts';
import { recordOf, type UserRecord } from './record.ts';
import {
  givesPermissions,
  refuseOwnName,
  refusePrivilegeEscalation,
  refuseTenantOfPlatformAdministrator,
  requireSessionToSet,
  requireStrongPassword,
  requireUserName,
} from './rules.ts';
import { type requiredOfNewUser, userInput } from './schema.ts';
import {
  findUser,
  insertUser,
  lockWithAdministrators,
  type UserRow,
  updateUser,
  voidResetsOfUser,
} from './statements.ts';
import { verifyOwnPassword } from './verify-own-password.ts';

type UserInput = Static<typeof userInput>;
type WholeUser = Creation<UserInput, typeof requiredOfNewUser>;

/**
 * Creates a user, or updates the user named by `id`; fields that are left out keep their values. A user without a
 * password is invited by mail. A new password, another e-mail address or disabling the user ends the user's sessions
 * and voids mailed tokens; disabling also revokes the user's keys. A changed type or role takes effect on the next
 * request.
 */
export async function modifyUser(
  { body: input, principal, idempotencyKey }: Call<UserInput>,
  app: IdentityApp,
): Promise<IdempotentAnswer<UserRecord>> {
  refuseTestKey(principal, 'change users');
  if (input.password !== undefined) requireSessionToSet('password', principal);
  const now = new Date(app.clock());
  const { id } = input;
  if (id === principal.userId) await requireOwnPassword(input, principal, app);
  // Otherwise a stolen session could create a user without a second factor, and act as that user.
  if (id === undefined) requireStepUp(principal, now.getTime(), 'Creating a user');
  if (input.password !== undefined) requireStepUp(principal, now.getTime(), 'Setting a password');
  if (input.userName !== undefined) requireUserName(input.userName);
  const passwordHash = await hashOfNewPassword(input, app);
  const request: SaveRequest<UserRow, UserRecord> = {
    type: 'user',
    path: '/api/user/modify',
    principal,
    idempotencyKey,
    input: { ...input, ...secretsGiven(userInput, input) },
    // Not the present password, which authenticates the caller and changes nothing.
    secrets: secretsGiven(userInput, { ...input, oldPassword: undefined }),
    recordOf,
    answerOf: recordOf,
  };
  return save(app, request, async (transaction) => {
    const { before, after } =
      id === undefined
        ? await createUser(input as WholeUser, passwordHash, now, principal, transaction)
        : await replaceUser({ ...input, id }, passwordHash, now, principal, transaction);
    const isNewlyReachable = !before?.state || before.email !== after.email;
    if (awaitsInvitation(after) && isNewlyReachable) await invite(after, now, transaction);
    return { before, after };
  });
}

/**
 * Callers change their own e-mail address only with the present password, so that a stolen session cannot take over the
 * account.
 */
async function requireOwnPassword(
  { password, email, oldPassword }: UserInput,
  { userId, userName, address = '' }: Principal,
  app: IdentityApp,
): Promise<void> {
  if (password !== undefined) {
    const broken = rule('own_password_elsewhere');
    throw new Refusal('old_password_wrong', broken, { field: 'password' });
  }
  const [user] = await app.database.run(findUser, [userId]);
  if (email === undefined || email === user?.email) return;
  const hash = oldPassword && (await verifyOwnPassword({ userId, userName, password: oldPassword, address }, app));
  if (hash) return;
  const broken = rule('own_email');
  throw new Refusal('old_password_wrong', broken, { field: 'oldPassword' });
}

function awaitsInvitation(user: UserRow): boolean {
  return user.state && !user.has_password;
}

/** The token is made when the mail is sent (`invitation-mail.ts`). */
async function invite({ tenant_id, id }: UserRow, now: Date, transaction: Queryable): Promise<void> {
  await transaction.run(insertUserMail, ['INVITATION', tenant_id, id, null, now.getTime()]);
}

async function hashOfNewPassword(
  { password, userName, email }: UserInput,
  { passwords, passwordMinLength }: IdentityApp,
): Promise<string | null> {
  if (password === undefined) return null;
  await requireStrongPassword(password, passwordMinLength, 'password');
  refuseOwnName(password, { userName, email }, 'password');
  return passwords.hash(password);
}

async function createUser(
  input: WholeUser,
  passwordHash: string | null,
  now: Date,
  principal: Principal,
  transaction: Queryable,
): Promise<SavedRow<UserRow>> {
  const { tenantId } = await actFor(principal, input.tenantId, transaction);
  const privileges = { tenantId, userType: input.userType, roles: input.roles ?? [] };
  refusePrivilegeEscalation(principal, privileges);
  refuseTenantOfPlatformAdministrator(privileges);
  const user = { ...input, ...privileges, passwordHash, now };
  return { before: undefined, after: await insertWithNames(transaction, user, namingBy(principal)) };
}

async function replaceUser(
  given: UserInput & { id: number },
  passwordHash: string | null,
  now: Date,
  principal: Principal,
  transaction: Queryable,
): Promise<SavedRow<UserRow>> {
  const locked = await transaction.run(lockWithAdministrators, [given.id]);
  const before = locked.find((user) => user.id === given.id);
  if (before === undefined || !(seesAllTenants(principal) || before.tenant_id === principal.tenantId)) {
    throw notFound('user', given.id);
  }
  const { userName, email, userType, state } = recordOf(before);
  const input: WholeUser = { userName, email, userType, state, ...given };
  const after = { tenantId: before.tenant_id, userType: input.userType, roles: input.roles ?? before.roles };
  if (input.tenantId !== undefined && tenantIdOf(input.tenantId) !== before.tenant_id) {
    throw invalid('tenantId', rule('tenant_fixed'));
  }
  refusePrivilegeEscalation(principal, { ...after, userType: before.user_type, roles: before.roles });
  refusePrivilegeEscalation(principal, after);
  refuseTenantOfPlatformAdministrator(after);
  refuseLosingLastAdministrator(before, input, locked);
  const former = { userType: before.user_type, roles: before.roles, state: before.state };
  if (givesPermissions(former, { ...after, state: input.state })) {
    requireStepUp(principal, now.getTime(), 'Giving a user permissions');
  }
  // Again, because the request may leave out the names. Not before the caller is known to see the user.
  if (given.password !== undefined) refuseOwnName(given.password, input, 'password');
  if (input.email !== before.email) {
    requireSessionToSet('email', principal);
    requireStepUp(principal, now.getTime(), 'Changing an e-mail address');
  }

  const [row] = await transaction.run(updateUser, [
    given.id,
    input.userName,
    input.email,
    passwordHash,
    after.userType,
    after.roles,
    input.state,
    now,
  ]);
  const saved = row as UserRow;
  await takeNames(transaction, saved, namingBy(principal, before));
  if (passwordHash !== null || !saved.state || saved.email !== before.email) {
    await transaction.run(endSessionsOfUser, [saved.id, now]);
    await transaction.run(voidResetsOfUser, [saved.id, now]);
  }
  if (!saved.state) await transaction.run(revokeKeysOfUser, [saved.id, now]);
  return { before, after: saved };
}

function refuseLosingLastAdministrator(before: UserRow, after: WholeUser, locked: UserRow[]): void {
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

interface NewUser {
  tenantId: number;
  userName: string;
  email: string;
  /** null: the user chooses a password when accepting the invitation. */
  passwordHash: string | null;
  userType: WholeUser['userType'];
  roles: readonly string[];
  state: boolean;
  now: Date;
}

/** Inserts a user with its user name and e-mail address; refuses with `account_taken` like `takeNames`. */
export async function insertWithNames(transaction: Queryable, user: NewUser, naming: Naming): Promise<UserRow> {
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
  await takeNames(transaction, inserted as UserRow, naming);
  return inserted as UserRow;
}
