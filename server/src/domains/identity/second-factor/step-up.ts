import type { Static } from 'typebox';
import type { Principal } from '../../../core/principal.ts';
import type { Answer, Call } from '../../../platform/http/route.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import type { IdentityApp } from '../app.ts';
import { appendAudit } from '../audit/append.ts';
import { expiryMs, sessionEnded } from '../sessions/session-authenticator.ts';
import { advanceGeneration, findLiveSession, type LiveSessionRow, stepUpSession } from '../sessions/statements.ts';
import { signedCookie, signTokenPair, type TokenPair } from '../sessions/token-pair.ts';
import type { steppedUp } from './schema.ts';
import { withCode } from './verify.ts';

/** A session that was stepped up. */
export interface SteppedUp {
  until: Date;
  session: LiveSessionRow;
}

/** Marks the session as stepped up for `app.security.step-up-lifetime`. */
export function stepUp(
  { body: { code }, principal, address }: Call<{ code: string }>,
  app: IdentityApp,
): Promise<SteppedUp> {
  const { userId, userName } = principal;
  return withCode(code, { userId, userName, address }, app, (transaction, method) =>
    markSteppedUp(transaction, principal, method, app),
  );
}

/** The part of a step-up that runs in its transaction. `secondFactor` is the method with which the user proved it. */
export async function markSteppedUp(
  transaction: Queryable,
  principal: Principal,
  secondFactor: string,
  app: IdentityApp,
): Promise<SteppedUp> {
  const sessionId = principal.sessionId as string;
  const steppedUp = await recordStepUp(transaction, principal, app);
  await appendAudit(transaction, principal, {
    action: 'session.step_up',
    tenantId: principal.tenantId,
    recordId: sessionId,
    details: { secondFactor },
  });
  return steppedUp;
}

/**
 * Records that the session of the caller is stepped up. In the strict profile its tokens stop working; `withNewTokens`
 * signs the next ones. The caller enters what proved the factor into the audit log.
 */
export async function recordStepUp(
  transaction: Queryable,
  { userId, sessionId }: Principal,
  { clock, stepUpMs, isStrict }: IdentityApp,
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
  app: IdentityApp,
): Promise<Answer<Static<typeof steppedUp>>> {
  const data = { steppedUpUntil: result.until.toISOString() };
  return withNewTokens({ message: 'Session stepped up', data }, result, caller, app);
}

/** Who is answered. */
interface Caller {
  principal: Principal;
  headers: { authorization?: string | undefined };
}

/**
 * The answer to a request that stepped the session up. In the strict profile with the new tokens of the session: as
 * `token`, or in a cookie if the request came with one.
 */
export async function withNewTokens<Data extends object>(
  answer: { message: string; data: Data },
  { session: row }: SteppedUp,
  { principal, headers: { authorization } }: Caller,
  app: IdentityApp,
): Promise<Answer<Data & { token?: TokenPair }>> {
  if (!app.isStrict) return answer;
  const session = {
    id: principal.sessionId as string,
    expiresAtMs: expiryMs(row, app.lifetimes),
    generation: row.generation,
  };
  if (authorization === undefined) {
    return { ...answer, headers: { 'set-cookie': await signedCookie(row, session, app) } };
  }
  return { ...answer, data: { ...answer.data, token: await signTokenPair(row, session, app) } };
}
