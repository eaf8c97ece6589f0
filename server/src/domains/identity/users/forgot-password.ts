import { hash, randomBytes } from 'node:crypto';
import { minuteMs } from '../../../core/clock.ts';
import type { UserDeps } from './deps.ts';
import { accountKey } from './rules.ts';
import { type AccountRow, findByAccount, insertReset } from './statements.ts';

const resetLifetimeMs = 30 * minuteMs;
/** Open reset tokens a user may have: beyond that nothing is sent, so that nobody's mailbox can be flooded. */
const openResetsAllowed = 5;
const tokenBytes = 32;

/**
 * Sends reset tokens. The caller's answer is the same and takes the same whether the address is known or not: both cost
 * one look, and everything after it happens behind the answer.
 */
export class ForgottenPasswords {
  readonly #deps: UserDeps;
  readonly #sending = new Set<Promise<void>>();

  constructor(deps: UserDeps) {
    this.#deps = deps;
  }

  async forgot(email: string): Promise<void> {
    const [user] = await this.#deps.database.run(findByAccount, [accountKey(email)]);
    if (user === undefined || !user.active || accountKey(user.email) !== accountKey(email)) return;
    const sending = this.#send(user)
      .catch((error) => this.#deps.logError(error, 'A password reset could not be mailed.'))
      .finally(() => this.#sending.delete(sending));
    this.#sending.add(sending);
  }

  /** Resolves when every mail under way was handed on or given up. */
  async settled(): Promise<void> {
    await Promise.all(this.#sending);
  }

  async #send(user: AccountRow): Promise<void> {
    const { database, mailer, clock, settings } = this.#deps;
    const token = randomBytes(tokenBytes).toString('base64url');
    const now = clock();
    const [kept] = await database.run(insertReset, [
      hashOfResetToken(token),
      user.id,
      new Date(now + resetLifetimeMs),
      new Date(now),
      openResetsAllowed,
    ]);
    if (kept === undefined) return;
    await mailer.send({ to: user.email, ...messageOf(user.user_name, token, settings.publicUrl) });
  }
}

/** Tokens are kept by their hash: whoever reads the database cannot reset a password. */
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
      'It works once. If it was not you, there is nothing to do: your password stays as it is.',
    ].join('\n'),
  };
}
