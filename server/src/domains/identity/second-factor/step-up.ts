import type { Static } from 'typebox';
import type { Principal } from '../../../core/principal.ts';
import type { Answer } from '../../../platform/http/route.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { appendAudit } from '../audit/append.ts';
import { expiryMs, sessionEnded } from '../sessions/session-authenticator.ts';
import type { SessionCookie } from '../sessions/session-cookie.ts';
import { advanceGeneration, findLiveSession, type LiveSessionRow, stepUpSession } from '../sessions/statements.ts';
import { signedCookie, signTokenPair, type TokenDeps, type TokenPair } from '../sessions/token-pair.ts';
import type { steppedUp } from './schema.ts';
import { type CodeDeps, withCode } from './verify.ts';

export interface MarkSteppedUpDeps extends TokenDeps {
  sessionCookie: SessionCookie;
  /** `app.security.step-up-lifetime`. */
  stepUpMs: number;
  /** `app.security.profile`: the session gets new tokens (ASVS 7.2.4). */
  isStrict: boolean;
}

export interface StepUpDeps extends CodeDeps, MarkSteppedUpDeps {}

/** A session that was stepped up. */
export interface SteppedUp {
  until: Date;
  session: LiveSessionRow;
}

/** Marks the session as stepped up for `app.security.step-up-lifetime`. */
export function stepUp(code: string, principal: Principal, address: string, deps: StepUpDeps): Promise<SteppedUp> {
  const { userId, userName } = principal;
  return withCode(code, { userId, userName, address }, deps, (transaction, method) =>
    markSteppedUp(transaction, principal, method, deps),
  );
}

/** The part of a step-up that runs in its transaction. `secondFactor` is the method with which the user proved it. */
export async function markSteppedUp(
  transaction: Queryable,
  principal: Principal,
  secondFactor: string,
  deps: MarkSteppedUpDeps,
): Promise<SteppedUp> {
  const sessionId = principal.sessionId as string;
  const steppedUp = await recordStepUp(transaction, principal, deps);
  await appendAudit(transaction, principal, {
    action: 'session.step_up',
    tenantId: principal.tenantId,
    recordId: sessionId,
    details: { secondFactor },
  });
  return steppedUp;
}

/**
 * Records that the session of the caller is stepped up. In the strict profile its tokens stop working; `withNewTokens` signs the next
 * ones. The caller enters what proved the factor into the audit log.
 */
export async function recordStepUp(
  transaction: Queryable,
  { userId, sessionId }: Principal,
  { clock, stepUpMs, isStrict }: MarkSteppedUpDeps,
): Promise<SteppedUp> {
  const until = new Date(clock() + stepUpMs);
  const [updated] = await transaction.run(stepUpSession, [sessionId, until, userId]);
  if (updated === undefined) throw sessionEnded();
  if (isStrict) await transaction.run(advanceGeneration, [sessionId, updated.generation]);
  const [session] = await transaction.run(findLiveSession, [sessionId]);
  if (session === undefined) throw sessionEnded();
  return { until, session };
}

export function steppedUpAnswer(
  result: SteppedUp,
  caller: Caller,
  deps: MarkSteppedUpDeps,
): Promise<Answer<Static<typeof steppedUp>>> {
  const data = { steppedUpUntil: result.until.toISOString() };
  return withNewTokens({ message: 'Session stepped up', data }, result, caller, deps);
}

/** Who is answered. */
interface Caller {
  principal: Principal;
  headers: { authorization?: string | undefined };
}

/**
 * The answer to a request that stepped the session up. In the strict profile with the new tokens of the session: as `token`, or in
 * a cookie if the request came with one.
 */
export async function withNewTokens<Data extends object>(
  answer: { message: string; data: Data },
  { session: row }: SteppedUp,
  { principal, headers: { authorization } }: Caller,
  deps: MarkSteppedUpDeps,
): Promise<Answer<Data & { token?: TokenPair }>> {
  if (!deps.isStrict) return answer;
  const session = {
    id: principal.sessionId as string,
    expiresAtMs: expiryMs(row, deps.lifetimes),
    generation: row.generation,
  };
  if (authorization === undefined) {
    return { ...answer, headers: { 'set-cookie': await signedCookie(row, session, deps) } };
  }
  return { ...answer, data: { ...answer.data, token: await signTokenPair(row, session, deps) } };
}
