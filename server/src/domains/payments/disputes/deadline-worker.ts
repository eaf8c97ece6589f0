import { minuteMs } from '../../../core/clock.ts';
import { publicId } from '../../../core/id.ts';
import { type FailureReports, Worker } from '../../../platform/jobs/worker.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { appendEvents, eventDraft } from '../../webhooks/events/append-events.cte.ts';
import { findAnswers } from './answer-statements.ts';
import { writeDispute } from './apply.ts';
import type { ApplyDeps } from './apply-deps.ts';
import { eventsOf } from './change.ts';
import { claimDeadlines, deadlineDue, deadlinesDue } from './deadline-statements.ts';
import { deadlineAfter, nextDeadline } from './deadlines.ts';
import { lockedDispute } from './read.ts';
import { type DisputeRow, dispute } from './record.ts';

export interface DeadlineWorkerDeps
  extends Pick<ApplyDeps, 'database' | 'clock' | 'generateUuid' | 'observeDispute'>,
    FailureReports {}

type DisputeKey = Pick<DisputeRow, 'tenant_id' | 'id'>;

const maximumInFlight = 10;
/** After a try that failed, or while an answer is on its way. */
const retryMs = minuteMs;

/** Tells that answers to disputes are due soon, and lets those expire that were not answered in time. */
export function deadlineWorker(deps: DeadlineWorkerDeps): Worker<DisputeKey> {
  const { database, clock, onError, onRecovered } = deps;
  return new Worker<DisputeKey>({
    name: 'dispute deadlines',
    dueWork: { topic: deadlinesDue, due: deadlineDue },
    claim: (room) => database.run(claimDeadlines, [clock(), room, clock() + retryMs]),
    perform: (key) => database.transaction((transaction) => pass(transaction, key, deps)),
    slots: maximumInFlight,
    onError,
    onRecovered,
  });
}

async function pass(transaction: Queryable, key: DisputeKey, deps: DeadlineWorkerDeps): Promise<void> {
  const nowMs = deps.clock();
  const before = await lockedDispute(transaction, key);
  const deadline = nextDeadline(before, nowMs);
  if (deadline === undefined || deadline.atMs > nowMs) {
    await writeDispute(transaction, before, { ...before, due_at: deadlineAfter(before, nowMs) }, [], deps);
    return;
  }
  if (deadline.daysLeft !== null) return tellDueSoon(transaction, before, deadline.daysLeft, nowMs, deps);
  const answers = await transaction.run(findAnswers, [before.tenant_id, before.id]);
  if (answers.some(({ finished_at }) => finished_at === null)) return;
  const after: DisputeRow = { ...before, status: 'EXPIRED', due_at: null };
  await writeDispute(transaction, before, after, eventsOf(before, after), deps);
}

async function tellDueSoon(
  transaction: Queryable,
  before: DisputeRow,
  daysLeft: number,
  nowMs: number,
  deps: DeadlineWorkerDeps,
): Promise<void> {
  const told = { ...before, days_told: daysLeft };
  const row = await writeDispute(transaction, before, { ...told, due_at: deadlineAfter(told, nowMs) }, [], deps);
  const { tenant_id: tenantId, livemode } = row;
  const object = { ...dispute.show(row), daysLeft };
  const subject = { tenantId, livemode, objectId: publicId('dsp', row.id), object };
  await appendEvents(transaction, [eventDraft('dispute.due_soon', subject, deps.generateUuid())]);
}
