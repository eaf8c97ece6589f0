import { minuteMs } from '../../../core/clock.ts';
import { Refusal } from '../../../core/errors.ts';
import { rule } from '../../../core/refusal-rules.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import type { IdentityApp } from '../app.ts';
import { countedAccount } from '../sessions/account.ts';
import { hashOfRecoveryCode } from './recovery-codes.ts';
import { isActive, secondFactorAbsent } from './rules.ts';
import { acceptStep, lockSecondFactor, recordFailures, type SecondFactorRow, useRecoveryCode } from './statements.ts';
import { stepOfCode } from './totp.ts';

type CodeMethod = 'totp' | 'recovery_code';

/** The user whose code is verified, and the address it was sent from. */
interface CodeOwner {
  userId: number;
  userName: string;
  address: string;
}

/**
 * Wrong codes of one user in 15 minutes, from any address and on any node. Three of a million codes are right at any
 * time, so an attacker with the password and many addresses needs years. Only callers with the password can use up the
 * limit.
 */
const failuresAllowed = 10;
/**
 * Allows for phone clocks that are up to one step off, and for codes typed at the end of a step (RFC 6238, section
 * 5.2).
 */
const driftSteps = 1;
const failureWindowMs = 15 * minuteMs;

export const secretAssociatedData = (userId: number): string => `second_factor/${userId}/secret`;

/**
 * Verifies a code and runs `work`, in one transaction that also uses the code up. A wrong code is refused with
 * `code_wrong` and counts as a failed login.
 */
export async function withCode<Result>(
  code: string,
  owner: CodeOwner,
  app: IdentityApp,
  work: (transaction: Queryable, method: CodeMethod) => Promise<Result>,
  options: { confirming?: true } = {},
): Promise<Result> {
  const outcome = await app.loginFailures.attempt(
    countedAccount({ id: owner.userId }, owner.userName),
    owner.address,
    () =>
      app.database.transaction(async (transaction) => {
        const factor = await lockFactor(transaction, owner.userId, options.confirming === true);
        const method = await verify(transaction, factor, code, app);
        return method && { result: await work(transaction, method) };
      }),
  );
  if (outcome === undefined) {
    throw new Refusal('code_wrong', 'The code is wrong, or was used before.', { field: 'code' });
  }
  return outcome.result;
}

async function lockFactor(transaction: Queryable, userId: number, isConfirming: boolean): Promise<SecondFactorRow> {
  const [factor] = await transaction.run(lockSecondFactor, [userId]);
  if (isConfirming && factor?.confirmed_at) throw secondFactorActive();
  if (isConfirming) {
    if (factor?.secret_sealed == null) throw secondFactorAbsent(rule('no_factor_begun'));
    return factor;
  }
  if (!isActive(factor)) {
    throw secondFactorAbsent(rule('no_factor'));
  }
  return factor;
}

export function secondFactorActive(): Refusal {
  return new Refusal(
    'second_factor_active',
    'You have an authenticator app already. Remove it before you enrol another.',
  );
}

/** Undefined if the code is wrong, which is recorded. */
async function verify(
  transaction: Queryable,
  factor: SecondFactorRow,
  code: string,
  app: IdentityApp,
): Promise<CodeMethod | undefined> {
  const nowMs = app.clock();
  const failures = recentFailuresOf(factor, nowMs);
  const { user_id: userId, secret_sealed: sealed } = factor;
  const digits = code.replaceAll(/[\s-]/g, ''); // Apps show two groups of three.
  if (/^\d{6}$/.test(digits)) {
    const step =
      sealed === null || app.isLost(sealed)
        ? undefined
        : stepOfCode(digits, app.open(sealed, secretAssociatedData(userId)), nowMs, {
            lastStep: factor.last_step,
            // ASVS 6.5.5 allows a code 30 seconds in all.
            driftSteps: app.isStrict ? 0 : driftSteps,
          });
    if (step !== undefined) {
      await transaction.run(acceptStep, [userId, step, new Date(nowMs)]);
      return 'totp';
    }
  } else if (isActive(factor)) {
    const [used] = await transaction.run(useRecoveryCode, [userId, hashOfRecoveryCode(code), new Date(nowMs)]);
    if (used !== undefined) return 'recovery_code';
  }
  await transaction.run(recordFailures, [userId, failures.count + 1, new Date(failures.sinceMs)]);
  return undefined;
}

/** Refuses with `too_many_attempts`. */
function recentFailuresOf({ failures, failures_since }: SecondFactorRow, nowMs: number) {
  const sinceMs = failures_since === null ? nowMs : Date.parse(failures_since);
  const endsAtMs = sinceMs + failureWindowMs;
  if (endsAtMs <= nowMs) return { count: 0, sinceMs: nowMs };
  if (failures >= failuresAllowed) {
    throw new Refusal('too_many_attempts', rule('attempts_of_codes'), {
      retryAfterSeconds: Math.max(1, Math.ceil((endsAtMs - nowMs) / 1000)),
    });
  }
  return { count: failures, sinceMs };
}
