import type { Principal } from '../../../core/principal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import type { Notifications } from '../../../platform/postgres/notifications/notifications.ts';
import { appendAudit } from '../audit/append.ts';
import { sessionEnded, sessionsTopic } from '../sessions/session-authenticator.ts';
import { stepUpSession } from '../sessions/statements.ts';
import { type CodeDeps, withCode } from './verify.ts';

export interface StepUpDeps extends CodeDeps {
  notifications: Notifications;
  /** `app.security.step-up-lifetime`. */
  stepUpMs: number;
}

/** Marks the session as stepped up for `app.security.step-up-lifetime`; returns until when. */
export async function stepUp(code: string, principal: Principal, address: string, deps: StepUpDeps): Promise<Date> {
  const { userId, userName } = principal;
  const until = await withCode(code, { userId, userName, address }, deps, (transaction, method) =>
    markSteppedUp(transaction, principal, method, deps),
  );
  deps.notifications.applied(sessionsTopic, principal.sessionId as string);
  return until;
}

/** After the commit, `notifications.applied(sessionsTopic, …)` must follow. `secondFactor`: what has proven it. */
export async function markSteppedUp(
  transaction: Queryable,
  principal: Principal,
  secondFactor: string,
  { clock, stepUpMs, notifications }: Pick<StepUpDeps, 'clock' | 'stepUpMs' | 'notifications'>,
): Promise<Date> {
  const { userId, tenantId } = principal;
  const sessionId = principal.sessionId as string;
  const steppedUpUntil = new Date(clock() + stepUpMs);
  const [session] = await transaction.run(stepUpSession, [sessionId, steppedUpUntil, userId]);
  if (session === undefined) throw sessionEnded();
  const change = { action: 'session.step_up', tenantId, recordId: sessionId, details: { secondFactor } } as const;
  await appendAudit(transaction, principal, change);
  await notifications.publish(transaction, sessionsTopic, sessionId);
  return steppedUpUntil;
}
