import { setTimeout as pause } from 'node:timers/promises';
import { type Clock, minuteMs } from '../../../core/clock.ts';
import { platformTenant } from '../../../core/principal.ts';
import { RoundRobinQueue } from '../../../platform/concurrency/round-robin-queue.ts';
import type { Mailer } from '../../../platform/mail/mailer.ts';
import { retryWhileUnavailable } from '../../../platform/postgres/connection/retry.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { appendAudit, type RequestOrigin } from '../audit/append.ts';
import { normalizedAccount } from '../sessions/account.ts';
import { newPasswordToken, waysToUse } from './password-tokens.ts';
import { findActiveByName, insertReset, lockActiveUser, type UserRow } from './statements.ts';

interface ResetMailerDeps {
  database: Database;
  mailer: Pick<Mailer, 'send'>;
  clock: Clock;
  /** `app.public-url`, without a slash at the end: links in mails begin with it. */
  publicUrl: string;
  logError: (error: unknown, message: string) => void;
}

const lifetimeMs = 30 * minuteMs;
/** Per user. Further requests send no mail, so that a mailbox cannot be flooded. */
const maxOpenTokens = 5;
/** Users of different tenants can have the same address. */
const maxUsersOfAddress = 5;

/** Requests that wait; then those of the address with the most are dropped. */
const maxRequests = 10_000;
/**
 * Before each request, so that what a known address costs does not slow the next answer to somebody who asks in turns.
 */
const pauseMs = 50;

interface ResetRequest {
  /** As in `login_name`. */
  email: string;
  origin: RequestOrigin;
}

/**
 * Mails the tokens with which users reset their passwords. A request is answered before the address is looked up, so
 * that the time of the answer does not depend on whether the address is known. Requests are then worked on one at a
 * time, those of callers in turn, with the same statements for known and unknown addresses. For the same reason no row
 * is written for a mail (`user_mail`): it would be written for known addresses only. A mail that is lost is requested
 * again.
 */
export class ResetMailer {
  readonly #deps: ResetMailerDeps;
  readonly #requests = new RoundRobinQueue<ResetRequest>();
  #isWorking = false;
  #working = Promise.resolve();
  #isEnding = false;

  constructor(deps: ResetMailerDeps) {
    this.#deps = deps;
  }

  /** Mails a reset token to every enabled user with this address, after a while. `caller` identifies who asks. */
  request(email: string, caller: string, origin: RequestOrigin): void {
    if (this.#requests.size >= maxRequests) this.#requests.dropFromLongest(0);
    this.#requests.push(caller, { email: normalizedAccount(email), origin });
    if (this.#isWorking) return;
    this.#isWorking = true;
    this.#working = this.#workOnRequests();
  }

  async #workOnRequests(): Promise<void> {
    for (;;) {
      if (!this.#isEnding) await pause(pauseMs);
      const request = this.#requests.shift();
      if (request === undefined) break;
      await this.#answer(request).catch((error) =>
        this.#deps.logError(error, 'A mail to reset a password could not be sent.'),
      );
    }
    this.#isWorking = false;
  }

  async #answer({ email, origin }: ResetRequest): Promise<void> {
    const find = () => this.#deps.database.run(findActiveByName, [email, maxUsersOfAddress]);
    const users = (await retryWhileUnavailable(find)).filter((user) => normalizedAccount(user.email) === email);
    for (const user of users.length === 0 ? [nobody] : users) await this.#send(user, origin);
  }

  /** Resolves when every requested mail has been sent or has failed. */
  async settled(): Promise<void> {
    this.#isEnding = true;
    await this.#working;
    this.#isEnding = false;
  }

  async #send(user: Recipient, origin: RequestOrigin): Promise<void> {
    const { mailer, publicUrl } = this.#deps;
    // Each try has a new token, because a try whose response was lost may have stored its token.
    const inserted = await retryWhileUnavailable(() => this.#insertToken(user, origin));
    if (inserted === undefined) return;
    const { token, validUntilMs } = inserted;
    await mailer.send({ to: user.email, ...messageOf(user.user_name, token, publicUrl), validUntilMs });
  }

  /** Returns undefined if the user has too many open tokens, or was changed since it was read. */
  async #insertToken(
    user: Recipient,
    origin: RequestOrigin,
  ): Promise<{ token: string; validUntilMs: number } | undefined> {
    const { database, clock } = this.#deps;
    const { token, tokenHash } = newPasswordToken();
    const nowMs = clock();
    const validUntilMs = nowMs + lifetimeMs;
    return await database.transaction(async (transaction) => {
      // Requests at the same time count one after the other. A change of the user voids all tokens, also one that is
      // being made.
      const [locked] = await transaction.run(lockActiveUser, [user.id]);
      const userId = locked?.updated_at === user.updated_at ? locked.id : nobody.id;
      const times = [new Date(validUntilMs), new Date(nowMs)];
      const [inserted] = await transaction.run(insertReset, [tokenHash, userId, ...times, maxOpenTokens]);
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

type Recipient = Pick<UserRow, 'id' | 'tenant_id' | 'user_name' | 'email' | 'updated_at'>;

/** Ids begin at 1. */
const nobody: Recipient = { id: 0, tenant_id: platformTenant, user_name: '', email: '', updated_at: null };

function messageOf(userName: string, token: string, publicUrl: string): { subject: string; text: string } {
  return {
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
  };
}
