import type { Static } from 'typebox';
import { invalid, notFound } from '../../../core/errors.ts';
import type { Principal } from '../../../core/principal.ts';
import { appendAudit } from '../audit/append.ts';
import { principalsTopic } from '../tenants/notifications.ts';
import type { LogoutDeps } from './logout.ts';
import type { revokeSessionInput } from './schema.ts';
import { sessionsTopic } from './session-authenticator.ts';
import { endSessionOfUser, endSessionsOfUser } from './statements.ts';

/** Ends one session of the caller, or with `all` every one, this one included. Ending a session again is not an error. */
export async function revokeSessions(
  { id, all }: Static<typeof revokeSessionInput>,
  principal: Principal,
  { database, notifications, clock }: LogoutDeps,
): Promise<void> {
  if ((id === undefined) === (all !== true)) throw invalid('id', 'Name the id of one session, or set all to true.');
  const { userId, tenantId } = principal;
  const now = new Date(clock());
  const [topic, key] = id === undefined ? [principalsTopic, ''] : [sessionsTopic, id];
  await database.transaction(async (transaction) => {
    if (id === undefined) await transaction.run(endSessionsOfUser, [userId, now]);
    else if ((await transaction.run(endSessionOfUser, [userId, id, now])).length === 0) throw notFound('session', id);
    await appendAudit(transaction, principal, { action: 'session.revoke', tenantId, recordId: id });
    await notifications.publish(transaction, topic, key);
  });
  notifications.applied(topic, key);
}
