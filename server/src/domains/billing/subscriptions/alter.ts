import { notFound, Refusal } from '../../../core/errors.ts';
import type { Principal } from '../../../core/principal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { answerOnce } from '../../../platform/postgres/idempotency-records.ts';
import { tenantsSeen } from '../../identity/tenants/visible-tenants.ts';
import { type Change, writeChanges } from './change.ts';
import type { Answered } from './create.ts';
import { withEndings } from './ending.ts';
import { nowOf, type SubscriptionDeps } from './payer.ts';
import { recordOf } from './record.ts';
import { caughtUp } from './renew.ts';
import { type HeldSubscription, lockOne } from './statements.ts';
import { hasEnded, mayBecome, type SubscriptionState, transitions } from './states.ts';

/** Someone asks for a change of one subscription. */
export interface Asked {
  path: string;
  input: { id: number };
  idempotencyKey: string | undefined;
}

/** What is to be done to the subscription as it stands, its lock held and everything done that was due to it. */
export type Decide = (transaction: Queryable, row: HeldSubscription, nowMs: number) => Promise<Omit<Change, 'atMs'>>;

/** Changes one subscription, in one transaction and under its lock, as it is after everything that was due to it. */
export async function alter(
  { path, input, idempotencyKey }: Asked,
  principal: Principal,
  deps: SubscriptionDeps,
  decide: Decide,
): Promise<Answered> {
  const work = async (transaction: Queryable) => {
    const [found] = await transaction.run(lockOne, [await tenantsSeen(transaction, principal), input.id]);
    if (found === undefined) throw notFound('subscription', input.id);
    const nowMs = await nowOf(transaction, found, deps.clock);
    const row = await caughtUp(transaction, found, nowMs, deps);
    demandAlive(row);
    const decided = await decide(transaction, row, nowMs);
    const changes = await withEndings(transaction, [{ ...decided, atMs: nowMs }]);
    await writeChanges(transaction, changes, deps);
    // A subscription that goes on again may be due at once.
    return recordOf(await caughtUp(transaction, (changes[0] as Change).after, nowMs, deps));
  };
  const request = { tenantId: principal.tenantId, path, key: idempotencyKey, input, nowMs: deps.clock() };
  const { answer, replayed } = await answerOnce(deps.database, request, work);
  return { record: answer, replayed };
}

function demandAlive({ state }: HeldSubscription): void {
  if (!hasEnded(state)) return;
  throw new Refusal('illegal_transition', `This subscription is ${state}: it stays as it is. Make another one.`, {
    details: { from: state, allowed: [] },
  });
}

export function demandMove(from: SubscriptionState, to: SubscriptionState): void {
  if (mayBecome(from, to)) return;
  const allowed = Object.keys(transitions[from]);
  throw new Refusal(
    'illegal_transition',
    `A subscription that is ${from} cannot become ${to}; it can become ${allowed.join(' or ')}.`,
    { details: { from, to, allowed } },
  );
}
