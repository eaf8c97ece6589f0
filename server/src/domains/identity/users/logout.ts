import { Refusal } from '../../../core/errors.ts';
import { principalsTopic } from '../tenants/notifications.ts';
import type { UserDeps } from './deps.ts';
import { sessionsTopic } from './sessions.ts';
import { endSession, endSessionsOfUser } from './statements.ts';

/**
 * Ends the session behind an access token, or every session of its user. It verifies the token itself and does not ask
 * whether the session still lives: logging out twice is no error. A token whose session has ended can do nothing more,
 * so it cannot end the others either.
 */
export async function logout(
  authorization: string | undefined,
  everywhere: boolean,
  { database, notifications, tokens, clock }: UserDeps,
): Promise<void> {
  const { sessionId } = await tokens.verify('access', bearerOf(authorization));
  const now = new Date(clock());
  const [topic, key] = everywhere ? [principalsTopic, ''] : [sessionsTopic, sessionId];
  await database.transaction(async (transaction) => {
    const [ended] = await transaction.run(endSession, [sessionId, now]);
    if (ended === undefined) return;
    if (everywhere) await transaction.run(endSessionsOfUser, [ended.user_id, now]);
    await notifications.publish(transaction, topic, key);
  });
  notifications.applied(topic, key);
}

function bearerOf(authorization: string | undefined): string {
  if (authorization === undefined) {
    throw new Refusal('credentials_missing', 'This needs an Authorization header with a Bearer access token.');
  }
  const [, token] = /^bearer +(\S+)$/i.exec(authorization) ?? [];
  if (token === undefined) throw new Refusal('credentials_invalid', 'This needs a Bearer access token.');
  return token;
}
