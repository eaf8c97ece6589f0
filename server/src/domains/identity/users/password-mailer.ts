import { hash, randomBytes } from 'node:crypto';
import { type Clock, dayMs, minuteMs } from '../../../core/clock.ts';
import type { Mailer } from '../../../platform/mail/mailer.ts';
import { retryWhileUnavailable } from '../../../platform/postgres/connection/retry.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { appendAudit, type RequestOrigin } from '../audit/append.ts';
import { normalizedAccount } from '../sessions/account.ts';
import { findActiveByName, insertReset, type UserRow } from './statements.ts';

interface PasswordMailerDeps {
  database: Database;
  mailer: Pick<Mailer, 'send'>;
  clock: Clock;
  /** `app.public-url`, without a slash at the end: links in mails begin with it. */
  publicUrl: string;
  logError: (error: unknown, message: string) => void;
}

const lifetimeMs = { reset: 30 * minuteMs, invitation: 7 * dayMs } as const;
type Purpose = keyof typeof lifetimeMs;
/** Per user. Further requests send no mail, so that a mailbox cannot be flooded. */
const maxOpenTokens = 5;
/** Users of different tenants can have the same address. */
const maxUsersOfAddress = 5;
export const tokenBytes = 32;

/**
 * Mails the tokens with which users choose a password: to reset it, or to accept an invitation. Known and unknown addresses get
 * the same answer in the same time: both cost one query, and everything else runs after the answer.
 */
export class PasswordMailer {
  readonly #deps: PasswordMailerDeps;
  readonly #sending = new Set<Promise<void>>();

  constructor(deps: PasswordMailerDeps) {
    this.#deps = deps;
  }

  /** Mails a reset token to every enabled user with this address. */
  async request(email: string, origin: RequestOrigin): Promise<void> {
    const address = normalizedAccount(email);
    const users = await this.#deps.database.run(findActiveByName, [address, maxUsersOfAddress]);
    for (const user of users) {
      if (normalizedAccount(user.email) === address) this.#startSending(user, 'reset', origin);
    }
  }

  /** Mails the token to choose a password to a user who has none. Call it after the user's transaction has committed. */
  invite(user: UserRow): void {
    this.#startSending(user, 'invitation', {});
  }

  #startSending(user: UserRow, purpose: Purpose, origin: RequestOrigin): void {
    const sending = this.#send(user, purpose, origin)
      .catch((error) => this.#deps.logError(error, `A mail to choose a password could not be sent (${purpose}).`))
      .finally(() => this.#sending.delete(sending));
    this.#sending.add(sending);
  }

  /** Resolves when every requested mail has been sent or has failed. */
  async settled(): Promise<void> {
    await Promise.all(this.#sending);
  }

  async #send(user: UserRow, purpose: Purpose, origin: RequestOrigin): Promise<void> {
    const { mailer, publicUrl } = this.#deps;
    // Each try has a new token, because a try whose response was lost may have stored its token.
    const inserted = await retryWhileUnavailable(() => this.#insertToken(user, purpose, origin));
    if (inserted === undefined) return;
    const { token, validUntilMs } = inserted;
    await mailer.send({ to: user.email, ...messages[purpose](user.user_name, token, publicUrl), validUntilMs });
  }

  /** Returns undefined if the user has too many open tokens, or was changed since it was read. */
  async #insertToken(
    user: UserRow,
    purpose: Purpose,
    origin: RequestOrigin,
  ): Promise<{ token: string; validUntilMs: number } | undefined> {
    const { database, clock } = this.#deps;
    const token = randomBytes(tokenBytes).toString('base64url');
    const nowMs = clock();
    const validUntilMs = nowMs + lifetimeMs[purpose];
    const values = [
      hashOfResetToken(token),
      user.id,
      new Date(validUntilMs),
      new Date(nowMs),
      maxOpenTokens,
      user.updated_at,
    ];
    return await database.transaction(async (transaction) => {
      const [inserted] = await transaction.run(insertReset, values);
      if (inserted === undefined) return undefined;
      // The change of the user that causes an invitation has its own entry.
      if (purpose === 'invitation') return { token, validUntilMs };
      await appendAudit(
        transaction,
        { by: 'nobody', userId: null, userName: null, ...origin },
        { action: 'user.request_password_reset', tenantId: user.tenant_id, recordId: user.id },
      );
      return { token, validUntilMs };
    });
  }
}

/** Only the hash of a token is stored, so that read access to the database is not enough to reset a password. */
export function hashOfResetToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

type Message = { subject: string; text: string };

const messages: Record<Purpose, (userName: string, token: string, publicUrl: string) => Message> = {
  reset: (userName, token, publicUrl) => ({
    subject: 'Reset your password',
    text: [
      `Hello ${userName},`,
      '',
      'someone asked to reset your password. Within 30 minutes, open',
      '',
      ...waysToUse(token, publicUrl),
      '',
      'It works once. If you did not ask for this, ignore this message: your password stays as it is.',
    ].join('\n'),
  }),
  invitation: (userName, token, publicUrl) => ({
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
  }),
};

/** The page on which a password is chosen with a token. */
export function choosePasswordUrl(token: string, publicUrl: string): string {
  return `${publicUrl}/reset-password?token=${token}`;
}

function waysToUse(token: string, publicUrl: string): string[] {
  return [choosePasswordUrl(token, publicUrl), '', 'or send this token to POST /api/user/reset-password:', '', token];
}
