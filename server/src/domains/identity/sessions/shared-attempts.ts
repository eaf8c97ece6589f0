import { Refusal, type RefusalType } from '../../../core/errors.ts';
import { rule } from '../../../core/refusal-rules.ts';
import type { OtherProcesses } from '../../../platform/process/other-processes.ts';

/** An admitted login attempt. Call exactly one of `succeed`, `fail` and `release`, once. */
export interface LoginAttempt {
  /** Identifies the caller, because callers take turns when passwords are hashed. */
  caller: string;
  succeed: () => void;
  fail: () => void;
  /** The attempt ended for a reason unrelated to the password. */
  release: () => void;
}

/** Admits login attempts of one process, or those of all processes of a node. */
export interface AttemptCounters {
  reserve: (account: string, address: string) => Promise<LoginAttempt>;
  /** The owner of the account has logged in from the address. */
  remember: (account: string, address: string) => void;
  clear: (account: string, address: string) => void;
}

const requestName = 'login attempts';
type Outcome = 'succeed' | 'fail' | 'release';
type Request =
  | { verb: 'reserve' | 'remember' | 'clear'; account: string; address: string }
  | { verb: 'end'; id: number; outcome: Outcome };
type Reserved =
  | { id: number; caller: string }
  | ({ refused: RefusalType; message: string } & Pick<Refusal, 'details' | 'retryAfterSeconds'>);

/**
 * In the first process: admits the attempts of the other processes by its own counters, so that the limits hold however
 * an attacker spreads guesses over them. The attempts of a process that ends are released.
 */
export function serveAttempts(otherProcesses: OtherProcesses, counters: AttemptCounters): void {
  const admitted = new Map<number, { attempt: LoginAttempt; from: number }>();
  /** How many processes of each number have ended. */
  const ended = new Map<number, number>();
  let last = 0;
  otherProcesses.answer(requestName, async (text, from) => {
    const request = JSON.parse(text) as Request;
    if (request.verb === 'end') {
      admitted.get(request.id)?.attempt[request.outcome]();
      admitted.delete(request.id);
      return '';
    }
    const { verb, account, address } = request;
    if (verb !== 'reserve') {
      counters[verb](account, address);
      return '';
    }
    const endedBefore = ended.get(from);
    try {
      const attempt = await counters.reserve(account, address);
      if (ended.get(from) !== endedBefore) {
        attempt.release();
        return '';
      }
      const id = ++last;
      admitted.set(id, { attempt, from });
      return JSON.stringify({ id, caller: attempt.caller } satisfies Reserved);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { type: refused, message, details, retryAfterSeconds } = error;
      return JSON.stringify({ refused, message, details, retryAfterSeconds } satisfies Reserved);
    }
  });
  otherProcesses.whenGone((process) => {
    ended.set(process, (ended.get(process) ?? 0) + 1);
    for (const [id, { attempt, from }] of admitted) {
      if (from !== process) continue;
      attempt.release();
      admitted.delete(id);
    }
  });
}

/** In every other process: asks the first one. */
export function askedAttempts(askFirst: NonNullable<OtherProcesses['askFirst']>): AttemptCounters {
  const ask = (request: Request) => askFirst(requestName, JSON.stringify(request));
  // Messages arrive in order, and nothing waits for these: a process whose first one has ended ends itself.
  const tell = (request: Request) => {
    ask(request).catch(() => {});
  };
  return {
    reserve: async (account, address) => {
      const text = await ask({ verb: 'reserve', account, address });
      if (text === '') throw new Refusal('overloaded', rule('logins_not_served'), { retryAfterSeconds: 1 });
      const answer = JSON.parse(text) as Reserved;
      if ('refused' in answer) {
        const { refused, message, details, retryAfterSeconds } = answer;
        throw new Refusal(refused, message, {
          ...(details !== undefined && { details }),
          ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
        });
      }
      const { id, caller } = answer;
      const end = (outcome: Outcome) => () => tell({ verb: 'end', id, outcome });
      return { caller, succeed: end('succeed'), fail: end('fail'), release: end('release') };
    },
    remember: (account, address) => tell({ verb: 'remember', account, address }),
    clear: (account, address) => tell({ verb: 'clear', account, address }),
  };
}
