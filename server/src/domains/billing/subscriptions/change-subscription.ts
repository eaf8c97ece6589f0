import { notFound, Refusal } from '../../../core/errors.ts';
import type { Principal } from '../../../core/principal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { answerOnce, requestHash } from '../../../platform/postgres/idempotency-records.ts';
import { tenantsSeen } from '../../identity/tenants/visible-tenants.ts';
import type { SubscriptionReply } from './create.ts';
import { withEndEffects } from './end-effects.ts';
import { customerNowMs, type SubscriptionDeps } from './payer.ts';
import { recordOf } from './record.ts';
import { catchUp } from './renew.ts';
import { lockSubscription, type SubscriptionWithTerms } from './statements.ts';
import { hasEnded, mayBecome, type SubscriptionState, transitions } from './states.ts';
import { type Change, writeChanges } from './write-changes.ts';

/** Someone asks for a change of one subscription. */
export interface ChangeRequest {
  path: string;
  input: { id: number };
  idempotencyKey: string | undefined;
}

/** What is to be done to the subscription as it stands, its lock held and everything done that was due to it. */
export type DecideChange = (
  transaction: Queryable,
  row: SubscriptionWithTerms,
  nowMs: number,
) => Promise<Omit<Change, 'atMs'>>;

/** Changes one subscription, in one transaction and under its lock, as it is after everything that was due to it. */
export async function changeSubscription(
  { path, input, idempotencyKey }: ChangeRequest,
  principal: Principal,
  deps: SubscriptionDeps,
  decide: DecideChange,
): Promise<SubscriptionReply> {
  const work = async (transaction: Queryable) => {
    const [found] = await transaction.run(lockSubscription, [await tenantsSeen(transaction, principal), input.id]);
    if (found === undefined) throw notFound('subscription', input.id);
    const nowMs = await customerNowMs(transaction, found, deps.clock);
    const row = await catchUp(transaction, found, nowMs, deps);
    requireNotEnded(row);
    const decided = await decide(transaction, row, nowMs);
    const changes = await withEndEffects(transaction, [{ ...decided, atMs: nowMs }]);
    await writeChanges(transaction, changes, deps);
    // A subscription that goes on again may be due at once.
    return recordOf(await catchUp(transaction, (changes[0] as Change).after, nowMs, deps));
  };
  const { answer, replayed } =
    idempotencyKey === undefined
      ? { answer: await deps.database.transaction(work), replayed: false }
      : await answerOnce(
          deps.database,
          { tenantId: principal.tenantId, path, key: idempotencyKey, hash: requestHash(input), nowMs: deps.clock() },
          work,
        );
  return { record: answer, replayed };
}

function requireNotEnded({ state }: SubscriptionWithTerms): void {
  if (!hasEnded(state)) return;
  throw new Refusal('illegal_transition', `This subscription is ${state}: it stays as it is. Make another one.`, {
    details: { from: state, allowed: [] },
  });
}

export function requireTransition(from: SubscriptionState, to: SubscriptionState): void {
  if (mayBecome(from, to)) return;
  const allowed = Object.keys(transitions[from]);
  throw new Refusal(
    'illegal_transition',
    `A subscription that is ${from} cannot become ${to}; it can become ${allowed.join(' or ')}.`,
    { details: { from, to, allowed } },
  );
}
