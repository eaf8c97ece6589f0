import type { Principal } from '../../../core/principal.ts';
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
  const { userId, userName, tenantId } = principal;
  const sessionId = principal.sessionId as string;
  const until = await withCode(code, { userId, userName, address }, deps, async (transaction, method) => {
    const steppedUpUntil = new Date(deps.clock() + deps.stepUpMs);
    const [session] = await transaction.run(stepUpSession, [sessionId, steppedUpUntil, userId]);
    if (session === undefined) throw sessionEnded();
    const details = { secondFactor: method };
    await appendAudit(transaction, principal, { action: 'session.step_up', tenantId, recordId: sessionId, details });
    await deps.notifications.publish(transaction, sessionsTopic, sessionId);
    return steppedUpUntil;
  });
  deps.notifications.applied(sessionsTopic, sessionId);
  return until;
}
