import { hash, randomBytes } from 'node:crypto';
import { type Clock, minuteMs } from '../../../core/clock.ts';
import type { Mailer } from '../../../platform/mail/mailer.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { retryWhileUnavailable } from '../../../platform/postgres/retry.ts';
import { appendAudit, type RequestOrigin } from '../audit/append.ts';
import { normalizedAccount } from '../sessions/account.ts';
import { findLogin, type LoginRow } from '../sessions/statements.ts';
import { insertReset } from './statements.ts';

export interface PasswordResetMailerDeps {
  database: Database;
  mailer: Pick<Mailer, 'send'>;
  clock: Clock;
  /** `app.public-url`, without a slash at the end: links in mails begin with it. */
  publicUrl: string;
  logError: (error: unknown, message: string) => void;
}

const resetLifetimeMs = 30 * minuteMs;
/** Per user. Further requests send no mail, so that they cannot flood a mailbox. */
const maxOpenResets = 5;
const tokenBytes = 32;

/**
 * Mails password reset tokens. Known and unknown addresses get the same answer in the same time: both cost one query, and
 * everything else runs after the answer.
 */
export class PasswordResetMailer {
  readonly #deps: PasswordResetMailerDeps;
  readonly #sending = new Set<Promise<void>>();

  constructor(deps: PasswordResetMailerDeps) {
    this.#deps = deps;
  }

  async request(email: string, origin: RequestOrigin): Promise<void> {
    const [user] = await this.#deps.database.run(findLogin, [normalizedAccount(email)]);
    if (user === undefined || !user.active || normalizedAccount(user.email) !== normalizedAccount(email)) return;
    const sending = this.#send(user, origin)
      .catch((error) => this.#deps.logError(error, 'A password reset could not be mailed.'))
      .finally(() => this.#sending.delete(sending));
    this.#sending.add(sending);
  }

  /** Resolves when every requested mail has been sent or has failed. */
  async settled(): Promise<void> {
    await Promise.all(this.#sending);
  }

  async #send(user: LoginRow, origin: RequestOrigin): Promise<void> {
    const { mailer, publicUrl } = this.#deps;
    // A new token for each try: the one of a try whose answer was lost may be stored.
    const inserted = await retryWhileUnavailable(() => this.#insertToken(user, origin));
    if (inserted === undefined) return;
    const { token, validUntilMs } = inserted;
    await mailer.send({ to: user.email, ...messageOf(user.user_name, token, publicUrl), validUntilMs });
  }

  /** Returns undefined if the user has too many open resets. */
  async #insertToken(
    user: LoginRow,
    origin: RequestOrigin,
  ): Promise<{ token: string; validUntilMs: number } | undefined> {
    const { database, clock } = this.#deps;
    const token = randomBytes(tokenBytes).toString('base64url');
    const nowMs = clock();
    const validUntilMs = nowMs + resetLifetimeMs;
    const values = [hashOfResetToken(token), user.id, new Date(validUntilMs), new Date(nowMs), maxOpenResets];
    return await database.transaction(async (transaction) => {
      const [inserted] = await transaction.run(insertReset, values);
      if (inserted === undefined) return undefined;
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

function messageOf(userName: string, token: string, publicUrl: string): { subject: string; text: string } {
  return {
    subject: 'Reset your password',
    text: [
      `Hello ${userName},`,
      '',
      'someone asked to reset your password. Within 30 minutes, open',
      '',
      `${publicUrl}/reset-password?token=${token}`,
      '',
      'or send this token to POST /api/user/reset-password:',
      '',
      token,
      '',
      'It works once. If you did not ask for this, ignore this message: your password stays as it is.',
    ].join('\n'),
  };
}
