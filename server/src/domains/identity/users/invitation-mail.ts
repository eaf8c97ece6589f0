import { type Clock, dayMs } from '../../../core/clock.ts';
import type { Mail } from '../../../platform/mail/mailer.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import type { QueuedUserMail } from '../mails/statements.ts';
import { newPasswordToken, waysToUse } from './password-tokens.ts';
import { insertInvitationToken, lockActiveUser } from './statements.ts';

export interface InvitationMailDeps {
  database: Pick<Database, 'transaction'>;
  clock: Clock;
  /** `app.public-url`, without a slash at the end: the link in the mail begins with it. */
  publicUrl: string;
}

const lifetimeMs = 7 * dayMs;

/**
 * Writes the invitation of a user, who chooses a password with its token. Undefined if the user was disabled or has a
 * password. Each try has a token of its own, and those of earlier tries stay valid: the mail server may have accepted
 * one that seemed to fail.
 */
export async function invitationMail(
  { user_id }: QueuedUserMail,
  { database, clock, publicUrl }: InvitationMailDeps,
): Promise<Mail | undefined> {
  const { token, tokenHash } = newPasswordToken();
  const validUntilMs = clock() + lifetimeMs;
  return database.transaction(async (transaction) => {
    // A change of the user waits, and then voids the token.
    const [user] = await transaction.run(lockActiveUser, [user_id]);
    if (user === undefined || user.has_password) return undefined;
    await transaction.run(insertInvitationToken, [tokenHash, user_id, new Date(validUntilMs)]);
    return { to: user.email, ...messageOf(user.user_name, token, publicUrl), validUntilMs };
  });
}

function messageOf(userName: string, token: string, publicUrl: string): { subject: string; text: string } {
  return {
    subject: 'You are invited',
    text: [
      `Hello ${userName},`,
      '',
      'an account was created for you. Within 7 days, choose its password at',
      '',
      ...waysToUse(token, publicUrl),
      '',
      `It works once. Then log in as ${userName}. If you did not expect this, ignore this message.`,
    ].join('\n'),
  };
}
