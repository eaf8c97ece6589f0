import { hash, randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type Clock, dayMs, minuteMs } from '../../../core/clock.ts';
import { platformTenant } from '../../../core/principal.ts';
import { RoundRobinQueue } from '../../../core/round-robin-queue.ts';
import type { Mailer } from '../../../platform/mail/mailer.ts';
import { retryWhileUnavailable } from '../../../platform/postgres/connection/retry.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { appendAudit, type RequestOrigin } from '../audit/append.ts';
import { normalizedAccount } from '../sessions/account.ts';
import { findActiveByName, insertReset, lockActiveUser, type UserRow } from './statements.ts';

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

/** Requests that wait; then those of the address with the most are dropped. */
const maxRequests = 10_000;
/** Before each request, so that what a known address costs does not slow the next answer to somebody who asks in turns. */
const pauseMs = 50;

interface ResetRequest {
  /** As in `login_name`. */
  email: string;
  origin: RequestOrigin;
}

/**
 * Mails the tokens with which users choose a password: to reset it, or to accept an invitation. A request for a reset is answered
 * before the address is looked up, so that the time of the answer does not depend on whether the address is known. Requests are
 * then worked on one at a time, those of callers in turn, with the same statements for known and unknown addresses.
 */
export class PasswordMailer {
  readonly #deps: PasswordMailerDeps;
  readonly #sending = new Set<Promise<void>>();
  readonly #requests = new RoundRobinQueue<ResetRequest>();
  #isWorking = false;
  #isEnding = false;

  constructor(deps: PasswordMailerDeps) {
    this.#deps = deps;
  }

  /** Mails a reset token to every enabled user with this address, after a while. `caller` identifies who asks. */
  request(email: string, caller: string, origin: RequestOrigin): void {
    if (this.#requests.size >= maxRequests) this.#requests.dropFromLongest(0);
    this.#requests.push(caller, { email: normalizedAccount(email), origin });
    if (this.#isWorking) return;
    this.#isWorking = true;
    this.#start(this.#workOnRequests(), 'reset');
  }

  async #workOnRequests(): Promise<void> {
    for (;;) {
      if (!this.#isEnding) await pause(pauseMs);
      const request = this.#requests.shift();
      if (request === undefined) break;
      await this.#answer(request).catch((error) => this.#deps.logError(error, failed('reset')));
    }
    this.#isWorking = false;
  }

  async #answer({ email, origin }: ResetRequest): Promise<void> {
    const find = () => this.#deps.database.run(findActiveByName, [email, maxUsersOfAddress]);
    const users = (await retryWhileUnavailable(find)).filter((user) => normalizedAccount(user.email) === email);
    for (const user of users.length === 0 ? [nobody] : users) await this.#send(user, 'reset', origin);
  }

  /** Mails the token to choose a password to a user who has none. Call it after the user's transaction has committed. */
  invite(user: UserRow): void {
    this.#start(this.#send(user, 'invitation', {}), 'invitation');
  }

  #start(work: Promise<void>, purpose: Purpose): void {
    const sending = work
      .catch((error) => this.#deps.logError(error, failed(purpose)))
      .finally(() => this.#sending.delete(sending));
    this.#sending.add(sending);
  }

  /** Resolves when every requested mail has been sent or has failed. */
  async settled(): Promise<void> {
    this.#isEnding = true;
    await Promise.all(this.#sending);
    this.#isEnding = false;
  }

  async #send(user: Recipient, purpose: Purpose, origin: RequestOrigin): Promise<void> {
    const { mailer, publicUrl } = this.#deps;
    // Each try has a new token, because a try whose response was lost may have stored its token.
    const inserted = await retryWhileUnavailable(() => this.#insertToken(user, purpose, origin));
    if (inserted === undefined) return;
    const { token, validUntilMs } = inserted;
    await mailer.send({ to: user.email, ...messages[purpose](user.user_name, token, publicUrl), validUntilMs });
  }

  /** Returns undefined if the user has too many open tokens, or was changed since it was read. */
  async #insertToken(
    user: Recipient,
    purpose: Purpose,
    origin: RequestOrigin,
  ): Promise<{ token: string; validUntilMs: number } | undefined> {
    const { database, clock } = this.#deps;
    const token = randomBytes(tokenBytes).toString('base64url');
    const nowMs = clock();
    const validUntilMs = nowMs + lifetimeMs[purpose];
    return await database.transaction(async (transaction) => {
      // Requests at the same time count one after the other. A change of the user voids all tokens, also one that is being made.
      const [locked] = await transaction.run(lockActiveUser, [user.id]);
      const userId = locked?.updated_at === user.updated_at ? locked.id : nobody.id;
      const times = [new Date(validUntilMs), new Date(nowMs)];
      const [inserted] = await transaction.run(insertReset, [hashOfResetToken(token), userId, ...times, maxOpenTokens]);
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

type Recipient = Pick<UserRow, 'id' | 'tenant_id' | 'user_name' | 'email' | 'updated_at'>;

/** Ids begin at 1. */
const nobody: Recipient = { id: 0, tenant_id: platformTenant, user_name: '', email: '', updated_at: null };

const failed = (purpose: Purpose) => `A mail to choose a password could not be sent (${purpose}).`;

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
