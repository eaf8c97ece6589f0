import type { Principal } from '../../../core/principal.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import type { ChannelDirectory } from '../channels/directory.ts';
import type { TransactionReader } from '../transactions/read.ts';
import { next, type TransactionStatus } from '../transactions/states.ts';
import { stepOfNote } from './timeline-remarks.ts';
import { findNoteSteps, findOperationSteps, findRefundSteps } from './timeline-statements.ts';
import { creationOf, type PlacedStep, type Step, stepsOfOperation, stepsOfRefund } from './timeline-steps.ts';

export interface TimelineDeps {
  database: Pick<Database, 'snapshot'>;
  reader: Pick<TransactionReader, 'find'>;
  /** Names of channels come from memory. */
  channels: Pick<ChannelDirectory, 'find'>;
}

/** Steps shown besides the first; older ones are left out, and the second step then says so. */
export const maximumSteps = 1_000;

/**
 * Everything that happened to a payment, in order: put together from the rows that it left behind when it happened, its
 * own, those of what was asked of providers, its refunds and its notes. Nothing is written for it alone that a row tells.
 */
export async function timelineOf(
  publicId: string,
  principal: Principal,
  { database, reader, channels }: TimelineDeps,
): Promise<Step[]> {
  const payment = await reader.find(publicId, principal);
  const of = [payment.tenant_id, payment.id, maximumSteps + 1];
  const { operations, refunds, notes } = await database.snapshot(async (moment) => ({
    operations: await moment.run(findOperationSteps, of),
    refunds: await moment.run(findRefundSteps, of),
    notes: await moment.run(findNoteSteps, of),
  }));
  const lastCharge = operations.find(({ kind }) => kind === 'CHARGE')?.number;
  const byNumber = new Map(operations.map((row) => [row.number, row]));
  const byRefund = new Map(operations.map((row) => [row.refund_id, row]));
  const reversedAt = new Map(refunds.map(({ id, reversed_at }) => [id, reversed_at]));
  const steps = [
    ...operations.flatMap((row) =>
      stepsOfOperation(row, {
        isFollowed: row.number !== lastCharge,
        reversedAt: reversedAt.get(row.refund_id ?? '') ?? null,
        currency: payment.currency,
      }),
    ),
    ...refunds.flatMap((refund) => stepsOfRefund(refund, byRefund.get(refund.id), payment.currency)),
    ...notes.map((note) => stepOfNote(note, note.operation === null ? undefined : byNumber.get(note.operation))),
  ].sort(inOrder);
  const kept = [creationOf(payment), ...newest(withStatuses(steps))];
  return Promise.all(kept.map((step) => shown(step, channels)));
}

function inOrder(a: PlacedStep, b: PlacedStep): number {
  if (a.time !== b.time) return a.time < b.time ? -1 : 1;
  return (a.operation ?? 0) - (b.operation ?? 0) || a.rank - b.rank;
}

/** Each step takes the payment where it leads, if the table of transitions lets it: as it was when it happened. */
function withStatuses(steps: readonly PlacedStep[]): PlacedStep[] {
  let status: TransactionStatus = 'PENDING';
  let refunds = 0;
  return steps.map((step) => {
    if (step.isReversal) refunds--;
    const to = step.isReversal && refunds > 0 ? 'REFUNDED' : step.to;
    if (to === undefined || !next[status].includes(to)) return step;
    if (to === 'REFUNDED' && !step.isReversal) refunds++;
    status = to;
    return { ...step, status };
  });
}

function newest(steps: readonly PlacedStep[]): readonly PlacedStep[] {
  if (steps.length <= maximumSteps) return steps;
  const left = steps.slice(1 - maximumSteps);
  const time = (left[0] as PlacedStep).time;
  const message = `Older steps are left out here; the newest ${maximumSteps - 1} follow.`;
  return [{ time, type: 'omitted', message, rank: 0 }, ...left];
}

/** The step in the order in which its fields are read, with the name of its channel. */
async function shown(step: PlacedStep, channels: TimelineDeps['channels']): Promise<Step> {
  const { time, type, message, status, channelId, operation, provider, reference, ...others } = step;
  const { failureCode, providerCode, refundId, detail } = others;
  const channel = channelId === undefined ? undefined : await channels.find(channelId);
  return defined({
    time,
    type,
    message,
    status,
    channelId,
    channelName: channel?.name,
    operation,
    provider,
    reference,
    failureCode,
    providerCode,
    refundId,
    detail,
  });
}

function defined(step: { [Field in keyof Step]: Step[Field] | undefined }): Step {
  return Object.fromEntries(Object.entries(step).filter(([, value]) => value !== undefined)) as unknown as Step;
}
